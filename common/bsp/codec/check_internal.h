/* Inside common/bsp: what the checks of the formats share. */
#ifndef BSP_CODEC_CHECK_INTERNAL_H
#define BSP_CODEC_CHECK_INTERNAL_H

#include <math.h>

#include "common/bsp/bsp.h"
#include "common/core/array.h"
#include "common/diag/diag.h"

enum {
    FAULTS_MAX = 8, /* told of; a damaged file has thousands */
    CLUSTERS_MAX = 65536,
    COORDINATE_MAX = 1 << 30, /* of luxels and boxes: sums of two fit 32 bits */
    SHARES_MAX = 16,
    SHARES_FREE = 65536,
};

struct checker {
    const struct bsp *bsp;
    struct diag *diag;
    struct diag_where where;
    int faults;
    int64_t spanned; /* by the spans of one list since the last call of shared */
};

static inline bool told_enough(struct checker *checker)
{
    return checker->faults++ >= FAULTS_MAX;
}

/* least <= value < end */
static inline void range(struct checker *checker, const char *what, size_t index, const char *field,
                         int64_t value, int64_t min, int64_t end)
{
    if ((value >= min && value < end) || told_enough(checker))
        return;
    diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                "%s %zu: %s is %lld, which is not in %lld..%lld", what, index, field,
                (long long)value, (long long)min, (long long)end - 1);
}

static inline void check_indices(struct checker *checker, const char *what, const int32_t *indices,
                                 size_t length)
{
    for (size_t i = 0; i < arrlenu(indices); i++)
        range(checker, what, i, "what it names", indices[i], 0, (int64_t)length);
}

/* A part of a list of `length`. Where it is empty, its start means nothing. */
static inline void span(struct checker *checker, const char *what, size_t index, const char *field,
                        int64_t first, int64_t count, size_t length)
{
    checker->spanned += count > 0 ? count : 0;
    if (!count || (first >= 0 && count > 0 && first + count <= (int64_t)length) ||
        told_enough(checker))
        return;
    diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                "%s %zu: its %s are %lld from %lld on; there are %zu", what, index, field,
                (long long)count, (long long)first, length);
}

/* Lists may be shared, but what following all spans of a list costs is bounded by its length, or a
 * small file could take hours. Valve's tools share nothing. */
static inline void shared(struct checker *checker, const char *what, size_t length)
{
    int64_t max = (int64_t)length * SHARES_MAX + SHARES_FREE;
    if (checker->spanned > max && !told_enough(checker))
        diag_report(checker->diag, DIAG_BSP_RANGE, &checker->where,
                    "%lld %s are named, many times the %zu that there are",
                    (long long)checker->spanned, what, length);
    checker->spanned = 0;
}

/* Each record of the array has a part of a list. */
#define SPANS(checker, what, array, first, count, field, length)                                   \
    do {                                                                                           \
        for (size_t at = 0; at < arrlenu(array); at++)                                             \
            span(checker, what, at, field, (array)[at].first, (array)[at].count, length);          \
        shared(checker, field, length);                                                            \
    } while (0)

static inline void finite(struct checker *checker, const char *what, size_t index,
                          const float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isfinite(numbers[i]))
            continue;
        if (!told_enough(checker))
            diag_report(checker->diag, DIAG_BSP_NUMBER, &checker->where,
                        "%s %zu: number %zu of it is not finite", what, index, i);
        return;
    }
}

static inline void list_length(struct checker *checker, const char *what, size_t length,
                               const char *of, size_t expected)
{
    if (!length || length == expected || told_enough(checker))
        return;
    diag_report(checker->diag, DIAG_BSP_LUMP, &checker->where, "there are %zu %s, but %zu %s",
                length, what, expected, of);
}

/* What planes, nodes and models of both families need, but for boxes, areas and lists. */
static inline void check_plane_records(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (size_t i = 0; i < arrlenu(bsp->planes); i++) {
        finite(checker, "plane", i, bsp->planes[i].normal, 3);
        finite(checker, "plane", i, &bsp->planes[i].dist, 1);
    }
}

static inline void check_node_record(struct checker *checker, size_t i)
{
    const struct bsp *bsp = checker->bsp;
    const struct bsp_node *node = &bsp->nodes[i];
    range(checker, "node", i, "plane", node->plane, 0, arrlen(bsp->planes));
    for (int k = 0; k < 2; k++)
        range(checker, "node", i, "child", node->children[k], -arrlen(bsp->leaves),
              arrlen(bsp->nodes));
}

static inline void check_model_records(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    if (!arrlen(bsp->models) && !told_enough(checker))
        diag_report(checker->diag, DIAG_BSP_LUMP, &checker->where,
                    "there is no model of the world");
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        range(checker, "model", i, "head node", model->head_node, -arrlen(bsp->leaves),
              arrlen(bsp->nodes));
        finite(checker, "model", i, model->mins, 3);
        finite(checker, "model", i, model->maxs, 3);
        finite(checker, "model", i, model->origin, 3);
    }
}

/* Each node has one parent at most and none is below itself, so that every walk down ends, and a
 * walk over all below a node takes no more steps than there are nodes. Children are in range. */
void check_tree(struct checker *checker);

#endif
