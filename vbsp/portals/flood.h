/* Floods the portals from the entities: finds the inside, the void, and leaks. */
#ifndef VBSP_PORTALS_FLOOD_H
#define VBSP_PORTALS_FLOOD_H

#include "vbsp/portals/leak_gap.h"

struct compile;

/* An entity that the outside reaches. */
struct flood_reached {
    int entity; /* in compile->entities */
    struct vec3 origin;
    double distance;  /* from the centre of the gap; 0 without one */
    bool through_gap; /* closing the gap seals it in */
};

struct flood {
    bool leaks;
    int seed_count;     /* entities in an open leaf */
    struct vec3 *trail; /* stb_ds array: from the outside to the entity; NULL when sealed */
    int entity;         /* reached from the outside, in compile->entities */
    struct flood_reached *reached; /* stb_ds array: all of them, those near the gap first */
    bool has_gap;
    bool only_gap;       /* closing it seals the entity from the outside */
    struct leak_gap gap; /* that gap, or the narrowest on the path */
};

/* Marks the leaves that entities can reach (node->occupied). */
void flood_from_entities(struct compile *compile, struct tree *tree, struct flood *flood);
void flood_free(struct flood *flood);

/* Reports the leak with the entity, the gap, the solids beside it and all entities reached. */
void flood_report_leak(const struct compile *compile, const struct flood *flood);

/* Makes open leaves that no entity reaches solid. Returns their number. */
int flood_fill_outside(struct tree *tree);

/* Marks the sides of map brushes that are visible from some open leaf. */
void flood_mark_visible_sides(struct compile *compile, struct tree *tree, const int *brushes);

#endif
