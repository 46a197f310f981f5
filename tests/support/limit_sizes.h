/* BSPs with as many of something as a limit is tried with. */
#ifndef TESTS_LIMIT_SIZES_H
#define TESTS_LIMIT_SIZES_H

#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/limit_report.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "tests/support/suite.h"

/* How much of a limit of the format the BSP uses. */
static inline int64_t limit_use_of(const struct bsp *bsp, const struct bsp_format *format,
                                   size_t index)
{
    int64_t used[64];
    assert_in_range(format->limit_count, 1, 64);
    bsp_limit_use(bsp, format, used);
    return used[index];
}

/* Makes an stb_ds array `count` records long: those that it has, and zeros after them. Returns the
 * records. */
static inline unsigned char *limit_grow_list(void *list, size_t count, size_t size)
{
    const size_t had = array_length(list);
    unsigned char *old = memory_zalloc(had + 1, size);
    if (had)
        memcpy(old, array_data(list), had * size);
    array_drop(list);
    unsigned char *records = array_make(list, count, size);
    if (had)
        memcpy(records, old, had * size);
    memory_free(old);
    return records;
}

#endif
