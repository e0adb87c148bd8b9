/* memcpy, memmove and memset for artifacts that link to no C library. LLVM may call them for large copies.
   Compiled with -ffreestanding, so that these loops are vectorised and do not become calls of themselves. */

typedef __SIZE_TYPE__ size_t;

#define LOCAL __attribute__((weak, visibility("hidden")))

LOCAL void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    char *restrict t = to;
    const char *restrict f = from;
    for (size_t i = 0; i < size; i++) t[i] = f[i];
    return to;
}

LOCAL void *memmove(void *to, const void *from, size_t size) {
    char *t = to;
    const char *f = from;
    if (t <= f)
        for (size_t i = 0; i < size; i++) t[i] = f[i];
    else
        for (size_t i = size; i > 0; i--) t[i - 1] = f[i - 1];
    return to;
}

LOCAL void *memset(void *to, int value, size_t size) {
    char *t = to;
    for (size_t i = 0; i < size; i++) t[i] = (char)value;
    return to;
}
