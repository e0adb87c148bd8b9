#ifndef MLC_H
#define MLC_H
/* What all models compiled by mlc share. They need nothing else: no library, no malloc, no state that changes. */

#include <stdint.h>

/* The types of tensor elements; a bool is one byte, 0 or 1. */
enum { MLC_F32 = 1, MLC_F64 = 2, MLC_I32 = 3, MLC_I64 = 4, MLC_BOOL = 5, MLC_I8 = 6 };

/* One input or output of a model: dense, row-major, aligned as its elements are. */
typedef struct {
    const char *name;
    int32_t dtype, rank;
    const int64_t *shape; /* `rank` extents */
} mlc_tensor_info;

#endif
