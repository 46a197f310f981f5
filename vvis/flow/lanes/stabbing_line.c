/* What is seen from a point, or from a window, through portals: the planes through their edges in
 * the lanes. */
#include "vvis/flow/lanes/isa_functions.h"
#include "vvis/graph/window_lanes.h"

/* A window, and room for what is left of it. */
struct cut {
    struct window rooms[2];
    const struct window *window;
};

/* False when nothing is left. */
static inline bool clip(struct cut *cut, const struct separators *planes)
{
    struct window *const buffers[2] = {&cut->rooms[0], &cut->rooms[1]};
    uint32_t all = (uint32_t)(((uint64_t)1 << planes->count) - 1);
    int64_t clips = 0;
    cut->window = separators_clip(planes, all, cut->window, buffers, &clips);
    return cut->window != NULL;
}

/* The planes through the eye and the edges of the portal, from point `first` on. On the other side
 * of the eye all is turned round: the portal's middle tells what is in front. Their normals are not
 * made as long as 1: how near is near makes no difference to a guess. */
static inline void view_planes(const struct window *hole, struct vec3 middle, int first,
                               struct vec3 eye, struct separators *out)
{
    struct lanes ex = lanes_all(eye.x), ey = lanes_all(eye.y), ez = lanes_all(eye.z);
    struct lanes ax = lanes_sub(lanes_load(&hole->x[first]), ex),
                 ay = lanes_sub(lanes_load(&hole->y[first]), ey),
                 az = lanes_sub(lanes_load(&hole->z[first]), ez);
    struct lanes bx = lanes_sub(lanes_load(&hole->x[first + 1]), ex),
                 by = lanes_sub(lanes_load(&hole->y[first + 1]), ey),
                 bz = lanes_sub(lanes_load(&hole->z[first + 1]), ez);
    struct lanes x = lanes_sub(lanes_mul(ay, bz), lanes_mul(az, by)),
                 y = lanes_sub(lanes_mul(az, bx), lanes_mul(ax, bz)),
                 z = lanes_sub(lanes_mul(ax, by), lanes_mul(ay, bx));
    struct lanes square = lanes_dot(x, y, z, x, y, z);
    struct lane_mask is = lanes_less(lanes_all(STAB_AREA * STAB_AREA), square);
    struct lanes ahead = lanes_dot(x, y, z, lanes_all(middle.x - eye.x),
                                   lanes_all(middle.y - eye.y), lanes_all(middle.z - eye.z));
    struct lanes way = lanes_select(lanes_less(ahead, lanes_all(0)), lanes_all(-1), lanes_all(1));
    x = lanes_mul(x, way);
    y = lanes_mul(y, way);
    z = lanes_mul(z, way);
    lanes_pack(out->x, is, x);
    lanes_pack(out->y, is, y);
    lanes_pack(out->z, is, z);
    lanes_pack(out->dist, is, lanes_dot(x, y, z, ex, ey, ez));
    lanes_store(out->near, lanes_all(VIS_EPSILON));
    out->count = __builtin_popcount(mask_bits(is));
}

/* What of the cut's window is seen from the eye through all portals between. */
static bool clip_by_view(const struct portals *portals, const struct flow_arrival *arrival,
                         struct vec3 eye, struct cut *cut)
{
    for (int i = 1; i + 1 < arrival->length; i++) {
        int p = arrival->path[i];
        const struct window *hole = &portals->windows[p];
        for (int first = 0; first < hole->count; first += LANES) {
            struct separators planes;
            view_planes(hole, portals->boxes[p / 2].center, first, eye, &planes);
            if (!clip(cut, &planes))
                return false;
        }
    }
    return true;
}

/* The middle of what of the window is seen from the eye. */
static bool middle_seen(const struct portals *portals, const struct flow_arrival *arrival,
                        struct vec3 eye, const struct window *window, struct vec3 *middle)
{
    struct cut cut;
    cut.window = window;
    if (!clip_by_view(portals, arrival, eye, &cut))
        return false;
    *middle = window_center(cut.window);
    return true;
}

/* Planes that bound what the last window sees of the first find another third of the lines, for
 * more time than these save. */
bool ISA(stab_guess)(const struct portals *portals, const struct flow_arrival *arrival,
                     struct vec3 *from, struct vec3 *to)
{
    if (arrival->length < 3)
        return false;
    *from = window_center(&arrival->from);
    if (middle_seen(portals, arrival, *from, &arrival->to, to))
        return true;
    *to = window_center(&arrival->to);
    return middle_seen(portals, arrival, *to, &arrival->from, from);
}
