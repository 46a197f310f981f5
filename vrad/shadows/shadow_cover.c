#include "vrad/shadows/shadow_cover.h"

/* What a lamp is this near to is left to the outline. */
#define LAMP_GAP 0.03

/* The least part of a ray within the body, as a share of its length. */
#define LEAST_CUT 1e-7

static double above(const float side[4], struct vec3 point)
{
    return (double)side[0] * point.x + (double)side[1] * point.y + (double)side[2] * point.z -
           (double)side[3];
}

/* The rays from the lamp to the corners pass the body, where all of them enter it before they leave
 * it: then so do all between them. */
bool shadow_covers(const struct shadow_bodies *bodies, const struct shadow_body *body,
                   struct vec3 lamp, const struct vec3 corners[4])
{
    double enter[4] = {0, 0, 0, 0}, leave[4] = {1, 1, 1, 1};
    bool outside = false;
    if (!body->closed || body->veil)
        return false;
    for (int p = 0; p < body->plane_count; p++) {
        const float *side = bodies->planes[body->first_plane + p];
        double from = above(side, lamp);
        bool front = from > 0;
        if (fabs(from) < LAMP_GAP)
            return false;
        outside = outside || front;
        for (int i = 0; i < 4; i++) {
            double to = above(side, corners[i]);
            if (front == (to > 0)) {
                if (front)
                    return false;
                continue;
            }
            double at = from / (from - to);
            if (front)
                enter[i] = at > enter[i] ? at : enter[i];
            else
                leave[i] = at < leave[i] ? at : leave[i];
            if (!(leave[i] - enter[i] > LEAST_CUT))
                return false;
        }
    }
    return outside;
}
