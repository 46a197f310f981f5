/* Areas: regions separated by closed areaportals, and the records by which an engine opens and
 * closes them.
 *
 * A leaf of an areaportal's brush belongs to the first area that reaches it. So the border of two
 * areas is where such a leaf touches the second one, and there lies the polygon of the record. */
#ifndef VBSP_PORTALS_AREA_PORTALS_H
#define VBSP_PORTALS_AREA_PORTALS_H

#include "vbsp/portals/leak_gap.h"

/* An areaportal: a brush. */
struct area_portal {
    const struct map_brush *brush; /* NULL: no areaportal has this number */
    bool has_leaf;                 /* some leaf is inside its brush */
    bool touches_more;             /* it touches more than two areas */
    int areas[2];                  /* areas that it touches, in the order found; 0: none */
};

struct areas {
    int count;                   /* including the reserved area 0 */
    struct area_portal *portals; /* stb_ds array by number; 0 is reserved */
};

/* The number of the areaportal whose brush contains the open leaf, or 0. */
int area_portal_of(const struct node *leaf);

/* Numbers the areas of the occupied leaves from 1, in tree order. Free with areas_free. */
void areas_find(const struct compile *compile, struct tree *tree, struct areas *areas);
void areas_free(struct areas *areas);

/* Reports areaportals that do not separate two areas. A path around one, from side to side, is
 * reported with its narrowest gap; the first such path is stored in *path (an stb_ds array, NULL
 * when all areaportals seal). */
void areas_check(const struct compile *compile, struct tree *tree, const struct areas *areas,
                 struct vec3 **path);

#endif
