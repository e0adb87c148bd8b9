/* Records when kernels run, and on which threads: a part of artifacts that are compiled with `--instrument kernels`.

   Nothing is recorded before somebody gives memory for it (see mlc.h): until then a kernel costs a load and a branch more. It
   includes no header and links to nothing; the header of the architecture stands in front of it. */

typedef struct {
    int64_t start, end; /* ticks */
    int32_t what;       /* the number of a kernel in the model's signature, or what threads.c says */
    int32_t thread;     /* as the system numbers them */
} Event;

static struct {
    Event *_Atomic events; /* null: nothing is recorded */
    int64_t capacity;
    _Atomic int64_t count; /* how many there were, with those that found no room */
} trace;

/* 0 if nothing is recorded. */
__attribute__((weak, visibility("hidden"))) int64_t mlc_trace_start(void) { return trace.events ? ticks() : 0; }

__attribute__((weak, visibility("hidden"))) void mlc_trace_end(int64_t start, int32_t what) {
    Event *events = trace.events;
    if (!events || !start) return;
    int64_t end = ticks(), place = trace.count++;
    if (place >= trace.capacity) return;
    int32_t thread = (int32_t)system_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
    events[place] = (Event){start, end, what, thread};
}

__attribute__((weak)) void mlc_trace_to(void *events, int64_t capacity) {
    trace.events = 0;
    trace.count = 0;
    trace.capacity = capacity;
    trace.events = events;
}

__attribute__((weak)) int64_t mlc_trace_count(void) { return trace.count; }

__attribute__((weak)) int64_t mlc_trace_ticks(void) { return ticks(); }
