/* Compares two BSPs by content, independent of the order of records, the version of the format and
 * the compression of lumps.
 *
 * Records are matched by their contents (planes, polygons, positions, names, Hammer's ids) and
 * compared within tolerances; indices are followed, never compared. A section is one kind of
 * object. */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

struct bsp_diff_options {
    double distance; /* units: positions closer than this are equal */
    double light;  /* fraction of a colour's brightest component: smaller differences are ignored */
    size_t limit;  /* maximum number of examples per section */
    int samples;   /* number of sample points, where there is nothing to match */
    uint64_t seed; /* seed of the sample points */
    uint64_t only; /* bit n: compare section n; 0: all */
};

/* Returns 0.1 units, 1 %, 10 examples, 10000 points. */
struct bsp_diff_options bsp_diff_defaults(void);

struct bsp_diff_figure {
    const char *name; /* lower case, with `_` between words */
    double value;
};

struct bsp_diff_section {
    const char *name;                /* "faces"; a name of bsp_diff_section_name */
    int64_t count[2];                /* number of objects in A and in B */
    int64_t differing;               /* only in A, only in B, or different; 0: equal */
    struct bsp_diff_figure *figures; /* stb_ds array, in a fixed order; those other than 0 */
    const char **examples; /* stb_ds array of lines; names are as the files have them, including
                              control characters */
};

enum bsp_diff_change {
    BSP_DIFF_ADDED,
    BSP_DIFF_REMOVED,
    BSP_DIFF_MOVED,   /* nothing but its origin differs */
    BSP_DIFF_CHANGED, /* keys differ; its origin may */
    BSP_DIFF_CHANGES
};

/* An entity that differs. */
struct bsp_diff_entity {
    enum bsp_diff_change change;
    const char *class, *name; /* of B, or of A if removed; "" when there is none */
    bool has_origin[2];
    struct vec3 origin[2]; /* in A and in B */
    const char *keys;      /* of CHANGED: "speed \"100\" to \"200\", angle ...": the first ones */
    size_t key_count;      /* that differ */
};

/* Zero-initialise; free with bsp_diff_free. */
struct bsp_diff {
    struct bsp_diff_section *sections; /* stb_ds array */
    struct bsp_diff_entity *entities;  /* stb_ds array, of the section of that name: first those of
                                          A in its order, then those that only B has */
    struct arena arena;                /* the texts */
};

/* Returns the sections in the order of the result; NULL after the last. At most 64. */
const char *bsp_diff_section_name(size_t index);

/* Compares two BSPs, which bsp_decode returned or its checks accept. Between families (VBSP and
 * IBSP) only the common parts are compared. `names` are those of the files, for messages. Fails,
 * with *out empty, when entities cannot be parsed. An archive or a game lump that cannot be decoded
 * is compared by its bytes. Time is n log n in the number of records: of many objects at one
 * position only some hundreds are compared. */
NODISCARD enum status bsp_diff(const struct bsp *a, const struct bsp *b, const char *const names[2],
                               const struct bsp_diff_options *options, struct diag *diag,
                               struct bsp_diff *out);
void bsp_diff_free(struct bsp_diff *diff);

bool bsp_diff_is_same(const struct bsp_diff *diff);

#endif
