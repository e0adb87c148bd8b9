/* Linux on x86-64: system calls, the entry point, features of the CPU, and what threads that wait need.

   `runner.c` and `threads.c` begin with `common.h` and this. Each takes a part. */

/* ---- system calls ---- */

enum {
    SYS_read = 0,
    SYS_write = 1,
    SYS_mmap = 9,
    SYS_rt_sigprocmask = 14,
    SYS_ioctl = 16,
    SYS_getpid = 39,
    SYS_arch_prctl = 158,
    SYS_gettid = 186,
    SYS_futex = 202,
    SYS_sched_getaffinity = 204,
    SYS_clock_gettime = 228,
    SYS_exit_group = 231,
};

SHARED long system_call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* Where a program starts: calls `run_model` with the address of argc, behind which argv, the environment and the auxiliary
   vector stand. */
#define ENTRY_POINT \
    ".text\n.globl _start\n_start:\n" \
    "  xor %ebp, %ebp\n" \
    "  mov %rsp, %rdi\n" \
    "  and $-16, %rsp\n" \
    "  call run_model\n"

/* ---- waiting ---- */

/* A clock that all cores share, in units of its own. */
SHARED int64_t ticks(void) {
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (int64_t)((uint64_t)high << 32 | low);
}

/* Tell the core that this is a loop that waits. */
SHARED void pause(void) { __asm__ volatile("pause"); }

/* Rounding, and whether subnormal numbers are flushed to zero. */
SHARED long float_mode(void) {
    uint32_t mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    return mode;
}

SHARED void set_float_mode(long mode) {
    uint32_t low = (uint32_t)mode;
    __asm__ volatile("ldmxcsr %0" : : "m"(low));
}

/* ---- matrices ---- */

/* Ask for the tiles of AMX; 0 if they are granted. */
SHARED long prepare_matrices(void) {
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XTILEDATA = 18 };
    return system_call(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XTILEDATA, 0, 0, 0, 0);
}

/* ---- features ---- */

typedef struct {
    const char *name;
    uint32_t leaf, subleaf, place, bit, kept;
} Feature;

SHARED void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *out) {
    __asm__ volatile("cpuid" : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3]) : "a"(leaf), "c"(subleaf));
}

SHARED int says(uint32_t leaf, uint32_t subleaf, uint32_t place, uint32_t bit) {
    uint32_t out[4];
    cpuid(leaf & 0x80000000u, 0, out);
    if (out[0] < leaf) return 0; /* a leaf that the CPU does not have */
    if (subleaf) {
        cpuid(leaf, 0, out);
        if (out[0] < subleaf) return 0;
    }
    cpuid(leaf, subleaf, out);
    return out[place] >> bit & 1;
}

SHARED int has(const Feature *feature, const long *auxiliary) {
    enum { ECX = 2, OSXSAVE = 27 };
    uint32_t low = 0, high = 0; /* the registers that the system keeps */
    (void)auxiliary;
    if (says(1, 0, ECX, OSXSAVE)) __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if (feature->kept & ~low) return 0;
    return says(feature->leaf, feature->subleaf, feature->place, feature->bit);
}
