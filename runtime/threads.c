/* The default mlc_parallel_for: runs the loops of a model that are spread over threads.

   It is linked into an artifact if one of its kernels calls it, and it is weak: a program may bring its own (see mlc.h).
   It includes no header and links to nothing. Threads come from the C library that the process happens to have; where
   there is none, as in executables made by mlc, loops run on the calling thread.

   A pool of workers starts with the first loop. The caller opens a loop, works on it like everyone else, closes it when
   no index is left, and waits for the workers that are still inside. It never waits for a worker to *arrive*: one that
   comes late, or that does not exist, costs speed and nothing else. The order of calls and who makes them is not fixed,
   but each index is computed by one thread alone, so results have the same bits for any number of threads.

   The pool runs one loop at a time. A loop that finds it busy, because another thread of the program is in a loop or
   because this is a loop within a loop, runs on the calling thread.

   The header of the architecture stands in front of it. The compiler defines THREADS, the most threads that a loop may
   run on, the caller being one of them. */

#ifdef TRACED
/* Of trace.c. */
int64_t mlc_trace_start(void);
void mlc_trace_end(int64_t start, int32_t what);
#else
static int64_t mlc_trace_start(void) { return 0; }
static void mlc_trace_end(int64_t start, int32_t what) { (void)start, (void)what; }
#endif
enum { SHARE_OF_LOOP = -1, WAITING = -2 }; /* beside the numbers of kernels */

typedef void task_function(void *context, int64_t index);

/* Null if the process has no such function. */
__attribute__((weak)) int pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *),
                                         void *argument);

/* ---- the system ---- */

/* Sleep until `word` is woken, unless it is not `value` (any more). May return for no reason. */
static void sleep_on(_Atomic uint32_t *word, uint32_t value) {
    enum { WAIT_PRIVATE = 128 };
    system_call(SYS_futex, (long)word, WAIT_PRIVATE, value, 0 /* without a time limit */, 0, 0);
}

static void wake(_Atomic uint32_t *word, int64_t sleepers) {
    enum { WAKE_PRIVATE = 129 };
    system_call(SYS_futex, (long)word, WAKE_PRIVATE, sleepers, 0, 0, 0);
}

/* How many CPUs the calling thread may run on, as far as the kernel tells. */
static int available_cpus(void) {
    unsigned long mask[128]; /* one bit per CPU */
    long bytes = system_call(SYS_sched_getaffinity, 0, sizeof mask, (long)mask, 0, 0, 0);
    if (bytes <= 0) return THREADS;
    int count = 0;
    for (long i = 0; i < bytes / (long)sizeof *mask; i++) count += __builtin_popcountl(mask[i]);
    return count;
}

/* ---- the pool ---- */

enum {
    /* Pauses before a thread sleeps: some hundred microseconds. To wake it costs a tenth of that; but a system may wake it on
       the core of the thread that woke it, and leave both there for tens of milliseconds. */
    SPINS = 10000,
    OPEN = 1u << 30,   /* in `crowd`: workers may enter */
    ASLEEP = 1u << 29, /* in `crowd`: the caller sleeps until the last worker has left */
};

/* All atomic accesses are sequentially consistent. What different threads write often has cache lines of its own. */
static struct {
    _Atomic int holder; /* the process id of the thread that runs a loop, 0 if none does; guards all that is not atomic */
    int process;        /* the process that the workers live in */
    int workers;

    task_function *task; /* the loop, which stays as it is while a worker is inside */
    void *context;
    int64_t count;
    long float_mode;

    _Alignas(64) _Atomic int64_t next;   /* the first index that nobody has taken */
    _Alignas(64) _Atomic uint32_t crowd; /* how many workers are inside, and OPEN, and ASLEEP */
    _Alignas(64) _Atomic uint32_t opened; /* how many loops there have been; workers wait for it to change */
    _Atomic uint32_t sleepers;           /* how many workers sleep on `opened`, or are about to */
} pool;

/* `atomic` = `new` if it is `*expected`; else `*expected` becomes what it is. Tells which. */
#define REPLACE(atomic, expected, new) \
    __c11_atomic_compare_exchange_strong(atomic, expected, new, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* Take ranges of indices until none is left.

   A range is a share of what remains, so ranges are long at first and the threads end at about the same time: guided
   self-scheduling (Polychronopoulos and Kuck, IEEE Transactions on Computers, 1987), with a limit below which ranges do
   not shrink, so that their number does not depend on `count`. */
static void run_ranges(void) {
    int64_t shares = 2 * THREADS, shortest = pool.count / (16 * shares) + 1;
    int64_t first = pool.next, start = first < pool.count ? mlc_trace_start() : 0;
    while (first < pool.count) {
        int64_t left = pool.count - first, size = left / shares;
        if (size < shortest) size = shortest < left ? shortest : left;
        if (!REPLACE(&pool.next, &first, first + size)) continue;
        for (int64_t i = first; i < first + size; i++) pool.task(pool.context, i);
        first = pool.next;
    }
    mlc_trace_end(start, SHARE_OF_LOOP);
}

/* ---- workers ---- */

/* Wait until there has been another loop than the one numbered `seen`; returns the number of the newest. */
static uint32_t wait_for_loop(uint32_t seen) {
    for (int i = 0; i < SPINS; i++) {
        if (pool.opened != seen) return pool.opened;
        pause();
    }
    pool.sleepers++; /* before `opened` is read again: whoever changes it later sees a sleeper, and wakes */
    while (pool.opened == seen) sleep_on(&pool.opened, seen);
    pool.sleepers--;
    return pool.opened;
}

static int enter(void) {
    uint32_t crowd = pool.crowd;
    while (crowd & OPEN)
        if (REPLACE(&pool.crowd, &crowd, crowd + 1)) return 1;
    return 0;
}

static void leave(void) {
    if (--pool.crowd == ASLEEP) wake(&pool.crowd, 1);
}

static void *work(void *unused) {
    for (uint32_t seen = 0;;) {
        seen = wait_for_loop(seen);
        if (!enter()) continue;
        set_float_mode(pool.float_mode); /* that of the caller, which it may have changed since the worker started */
        run_ranges();
        leave();
    }
    return unused;
}

/* ---- callers ---- */

enum { SETMASK = 2, SIGILL = 4, SIGTRAP = 5, SIGBUS = 7, SIGFPE = 8, SIGSEGV = 11 };
enum { FIRST_OF_LIBC = 32, LAST_OF_LIBC = 34 };
#define MASK_OF(signal) (1ull << ((signal) - 1))

/* What workers leave to the threads of the program: all but the signals of a fault, which are for the thread that made
   it, and those by which C libraries tell all threads of a new user, for instance. */
static unsigned long long blocked_signals(void) {
    unsigned long long spared = MASK_OF(SIGILL) | MASK_OF(SIGTRAP) | MASK_OF(SIGBUS) | MASK_OF(SIGFPE) | MASK_OF(SIGSEGV);
    for (int signal = FIRST_OF_LIBC; signal <= LAST_OF_LIBC; signal++) spared |= MASK_OF(signal);
    return ~spared;
}

/* Workers inherit the CPUs of the caller, and a mask of signals that is set while they are started. */
static void start_workers(void) {
    pool.workers = 0;
    pool.crowd = pool.sleepers = 0;
    int cpus = available_cpus(), wanted = (cpus < THREADS ? cpus : THREADS) - 1;
    unsigned long long blocked = blocked_signals(), before = 0;
    system_call(SYS_rt_sigprocmask, SETMASK, (long)&blocked, (long)&before, sizeof before, 0, 0);
    for (; pool.workers < wanted; pool.workers++) {
        unsigned long thread;
        if (pthread_create(&thread, 0, work, 0) != 0) break; /* then it is fewer */
    }
    system_call(SYS_rt_sigprocmask, SETMASK, (long)&before, 0, sizeof before, 0, 0);
}

/* Returns 0 if the pool is busy. */
static int acquire_pool(void) {
    int process = (int)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0), holder = pool.holder;
    /* After fork() a child has a copy of the pool, but no workers, nor the thread of the parent that may have held it. */
    if (holder == process || !REPLACE(&pool.holder, &holder, process)) return 0;
    if (pool.process != process) {
        start_workers();
        pool.process = process;
    }
    return 1;
}

static void release_pool(void) { pool.holder = 0; }

static void open_loop(task_function *task, void *context, int64_t count) {
    pool.task = task;
    pool.context = context;
    pool.count = count;
    pool.float_mode = float_mode();
    pool.next = 0;
    pool.crowd = OPEN;
    pool.opened++;
    if (pool.sleepers) wake(&pool.opened, count - 1 < pool.workers ? count - 1 : pool.workers);
}

/* Let no worker enter any more, and wait until all have left. */
static void close_loop(void) {
    pool.crowd &= ~(uint32_t)OPEN;
    for (int i = 0; i < SPINS; i++) {
        if (pool.crowd == 0) return;
        pause();
    }
    uint32_t crowd = pool.crowd |= ASLEEP;
    for (; crowd != ASLEEP; crowd = pool.crowd) sleep_on(&pool.crowd, crowd);
}

__attribute__((weak)) void mlc_parallel_for(task_function *task, void *context, int64_t count) {
    if (count > 1 && pthread_create && acquire_pool()) {
        open_loop(task, context, count);
        run_ranges();
        int64_t start = mlc_trace_start();
        close_loop();
        mlc_trace_end(start, WAITING);
        release_pool();
    } else {
        for (int64_t i = 0; i < count; i++) task(context, i);
    }
}
