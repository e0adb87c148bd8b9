/* Linux on 64-bit RISC-V: system calls, the entry point, features of the CPU, and what threads that wait need. */

enum {
    SYS_read = 63,
    SYS_write = 64,
    SYS_exit_group = 94,
    SYS_futex = 98,
    SYS_clock_gettime = 113,
    SYS_sched_getaffinity = 123,
    SYS_rt_sigprocmask = 135,
    SYS_getpid = 172,
    SYS_mmap = 222,
};

SHARED long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = e;
    register long a5 __asm__("a5") = f;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
    return a0;
}

#define ENTRY_POINT \
    ".text\n.globl _start\n_start:\n" \
    "  mv a0, sp\n" \
    "  andi sp, sp, -16\n" \
    "  call run_model\n"

SHARED void pause(void) { __asm__ volatile("nop"); }

SHARED long float_mode(void) {
    long mode;
    __asm__ volatile("frcsr %0" : "=r"(mode));
    return mode;
}

SHARED void set_float_mode(long mode) { __asm__ volatile("fscsr %0" : : "r"(mode)); }

HAS_AUXILIARY_FEATURES
