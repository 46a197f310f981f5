/* What two BSPs say differently, whatever the order of their records, the version of the format and
 * the way that the lumps are packed.
 *
 * Records are matched by what they are (planes, polygons, places, names, the editor's numbers) and
 * compared within tolerances; indices are followed, never compared. A section is one kind of
 * thing. */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/diag/diag.h"

struct bsp_diff_options {
    double distance; /* units: places nearer than this are one */
    double light;    /* share of a colour's brightest part: less is no difference */
    size_t limit;    /* examples a section */
    int samples;     /* points, where there is nothing to match */
    uint64_t seed;   /* of those points */
    uint64_t only;   /* bit n: compare section n; 0: all */
};

/* 0.1 units, 1 %, 10 examples, 10000 points. */
struct bsp_diff_options bsp_diff_defaults(void);

struct bsp_diff_figure {
    const char *name; /* in small letters, with `_` between words */
    double value;
};

struct bsp_diff_section {
    const char *name;                /* "faces"; as bsp_diff_section_name has it */
    int64_t count[2];                /* of things in A and in B */
    int64_t differing;               /* only in A, only in B, or not alike; 0: the same */
    struct bsp_diff_figure *figures; /* stb_ds array, in a fixed order; those that are not 0 */
    const char **examples;           /* stb_ds array of one line each; names are as files have them,
                                        control characters too */
};

/* Zero-initialise; free with bsp_diff_free. */
struct bsp_diff {
    struct bsp_diff_section *sections; /* stb_ds array */
    struct arena arena;                /* the texts */
};

/* The sections in the order of the result; NULL after the last. At most 64. */
const char *bsp_diff_section_name(size_t index);

/* Compares two BSPs, both as bsp_decode gives them or sound by its checks. Of files of two families
 * (VBSP and IBSP) only what both have is compared. `names` are those of the files, for messages.
 * Fails, with nothing in *out, when entities cannot be parsed. An archive or a game lump that
 * cannot be taken apart is compared by its bytes. Time is n log n in the
 * number of records: of many things in one place only some hundreds are compared. */
NODISCARD enum status bsp_diff(const struct bsp *a, const struct bsp *b, const char *const names[2],
                               const struct bsp_diff_options *options, struct diag *diag,
                               struct bsp_diff *out);
void bsp_diff_free(struct bsp_diff *diff);

bool bsp_diff_is_same(const struct bsp_diff *diff);

#endif
