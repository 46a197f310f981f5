/* What a way squeezes through: openings between leaves, whole, though the tree cuts them up. */
#ifndef VBSP_PORTALS_LEAK_GAP_H
#define VBSP_PORTALS_LEAK_GAP_H

#include "vbsp/portals/leak_path.h"

/* Polygons of one plane that touch each other, with nothing solid between them. */
struct leak_gap {
    struct vec3 center;      /* mean by area, or where that is no part of it, the way's own part */
    double area;             /* square units */
    double width, height;    /* of the least box around it, the longer first, on its plane */
    struct portal **portals; /* stb_ds array: its parts */
};

/* The narrowest of those that the portals are parts of; portals to the outside are none. False when
 * there is none. Both leaves of each part must be such that the search passes into them. Free with
 * leak_gap_free. */
bool leak_gap_narrowest(const struct compile *compile, struct tree *tree,
                        const struct leak_path_search *search, struct portal *const *portals,
                        struct leak_gap *out);
/* The first of them that is the only way from `leaf` to where they lead: with it closed there is
 * none left. Narrower places may come after it; before it, in the void, there is always another way
 * around. `portals` begin far from the leaf, at a portal of `end`. False when there is none. */
bool leak_gap_only_path(const struct compile *compile, struct tree *tree,
                        const struct leak_path_search *search, struct portal *const *portals,
                        struct node *leaf, const struct node *end, struct leak_gap *out);

/* That of one portal alone. */
void leak_gap_of_portal(const struct compile *compile, struct portal *portal, struct leak_gap *out);
void leak_gap_free(struct leak_gap *gap);

/* Whether a solid with these contents stands beside it: in the void, nothing may. */
bool leak_gap_has_rim(const struct compile *compile, const struct leak_gap *gap, int contents);

/* "32 x 16 units (512 square units) at 0 64 128, next to solids 12, 14 and 15; solid 16 fills it,
 * but a func_detail does not seal". Solids with these contents count as its rim. */
const char *leak_gap_text(const struct compile *compile, const struct leak_gap *gap, int contents,
                          struct arena *arena);

#endif
