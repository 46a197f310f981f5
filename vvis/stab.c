#include "vvis/stab.h"

#include "vvis/isa.h"

/* A plane through a point and an edge that is seen from there under less than this has no
 * direction. */
#define STAB_AREA 1e-6

/* A window, and room for what is left of it. */
struct cut {
    struct window rooms[2];
    const struct window *window;
};

/* False when nothing is left. */
static bool clip(const struct portals *portals, struct cut *cut, const struct plane *plane)
{
    struct window *out = &cut->rooms[cut->window == &cut->rooms[0]];
    enum window_cut result = portals->isa->window_clip(cut->window, plane, out);
    if (result == WINDOW_CUT)
        cut->window = out;
    return result != WINDOW_GONE;
}

static struct vec3 corner(const struct window *window, int i)
{
    return vec3(window->x[i], window->y[i], window->z[i]);
}

/* What lines through the point and the portal can meet. */
static bool clip_by_view(const struct portals *portals, struct vec3 eye, int portal,
                         struct cut *cut)
{
    const struct window *hole = &portals->windows[portal];
    struct vec3 middle = portals->boxes[portal / 2].center;
    for (int i = 0; i < hole->count; i++) {
        struct vec3 normal =
            vec3_cross(vec3_sub(corner(hole, i), eye), vec3_sub(corner(hole, i + 1), eye));
        double length = vec3_length(normal);
        if (length < STAB_AREA)
            continue;
        struct plane plane = {vec3_scale(normal, 1 / length), 0};
        plane.dist = vec3_dot(plane.normal, eye);
        if (plane_distance(&plane, middle) < 0)
            plane = plane_flip(&plane);
        /* on the other side of the eye all is turned round: only what lies beyond is clipped */
        if (!clip(portals, cut, &plane))
            return false;
    }
    return true;
}

/* What of the first window lines may come from that end in the last. */
static bool clip_by_last(const struct portals *portals, const struct flow_arrival *arrival,
                         struct cut *cut)
{
    struct window last;
    window_reverse(&arrival->to, &last);
    const struct plane *last_plane = &portals->planes[arrival->path[arrival->length - 1] ^ 1];
    for (int i = arrival->length - 2; i > 0; i--) {
        int back = arrival->path[i] ^ 1;
        struct separators separators;
        portals->isa->separators_build(&last, last_plane, &portals->windows[back],
                                       &portals->planes[back], &separators);
        for (int k = 0; k < separators.count; k++) {
            struct plane plane = {vec3(separators.x[k], separators.y[k], separators.z[k]),
                                  separators.dist[k]};
            if (!clip(portals, cut, &plane))
                return false;
        }
    }
    return true;
}

/* What of the cut's window is seen from the eye through all portals between. */
static bool clip_by_all(const struct portals *portals, const struct flow_arrival *arrival,
                        struct vec3 eye, struct cut *cut)
{
    for (int i = 1; i + 1 < arrival->length; i++)
        if (!clip_by_view(portals, eye, arrival->path[i], cut))
            return false;
    return true;
}

bool stab_guess(const struct portals *portals, const struct flow_arrival *arrival,
                struct vec3 *from, struct vec3 *to)
{
    struct cut first = {.window = &arrival->from};
    if (arrival->length < 3 || !clip_by_last(portals, arrival, &first))
        return false;
    *from = window_center(first.window);
    struct cut last = {.window = &arrival->to};
    if (clip_by_all(portals, arrival, *from, &last)) {
        *to = window_center(last.window);
        return true;
    }
    *to = window_center(&arrival->to);
    if (!clip_by_all(portals, arrival, *to, &first))
        return false;
    *from = window_center(first.window);
    return true;
}
