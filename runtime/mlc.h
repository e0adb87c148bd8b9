#ifndef MLC_H
#define MLC_H
/* What all models compiled by mlc share. They need nothing else: no library, no malloc, and, threads excepted, no state
   that changes. */

#include <stdint.h>

/* The types of tensor elements; a bool is one byte, 0 or 1.

   Floats of 8 bits, and all elements of less, are codes in a uint8_t each: an int4 is in the low four bits, of which the
   highest is its sign, and the other bits are 0. The names of floats say how many bits exponent and mantissa have; FN:
   no infinities, UZ: no negative zero, U: no sign. */
enum {
    MLC_F32 = 1,
    MLC_F64 = 2,
    MLC_I32 = 3,
    MLC_I64 = 4,
    MLC_BOOL = 5,
    MLC_I8 = 6,
    MLC_I16 = 7,
    MLC_U8 = 8,
    MLC_U16 = 9,
    MLC_U32 = 10,
    MLC_U64 = 11,
    MLC_F16 = 12,
    MLC_BF16 = 13,
    MLC_F8_E4M3FN = 14,
    MLC_F8_E4M3FNUZ = 15,
    MLC_F8_E5M2 = 16,
    MLC_F8_E5M2FNUZ = 17,
    MLC_F8_E8M0FNU = 18,
    MLC_F6_E2M3FN = 19,
    MLC_F6_E3M2FN = 20,
    MLC_F4_E2M1FN = 21,
    MLC_I4 = 22,
    MLC_U4 = 23,
    MLC_I2 = 24,
    MLC_U2 = 25,
    MLC_F8_E4M3 = 26,
    MLC_F8_E4M3B11FNUZ = 27,
    MLC_F8_E3M4 = 28
};

/* One input or output of a model: dense, row-major, aligned as its elements are. */
typedef struct {
    const char *name;
    int32_t dtype, rank;
    const int64_t *shape; /* `rank` extents: of the room that it needs */
    /* NULL where all of it is data. Of an output that is as long as data says: for each dim the place of the output, one
       int64_t, that holds the actual extent after a call, or -1 where `shape` says it. Elements stay where they are in
       `shape`; what lies behind the actual extents is undefined. Of an input that is as long as callers say the same,
       with the place of the input that holds the extent. */
    const int32_t *extents;
} mlc_tensor_info;

/* What the function of a model that was compiled for several shapes gives for one that is none of these. */
enum { MLC_NO_VARIANT = -1 };

#ifdef __cplusplus
extern "C" {
#endif

/* How a model compiled with --threads N spreads a loop over threads: calls task(context, i) once for each i from 0 to
   count - 1, in any order, on any threads, and returns when all calls have.

   Such a model brings a definition: a pool of N threads at most, the caller included, and never more than the CPUs that
   the first caller may use. It starts with the first loop and stays; a process made by fork() starts its own. While it
   is busy, loops of other callers run on their own threads. Without a pthread_create in the process, all do.

   To use another pool, define this function: in the program that model.o is linked into, or in the program that loads
   model.so (exported, as by -rdynamic). Results do not depend on it. */
void mlc_parallel_for(void (*task)(void *context, int64_t index), void *context, int64_t count);

/* What a model compiled with --instrument kernels records: when a kernel ran, and on which thread. */
typedef struct {
    int64_t start, end; /* in the unit of mlc_trace_ticks */
    int32_t what;       /* a number in the list "kernels" of the model's signature; -1 for a thread's share of a loop, -2 for
                           the wait until the other threads are done with theirs */
    int32_t thread;
} mlc_trace_event;

/* Of such models: record the next `capacity` events in `events`, or with NULL nothing any more, as at the start; tell how
   many there have been since; the time of now. Not while a model runs. In a program that several such model.o are linked
   into, they are those of the first. */
void mlc_trace_to(mlc_trace_event *events, int64_t capacity);
int64_t mlc_trace_count(void);
int64_t mlc_trace_ticks(void);

#ifdef __cplusplus
}
#endif

#endif
