#include "render/pictures/leak_facts.h"

#include <limits.h>

#include "common/diag/diag_property.h"

static const double (*points_of(const struct diag_property *property))[3]
{
    return (const double(*)[3])property->numbers;
}

struct leak_facts leak_facts_of(const struct diag_where *where, struct arena *arena)
{
    struct leak_polygon *polygons = ARENA_ARRAY(arena, struct leak_polygon, where->property_count);
    const struct diag_property *solids = diag_property(where, DIAG_OF_SOLIDS),
                               *way = diag_property(where, DIAG_OF_WAY);
    const double *hole = diag_numbers(where, DIAG_OF_HOLE),
                 *size = diag_numbers(where, DIAG_OF_HOLE_SIZE);
    struct leak_facts leak = {.where = where, .has_hole = hole != NULL, .polygons = polygons};
    if (hole)
        leak.hole = vec3(hole[0], hole[1], hole[2]);
    leak.width = size ? size[0] : 0;
    leak.height = size ? size[1] : 0;
    leak.solids = solids ? solids->places : NULL;
    leak.solid_count = solids ? solids->count : 0;
    leak.way = way ? points_of(way) : NULL;
    leak.way_count = way ? way->count / 3 : 0;
    for (size_t i = 0; i < where->property_count; i++)
        if (where->properties[i].name == DIAG_OF_POLYGON)
            polygons[leak.polygon_count++] = (struct leak_polygon){points_of(&where->properties[i]),
                                                                   where->properties[i].count / 3};
    return leak;
}

int leak_brush(const struct leak_facts *leak, size_t solid)
{
    const double *number = diag_numbers(&leak->solids[solid], DIAG_OF_BRUSH_NUMBER);
    /* A message that comes from a cache may have any. */
    return number && *number >= 0 && *number < INT_MAX ? (int)*number : -1;
}
