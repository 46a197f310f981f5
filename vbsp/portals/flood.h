/* From the entities through the portals: what is inside, what is void, and where it leaks. */
#ifndef VBSP_PORTALS_FLOOD_H
#define VBSP_PORTALS_FLOOD_H

#include "vbsp/portals/leak_gap.h"

struct flood {
    bool leaks;
    int placed;         /* entities that stand in an open leaf */
    struct vec3 *trail; /* stb_ds array: from the outside to the entity; NULL when sealed */
    int entity;         /* that the outside reaches, in compile->entities */
    int reached;        /* of those placed, by the outside */
    bool has_gap;
    bool only_gap;       /* with it closed, the outside does not reach the entity */
    struct leak_gap gap; /* that, or the narrowest place on the way */
};

/* Marks the leaves that entities can reach (node->occupied). */
void flood_from_entities(struct compile *compile, struct tree *tree, struct flood *flood);
void flood_free(struct flood *flood);

/* Tells the leak with the entity, the hole and the solids beside it. */
void flood_report_leak(const struct compile *compile, const struct flood *flood);

/* Open leaves that no entity reaches become solid. Returns how many. */
int flood_fill_outside(struct tree *tree);

/* Marks the sides of map brushes that some open leaf sees. */
void flood_mark_visible_sides(struct compile *compile, struct tree *tree, const int *brushes);

#endif
