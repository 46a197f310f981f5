/* Stabbing lines: the part of a window seen from a point through portals, by the planes through
 * their edges in SIMD lanes. */
#include "vvis/flow/flow_kernels.h"
#include "vvis/graph/window_lanes.h"

/* A plane through the eye and an edge with a smaller parallelogram than this has no direction. */
#define AREA_MIN 1e-6

/* A window, and buffers for what is left of it. */
struct cut {
    struct window rooms[2];
    const struct window *window;
};

/* Returns false when nothing is left. */
static inline bool clip(struct cut *cut, const struct separators *planes)
{
    struct window *const buffers[2] = {&cut->rooms[0], &cut->rooms[1]};
    uint32_t all = (uint32_t)(((uint64_t)1 << planes->count) - 1);
    int64_t clips = 0;
    cut->window = separators_clip(planes, all, cut->window, buffers, &clips);
    return cut->window != NULL;
}

/* Builds the planes through the eye and the edges of the portal, from point `first` on. On the
 * other side of the eye everything is reversed, so the portal's centre tells what is in front.
 * The normals are not normalised: the tolerance does not matter for a guess. */
static inline void view_planes(const struct window *hole, struct vec3 middle, int first,
                               struct vec3 eye, struct separators *out)
{
    struct doubles ex = doubles_all(eye.x), ey = doubles_all(eye.y), ez = doubles_all(eye.z);
    struct doubles ax = doubles_sub(doubles_load(&hole->x[first]), ex),
                   ay = doubles_sub(doubles_load(&hole->y[first]), ey),
                   az = doubles_sub(doubles_load(&hole->z[first]), ez);
    struct doubles bx = doubles_sub(doubles_load(&hole->x[first + 1]), ex),
                   by = doubles_sub(doubles_load(&hole->y[first + 1]), ey),
                   bz = doubles_sub(doubles_load(&hole->z[first + 1]), ez);
    struct doubles x = doubles_sub(doubles_mul(ay, bz), doubles_mul(az, by)),
                   y = doubles_sub(doubles_mul(az, bx), doubles_mul(ax, bz)),
                   z = doubles_sub(doubles_mul(ax, by), doubles_mul(ay, bx));
    struct doubles square = doubles_dot(x, y, z, x, y, z);
    struct doubles_mask is = doubles_less(doubles_all(AREA_MIN * AREA_MIN), square);
    struct doubles ahead =
        doubles_dot(x, y, z, doubles_all(middle.x - eye.x), doubles_all(middle.y - eye.y),
                    doubles_all(middle.z - eye.z));
    struct doubles sign =
        doubles_select(doubles_less(ahead, doubles_all(0)), doubles_all(-1), doubles_all(1));
    x = doubles_mul(x, sign);
    y = doubles_mul(y, sign);
    z = doubles_mul(z, sign);
    doubles_pack(out->x, is, x);
    doubles_pack(out->y, is, y);
    doubles_pack(out->z, is, z);
    doubles_pack(out->dist, is, doubles_dot(x, y, z, ex, ey, ez));
    doubles_store(out->near, doubles_all(VIS_EPSILON));
    out->count = __builtin_popcount(doubles_bits(is));
}

/* Clips the window to what is seen from the eye through all portals between. */
static bool clip_by_view(const struct portals *portals, const struct flow_arrival *arrival,
                         struct vec3 eye, struct cut *cut)
{
    for (int i = 1; i + 1 < arrival->length; i++) {
        int p = arrival->path[i];
        const struct window *hole = &portals->windows[p];
        for (int first = 0; first < hole->count; first += DOUBLES) {
            struct separators planes;
            view_planes(hole, portals->boxes[p / 2].center, first, eye, &planes);
            if (!clip(cut, &planes))
                return false;
        }
    }
    return true;
}

/* Finds the centre of the part of the window that is seen from the eye. */
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

/* Also using the planes that bound what the last window sees of the first would find another
 * third of the lines, but take more time than it saves. */
stabbing_line_function ISA(find_stabbing_line);
bool ISA(find_stabbing_line)(const struct portals *portals, const struct flow_arrival *arrival,
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
