/* A target with lower limits, so that small maps pass them. */
#ifndef TESTS_TIGHT_FORMAT_H
#define TESTS_TIGHT_FORMAT_H

#include <string.h>

#include "common/bsp/codec/format.h"

/* A format whose limits a test may lower. */
struct tight {
    struct bsp_format format;
    struct bsp_limit limits[64];
};

static inline void tight_init(struct tight *tight, const char *target)
{
    tight->format = *bsp_format_find(target);
    assert_in_range(tight->format.limit_count, 1, 64);
    for (size_t i = 0; i < tight->format.limit_count; i++)
        tight->limits[i] = *bsp_limit_at(&tight->format, i);
    tight->format.limits = tight->limits;
    tight->format.own_limit_count = 0;
}

static inline struct bsp_limit *tight_limit(struct tight *tight, const char *name)
{
    for (size_t i = 0; i < tight->format.limit_count; i++)
        if (strcmp(tight->limits[i].name, name) == 0)
            return &tight->limits[i];
    fail_msg("no limit %s", name);
    return NULL;
}

/* A map with more fails. */
static inline void tighten(struct tight *tight, const char *name, int64_t maximum)
{
    tight_limit(tight, name)->maximum = tight_limit(tight, name)->accepted = maximum;
}

/* The use of a limit by a bsp. */
static inline int64_t tight_use(const struct tight *tight, const struct bsp *bsp, const char *name)
{
    int64_t used[64];
    bsp_limit_use(bsp, &tight->format, used);
    return used[tight_limit((struct tight *)tight, name) - tight->limits];
}

#endif
