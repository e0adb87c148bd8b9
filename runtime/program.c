/* What programs around a model share: text for people, the CPU, memory, the clock. They need no C library: Linux system calls
   only.

   The header of the architecture stands in front of it. The compiler defines CPU, for which the model was compiled, and
   FEATURES, what it needs of one (see that header). */

__asm__(ENTRY_POINT);

enum { EINTR = 4 };

__attribute__((noreturn)) static void leave(int status) {
    for (;;) system_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

/* ---- text ---- */

static uint64_t length(const char *text) {
    uint64_t n = 0;
    while (text[n]) n++;
    return n;
}

SHARED int equal(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

static int write_all(int file, const char *data, uint64_t size) {
    while (size > 0) {
        long n = system_call(SYS_write, file, (long)data, (long)size, 0, 0, 0);
        if (n == -EINTR) continue;
        if (n <= 0) return 0;
        data += n;
        size -= (uint64_t)n;
    }
    return 1;
}

static void say(const char *text) { write_all(2, text, length(text)); }

SHARED void say_number(uint64_t value) {
    char digits[21], *p = digits + 20;
    *p = 0;
    do *--p = (char)('0' + value % 10);
    while (value /= 10);
    say(p);
}

__attribute__((noreturn)) static void fail(const char *message) {
    say("error: ");
    say(message);
    say("\n");
    leave(1);
}

/* ---- the CPU ---- */

static const Feature features[] = FEATURES;

/* What the kernel tells a process stands behind its arguments and its environment. */
static void require_features(const long *stack) {
    const long *auxiliary = stack + 1 + stack[0] + 1;
    int missing = 0;
    while (*auxiliary) auxiliary++;
    auxiliary++;
    for (uint64_t i = 0; i < sizeof features / sizeof *features; i++) {
        if (has(&features[i], auxiliary)) continue;
        say(missing++ ? ", " : "error: the model was compiled for " CPU " and needs ");
        say(features[i].name);
    }
    if (!missing) return;
    say(", which this CPU does not have\n");
    leave(1);
}

/* ---- the system ---- */

static void *allocate(uint64_t size) {
    enum { READ_WRITE = 3, PRIVATE_ANONYMOUS = 0x22 };
    long address = system_call(SYS_mmap, 0, (long)(size ? size : 1), READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
    if (address < 0 && address > -4096) fail("out of memory");
    return (void *)address;
}

SHARED uint64_t now(void) {
    enum { MONOTONIC = 1 };
    int64_t time[2];
    system_call(SYS_clock_gettime, MONOTONIC, (long)time, 0, 0, 0, 0);
    return (uint64_t)time[0] * 1000000000u + (uint64_t)time[1];
}
