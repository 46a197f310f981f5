/* Growable arrays and hash maps: stb_ds over our allocator.
 *
 * An array is a plain pointer, NULL when empty: arrput, arrlen, arrlenu, arrsetlen, arrfree ...
 * (see stb_ds.h). Arrays live on the heap and are freed by their owner. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include "common/core/memory.h"

#define STBDS_REALLOC(context, block, size) memory_realloc(block, size)
#define STBDS_FREE(context, block)          memory_free(block)
#include <stb/stb_ds.h>

#endif
