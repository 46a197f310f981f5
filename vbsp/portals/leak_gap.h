/* Gaps on a leak path: connected portals between leaves, joined where the tree cuts them up. */
#ifndef VBSP_PORTALS_LEAK_GAP_H
#define VBSP_PORTALS_LEAK_GAP_H

#include "common/diag/diag_property.h"
#include "vbsp/portals/leak_path.h"

/* Polygons of one plane that touch each other, with nothing solid between them. */
struct leak_gap {
    struct vec3 center;      /* centroid, or the centre of the path's own portal if the centroid is
                                outside of the gap */
    double area;             /* square units */
    double width, height;    /* of the bounding box on its plane, the longer first */
    struct portal **portals; /* stb_ds array */
};

/* Finds the narrowest gap that contains any of the portals; portals to the outside do not count.
 * The search must pass into both leaves of each portal of a gap. False when there is none. Free
 * with leak_gap_free. */
bool leak_gap_narrowest(const struct compile *compile, struct tree *tree,
                        const struct leak_path_search *search, struct portal *const *portals,
                        struct leak_gap *out);
/* Finds the first gap that is the only path from `leaf` to the end: closing it leaves none.
 * Narrower gaps may come after it; before it, in the void, there is always another path around.
 * `portals` begin at a portal of `end`. False when there is none. */
bool leak_gap_only_path(const struct compile *compile, struct tree *tree,
                        const struct leak_path_search *search, struct portal *const *portals,
                        struct node *leaf, const struct node *end, struct leak_gap *out);

/* Makes a gap of one portal alone. */
void leak_gap_of_portal(const struct compile *compile, struct portal *portal, struct leak_gap *out);
void leak_gap_free(struct leak_gap *gap);

/* True if a solid with these contents adjoins the gap; gaps in the void have none. */
bool leak_gap_has_rim(const struct compile *compile, const struct leak_gap *gap, int contents);

/* "32 x 16 units (512 square units) at 0 64 128, next to solids 12, 14 and 15; solid 16 fills it,
 * but a func_detail does not seal". Solids with these contents are listed. */
const char *leak_gap_text(const struct compile *compile, const struct leak_gap *gap, int contents,
                          struct arena *arena);

/* Appends the same as properties of the message (an stb_ds array), with what they hold in the
 * arena. is_only: closing the gap seals the entity in. */
void leak_gap_attach(const struct compile *compile, const struct leak_gap *gap, int contents,
                     bool is_only, struct arena *arena, struct diag_property **out);

#endif
