// A byte order mark in front of a text is not part of it; the files are made here.

// RUN: printf '\357\273\277func.func private @f()\n' > %t && mlc-opt %t | filecheck %s
// RUN: printf '\357\273\277' > %t && mlc-opt %t | filecheck %s --check-prefix=EMPTY
// RUN: printf '\357\273\277modul {}' > %t && not mlc-opt %t 2>&1 | filecheck %s --check-prefix=COLUMN

// CHECK: func.func private @f()
// EMPTY: builtin.module
// COLUMN: :1:1: error:
