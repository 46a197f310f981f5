#include "vvis/graph/shaft.h"

#define SHAFT_GROW 0.5

static void add(struct separators *out, struct vec3 outward, double reach)
{
    double length = vec3_length(outward);
    int at = out->count++;
    out->x[at] = -outward.x / length;
    out->y[at] = -outward.y / length;
    out->z[at] = -outward.z / length;
    out->dist[at] = -reach / length;
    out->near[at] = VIS_EPSILON;
}

/* Seen along the third axis the boxes are rectangles. Toward each corner, the hull has a slanting
 * edge from the corner of the one to that of the other, unless one of these lies outside on both
 * axes. */
static void add_slants(const struct bounds boxes[2], int axis, int other, struct separators *out)
{
    for (int corner = 0; corner < 4; corner++) {
        double sign[2] = {corner & 1 ? 1 : -1, corner & 2 ? 1 : -1};
        double at[2][2];
        for (int box = 0; box < 2; box++) {
            at[box][0] = sign[0] * (sign[0] > 0 ? boxes[box].maxs : boxes[box].mins).e[axis];
            at[box][1] = sign[1] * (sign[1] > 0 ? boxes[box].maxs : boxes[box].mins).e[other];
        }
        double across = at[0][0] - at[1][0], up = at[1][1] - at[0][1];
        if (across * up <= 0)
            continue;
        struct vec3 outward = vec3(0, 0, 0);
        outward.e[axis] = sign[0] * fabs(up);
        outward.e[other] = sign[1] * fabs(across);
        add(out, outward, fabs(up) * at[0][0] + fabs(across) * at[0][1]);
    }
}

void shaft_build(const struct bounds *a, const struct bounds *b, struct separators *out)
{
    struct bounds boxes[2] = {*a, *b};
    out->count = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int box = 0; box < 2; box++) {
            boxes[box].mins.e[axis] -= SHAFT_GROW;
            boxes[box].maxs.e[axis] += SHAFT_GROW;
        }
        struct vec3 outward = vec3(0, 0, 0);
        outward.e[axis] = 1;
        add(out, outward, fmax(boxes[0].maxs.e[axis], boxes[1].maxs.e[axis]));
        outward.e[axis] = -1;
        add(out, outward, -fmin(boxes[0].mins.e[axis], boxes[1].mins.e[axis]));
    }
    add_slants(boxes, 0, 1, out);
    add_slants(boxes, 0, 2, out);
    add_slants(boxes, 1, 2, out);
    separators_finish(out);
}
