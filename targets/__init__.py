"""Machines, and what becomes of LLVM IR: text, clang, linker, cache, artifacts.

Facts of a machine are fields of `Machine`: registers, lanes, caches, issue width, bandwidths, what sharing a loop
costs. `architectures/` defines each with its unit, and the rows of CPUs say for each number whether it is LLVM's, a
manual's, measured or assumed. `mlc machine measure` writes a file that only `native` reads.
`MLC_HOST` assumes another host (`assumed_host.py`).

Each kernel is an LLVM module of its own. Equal kernels compile once, all in parallel processes, and each object is
cached under a hash of its text, the machine and the compiler. Small kernels share a process, in batches that depend
on their content alone (`batches.py`). A symbol contains a hash of the kernel's text, so equal kernels of several
models merge when they are linked.

Weights never become text: `weights.py` writes them to an ELF object (`elf.py`) from the memory map of their file.

The objects of a model become one whose kernels and weights are local, so that models meet only in the names that a
program calls them by. An artifact calls no libc, no libm and no allocator; the caller brings the workspace.
Executables read standard input and write standard output by system calls alone. Threads call one hook,
`mlc_parallel_for`, whose default is `runtime/threads.c`; which thread computes an index never changes a bit of a
result.
"""
