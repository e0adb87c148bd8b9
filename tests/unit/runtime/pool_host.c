/* A program around mlc_parallel_for, for test_threads.py: tasks that show which threads call them, and when. */

typedef __INT64_TYPE__ int64_t;

void mlc_parallel_for(void (*task)(void *context, int64_t index), void *context, int64_t count);

static void count_call(void *counts, int64_t index) { __atomic_fetch_add((int64_t *)counts + index, 1, __ATOMIC_RELAXED); }

/* counts[i]++ for each i. */
void count_calls(int64_t *counts, int64_t count) { mlc_parallel_for(count_call, counts, count); }

struct rows {
    int64_t *counts, width;
};

static void count_row(void *context, int64_t row) {
    struct rows *rows = context;
    count_calls(rows->counts + row * rows->width, rows->width);
}

/* The same with a loop in a loop. */
void count_nested(int64_t *counts, int64_t height, int64_t width) {
    struct rows rows = {counts, width};
    mlc_parallel_for(count_row, &rows, height);
}

struct meeting {
    int64_t people, patience;
    volatile int64_t met;
};

static void meet(void *context, int64_t index) {
    struct meeting *meeting = context;
    (void)index;
    int64_t arrived = __atomic_add_fetch(&meeting->met, 1, __ATOMIC_SEQ_CST);
    for (int64_t i = 0; arrived < meeting->people && meeting->met < meeting->people && i < meeting->patience; i++)
        ;
    if (meeting->met < meeting->people) __atomic_fetch_sub(&meeting->met, 1, __ATOMIC_SEQ_CST);
}

/* Whether `people` calls are ever under way at the same time: each waits for the others, with limited patience. */
int can_meet(int64_t people, int64_t patience) {
    struct meeting meeting = {people, patience, 0};
    mlc_parallel_for(meet, &meeting, people);
    return meeting.met == people;
}

#if defined(__x86_64__)

static unsigned float_mode(void) {
    unsigned mode;
    __asm__ volatile("stmxcsr %0" : "=m"(mode));
    return mode;
}

static void set_float_mode(unsigned mode) { __asm__ volatile("ldmxcsr %0" : : "m"(mode)); }

struct modes {
    struct meeting meeting;
    unsigned seen[2];
};

static void see_mode(void *context, int64_t index) {
    struct modes *modes = context;
    modes->seen[index] = float_mode() & ~0x3Fu; /* without the flags that computations leave */
    meet(&modes->meeting, index);
}

/* Whether two threads compute in the floating-point mode of the caller; -1 if it was one thread. */
int shares_float_mode(unsigned mode) {
    unsigned before = float_mode();
    struct modes modes = {{2, 1 << 30, 0}, {0, 0}};
    set_float_mode(mode);
    mlc_parallel_for(see_mode, &modes, 2);
    set_float_mode(before);
    return modes.meeting.met < 2 ? -1 : modes.seen[0] == mode && modes.seen[1] == mode;
}

#endif
