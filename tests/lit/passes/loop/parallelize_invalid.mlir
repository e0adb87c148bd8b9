// RUN: not mlc-opt %s --parallelize="threads=0" 2>&1 | filecheck %s --check-prefix=THREADS
// RUN: not mlc-opt %s --parallelize="least-ns=-1" 2>&1 | filecheck %s --check-prefix=LEAST
// THREADS: error: parallelize: found threads=0; required: 1 or more
// LEAST: error: parallelize: found least-ns=-1; required: 0 or more

func.func private @nothing() {
  return
}
