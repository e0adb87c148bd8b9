/* Linux on 64-bit ARM: system calls, the entry point, features of the CPU, and what threads that wait need.

   `runner.c` and `threads.c` begin with `common.h` and this. Each takes a part. */

/* ---- system calls ---- */

enum {
    SYS_ioctl = 29,
    SYS_read = 63,
    SYS_write = 64,
    SYS_exit_group = 94,
    SYS_futex = 98,
    SYS_clock_gettime = 113,
    SYS_sched_getaffinity = 123,
    SYS_rt_sigprocmask = 135,
    SYS_getpid = 172,
    SYS_gettid = 178,
    SYS_mmap = 222,
};

SHARED long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

/* Where a program starts: calls `run_model` with the address of argc, behind which argv, the environment and the auxiliary
   vector stand. */
#define ENTRY_POINT \
    ".text\n.globl _start\n_start:\n" \
    "  mov x29, #0\n" \
    "  mov x30, #0\n" \
    "  mov x0, sp\n" \
    "  bl run_model\n"

/* ---- waiting ---- */

/* A clock that all cores share, in units of its own. */
SHARED int64_t ticks(void) {
    int64_t count;
    __asm__ volatile("isb\n  mrs %0, cntvct_el0" : "=r"(count));
    return count;
}

/* Tell the core that this is a loop that waits. */
SHARED void pause(void) { __asm__ volatile("isb"); }

SHARED long float_mode(void) {
    long mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}

SHARED void set_float_mode(long mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }

/* ---- features ---- */

HAS_AUXILIARY_FEATURES
