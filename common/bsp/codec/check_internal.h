/* Internal to common/bsp: shared by the checks of the formats. */
#ifndef BSP_CODEC_CHECK_INTERNAL_H
#define BSP_CODEC_CHECK_INTERNAL_H

#include <math.h>

#include "common/bsp/bsp.h"
#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/diag/diag.h"

enum {
    FAULTS_SHOWN = 8, /* reported at most; a damaged file has thousands */
    CLUSTERS_MAX = 65536,
    SHARES_MAX = 16,
    SHARES_FREE = 65536,
};

struct checker {
    const struct bsp *bsp;
    struct diag *diag;
    struct diag_where where;
    int faults;
    int64_t spanned; /* elements covered by the spans of one list since the last call of shared */
};

static inline bool fault_limit_reached(struct checker *checker)
{
    return checker->faults++ >= FAULTS_SHOWN;
}

/* Report a value, a range of a list, or a number that is not finite, up to the limit of faults. */
void range_fault(struct checker *checker, const char *what, size_t index, const char *field,
                 int64_t value, int64_t min, int64_t end);
void span_fault(struct checker *checker, const char *what, size_t index, const char *field,
                int64_t first, int64_t count, size_t length);
void number_fault(struct checker *checker, const char *what, size_t index, size_t at);

/* Checks min <= value < end. */
static inline void range(struct checker *checker, const char *what, size_t index, const char *field,
                         int64_t value, int64_t min, int64_t end)
{
    if (value < min || value >= end)
        range_fault(checker, what, index, field, value, min, end);
}

static inline void check_indices(struct checker *checker, const char *what, const int32_t *indices,
                                 size_t length)
{
    for (size_t i = 0; i < arrlenu(indices); i++)
        range(checker, what, i, "index", indices[i], 0, (int64_t)length);
}

/* Checks a range of a list of `length`. The start of an empty range is not checked. */
static inline void span(struct checker *checker, const char *what, size_t index, const char *field,
                        int64_t first, int64_t count, size_t length)
{
    checker->spanned += count > 0 ? count : 0;
    if (count && (first < 0 || count < 0 || first + count > (int64_t)length))
        span_fault(checker, what, index, field, first, count, length);
}

/* Checks that the ranges of a list do not cover more than a few times its length. Lists may be
 * shared, but following all ranges must not take long: a small file could take hours. Valve's tools
 * share nothing. */
void shared(struct checker *checker, const char *what, size_t length);

/* Checks the ranges of a list that the records of an array have. */
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
        number_fault(checker, what, index, i);
        return;
    }
}

/* Checks shared by both families, for planes, nodes and models, without boxes, areas and lists. */
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

void check_model_records(struct checker *checker);

/* Checks that each node has at most one parent and is not below itself, so that every walk down
 * ends and a walk over all nodes below a node takes no more steps than there are nodes. Children
 * are in range. */
void check_tree(struct checker *checker);

#endif
