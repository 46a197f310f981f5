/* What a way squeezes through: openings between leaves, whole, though the tree cuts them up. */
#ifndef VBSP_PORTALS_OPENING_H
#define VBSP_PORTALS_OPENING_H

#include "vbsp/portals/way.h"

/* Polygons of one plane that touch each other, with nothing solid between them. */
struct opening {
    struct vec3 center;      /* mean by area, or where that is no part of it, the way's own part */
    double area;             /* square units */
    double width, height;    /* of the least box around it, the longer first, on its plane */
    struct portal **portals; /* stb_ds array: its parts */
};

/* The narrowest of those that the portals are parts of; portals to the outside are none. False when
 * there is none. Both leaves of each part must be such that the search passes into them. Free with
 * opening_free. */
bool opening_narrowest(const struct compile *compile, struct tree *tree,
                       const struct way_search *search, struct portal *const *portals,
                       struct opening *out);
/* The first of them that is the only way from `leaf` to where they lead: with it closed there is
 * none left. Narrower places may come after it; before it, in the void, there is always another way
 * around. `portals` begin far from the leaf, at a portal of `end`. False when there is none. */
bool opening_only_way(const struct compile *compile, struct tree *tree,
                      const struct way_search *search, struct portal *const *portals,
                      struct node *leaf, const struct node *end, struct opening *out);

/* That of one portal alone. */
void opening_of_portal(const struct compile *compile, struct portal *portal, struct opening *out);
void opening_free(struct opening *opening);

/* Whether a solid with these contents stands beside it: in the void, nothing may. */
bool opening_has_rim(const struct compile *compile, const struct opening *opening, int contents);

/* "32 x 16 units (512 square units) at 0 64 128, next to solids 12, 14 and 15; solid 16 fills it,
 * but a func_detail does not seal". Solids with these contents count as its rim. */
const char *opening_text(const struct compile *compile, const struct opening *opening, int contents,
                         struct arena *arena);

#endif
