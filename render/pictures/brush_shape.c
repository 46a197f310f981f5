#include "render/pictures/brush_shape.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"

/* Rays this parallel to a plane do not cross it. */
#define PARALLEL 1e-9

/* More sides are not shown. */
enum { MAX_SIDES = 256 };

struct brush_shape brush_shape_of(const struct bsp *bsp, int brush, struct arena *arena)
{
    struct brush_shape shape = {0};
    if (brush < 0 || brush >= (int)arrlen(bsp->brushes))
        return shape;
    const struct bsp_brush *record = &bsp->brushes[brush];
    shape.count = record->side_count < MAX_SIDES ? record->side_count : MAX_SIDES;
    shape.planes = ARENA_ARRAY(arena, struct plane, (size_t)shape.count);
    shape.sides = ARENA_ARRAY(arena, struct winding *, (size_t)shape.count);
    for (int i = 0; i < shape.count; i++) {
        const struct bsp_plane *plane =
            &bsp->planes[bsp->brush_sides[record->first_side + i].plane];
        shape.planes[i].normal = vec3_from_floats(plane->normal);
        shape.planes[i].dist = (double)plane->dist;
    }
    for (int i = 0; i < shape.count; i++)
        shape.sides[i] = winding_of_side(arena, shape.planes, (size_t)shape.count, (size_t)i,
                                         EPSILON_PLANE_DIST);
    return shape;
}

double brush_shape_entry(const struct brush_shape *shape, struct vec3 origin, struct vec3 direction)
{
    double enter = 0, leave = HUGE_VAL;
    for (int i = 0; i < shape->count; i++) {
        const struct plane *plane = &shape->planes[i];
        double before = vec3_dot(plane->normal, origin) - plane->dist;
        double speed = vec3_dot(plane->normal, direction);
        if (fabs(speed) < PARALLEL) {
            if (before > 0)
                return -1;
        } else if (speed < 0) {
            enter = portable_fmax(enter, before / -speed);
        } else {
            leave = portable_fmin(leave, -before / speed);
        }
    }
    return shape->count > 0 && enter < leave ? enter : -1;
}
