#include "common/bsp/lumps/physics_layout.h"

/* Offsets of fields of the header and, from COLLIDE_HEADER on, of the surface. */
enum {
    VERSION_AT = 4,
    TYPE_AT = 6,
    SURFACE_SIZE_AT = 8,
    AXIS_MAP_SIZE_AT = 24,
    ROOT_AT = COLLIDE_HEADER + 32,
    LEDGE_COUNT_AT = 12,
};

bool physics_is_poly(const struct byte_reader *solid)
{
    return solid->size >= COLLIDE_HEADER && load_u32_in(solid->order, solid->data) == COLLIDE_ID &&
           load_u16_in(solid->order, solid->data + VERSION_AT) == COLLIDE_VERSION &&
           load_u16_in(solid->order, solid->data + TYPE_AT) == COLLIDE_POLY;
}

bool physics_layout_find(const struct byte_reader *solid, struct physics_layout *out)
{
    if (!physics_is_poly(solid) || solid->size < COLLIDE_HEADER + SURFACE_HEADER)
        return false;
    size_t surface = load_u32_in(solid->order, solid->data + SURFACE_SIZE_AT);
    size_t axis_map = load_u32_in(solid->order, solid->data + AXIS_MAP_SIZE_AT);
    size_t room = solid->size - COLLIDE_HEADER;
    size_t root = load_u32_in(solid->order, solid->data + ROOT_AT);
    if (surface > room || axis_map != room - surface || root >= surface)
        return false;
    if (root < SURFACE_HEADER + LEDGE_HEADER || (surface - root) % NODE_SIZE)
        return false;
    /* The first ledge has the offset of the points. */
    size_t distance = load_u32_in(solid->order, solid->data + COLLIDE_HEADER + SURFACE_HEADER);
    if (distance > root - SURFACE_HEADER || distance % SOLID_ALIGNMENT ||
        (root - SURFACE_HEADER - distance) % POINT_SIZE)
        return false;
    out->ledges = COLLIDE_HEADER + SURFACE_HEADER;
    out->points = out->ledges + distance;
    out->nodes = COLLIDE_HEADER + root;
    out->end = COLLIDE_HEADER + surface;
    return true;
}

size_t physics_ledge_end(const struct byte_reader *solid, const struct physics_layout *layout,
                         size_t at)
{
    if (layout->points - at < LEDGE_HEADER)
        return 0;
    int16_t triangles = (int16_t)load_u16_in(solid->order, solid->data + at + LEDGE_COUNT_AT);
    size_t room = (layout->points - at - LEDGE_HEADER) / TRIANGLE_SIZE;
    if (triangles < 0 || (size_t)triangles > room)
        return 0;
    return at + LEDGE_HEADER + (size_t)triangles * TRIANGLE_SIZE;
}
