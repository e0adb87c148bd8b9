/* What the C of all architectures begins with: types, for there is no C library to have them. */

#define SHARED __attribute__((unused)) static

typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;

/* A feature of the CPU that the kernel tells in the auxiliary vector: an entry's key, and a bit of its value. For an
   architecture that says HAS_AUXILIARY_FEATURES. */
#define HAS_AUXILIARY_FEATURES \
    typedef struct { \
        const char *name; \
        uint32_t key, bit; \
    } Feature; \
    SHARED int has(const Feature *feature, const long *auxiliary) { \
        for (; auxiliary[0]; auxiliary += 2) \
            if (auxiliary[0] == (long)feature->key) return (int)((uint64_t)auxiliary[1] >> feature->bit & 1); \
        return 0; \
    }
