/* Growable arrays and hash maps: stb_ds with our allocator.
 *
 * An array is a plain pointer, NULL when empty: arrput, arrlen, arrlenu, arrsetlen, arrfree ...
 * (see stb_ds.h). Arrays live on the heap and are freed by their owner. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include <string.h>

#include "common/core/memory.h"

#define STBDS_REALLOC(context, block, size) memory_realloc(block, size)
#define STBDS_FREE(context, block)          memory_free(block)
#ifdef __STRICT_ANSI__
#define typeof __typeof__ /* its maps use it to take the address of a key */
#endif
#include <stb/stb_ds.h>

/* Redefined because stb_ds multiplies signed and unsigned numbers, which our warnings reject. */
#undef stbds_arrdeln
#define stbds_arrdeln(a, i, n)                                                                     \
    (memmove(&(a)[i], &(a)[(i) + (n)],                                                             \
             sizeof *(a) * (stbds_header(a)->length - (size_t)(n) - (size_t)(i))),                 \
     stbds_header(a)->length -= (size_t)(n))
#undef stbds_arrinsn
#define stbds_arrinsn(a, i, n)                                                                     \
    (stbds_arrsetlen((a), stbds_arrlenu(a) + (size_t)(n)),                                         \
     memmove(&(a)[(i) + (n)], &(a)[i],                                                             \
             sizeof *(a) * (stbds_header(a)->length - (size_t)(n) - (size_t)(i))))

/* Access to an stb_ds array of any type, by the address of its pointer. */
size_t array_length(const void *pointer_address);
const void *array_data(const void *pointer_address);
/* Sets the array to `count` zeroed records of `size` bytes; returns the records. */
void *array_make(void *pointer_address, size_t count, size_t size);
void array_drop(void *pointer_address); /* frees it; empty afterwards */

#endif
