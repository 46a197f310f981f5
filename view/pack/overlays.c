#include "view/pack/overlays.h"

#include <math.h>

#include "view/pack/page_light.h"

/* Half an overlay that is smaller is none. */
#define SMALLEST 1e-9

/* A triangle in the plane of an overlay, counter-clockwise, with its texture coordinates. */
struct half {
    double at[3][2], uv[3][2];
};

struct plane_axes {
    struct vec3 origin, u, v;
};

static struct plane_axes axes_of(const struct bsp_overlay *overlay)
{
    struct plane_axes axes = {.origin = vec3_from_floats(overlay->origin)};
    for (int k = 0; k < 3; k++)
        axes.u.e[k] = (double)overlay->corners[k][2];
    axes.v = vec3_cross(vec3_from_floats(overlay->normal), axes.u);
    if (overlay->corners[3][2] == 1)
        axes.v = vec3_neg(axes.v);
    return axes;
}

static double area_of(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static struct half half_of(const struct bsp_overlay *overlay, int number)
{
    const int corners[3] = {0, 1 + number, 2 + number};
    struct half half;
    for (int i = 0; i < 3; i++) {
        int corner = corners[i];
        half.at[i][0] = (double)overlay->corners[corner][0];
        half.at[i][1] = (double)overlay->corners[corner][1];
        half.uv[i][0] = (double)overlay->u[corner >= 2];
        half.uv[i][1] = (double)overlay->v[corner == 1 || corner == 2];
    }
    if (area_of(half.at[0], half.at[1], half.at[2]) < 0) {
        struct half turned = half;
        for (int k = 0; k < 2; k++) {
            half.at[1][k] = turned.at[2][k];
            half.at[2][k] = turned.at[1][k];
            half.uv[1][k] = turned.uv[2][k];
            half.uv[2][k] = turned.uv[1][k];
        }
    }
    return half;
}

/* A corner of the polygon that is cut, in the plane of the overlay. */
struct cut_corner {
    double at[2], weights[3];
};

struct polygon {
    int count;
    struct cut_corner corners[OVERLAY_CORNERS];
};

static struct cut_corner between(const struct cut_corner *a, const struct cut_corner *b,
                                 double share)
{
    struct cut_corner corner;
    for (int k = 0; k < 2; k++)
        corner.at[k] = a->at[k] + share * (b->at[k] - a->at[k]);
    for (int k = 0; k < 3; k++)
        corner.weights[k] = a->weights[k] + share * (b->weights[k] - a->weights[k]);
    return corner;
}

static void put_corner(struct polygon *polygon, const struct cut_corner *corner)
{
    if (polygon->count < OVERLAY_CORNERS)
        polygon->corners[polygon->count++] = *corner;
}

/* Keeps what is on the left of the way from `from` to `to`. */
static void cut(struct polygon *polygon, const double from[2], const double to[2])
{
    struct polygon left = {0};
    for (int i = 0; i < polygon->count; i++) {
        const struct cut_corner *one = &polygon->corners[i],
                                *next = &polygon->corners[(i + 1) % polygon->count];
        double here = area_of(from, to, one->at), there = area_of(from, to, next->at);
        if (here >= 0)
            put_corner(&left, one);
        if ((here > 0 && there < 0) || (here < 0 && there > 0)) {
            struct cut_corner corner = between(one, next, here / (here - there));
            put_corner(&left, &corner);
        }
    }
    *polygon = left;
}

static struct polygon polygon_of(const struct map_scene *scene, uint32_t triangle,
                                 const struct plane_axes *axes)
{
    struct polygon polygon = {.count = 3};
    for (int i = 0; i < 3; i++) {
        struct cut_corner *corner = &polygon.corners[i];
        corner->weights[i] = 1;
        struct vec3 way = vec3_sub(spot_position(scene, triangle, corner->weights), axes->origin);
        corner->at[0] = vec3_dot(way, axes->u);
        corner->at[1] = vec3_dot(way, axes->v);
    }
    return polygon;
}

static void texture_of(const struct half *half, double area, const double at[2], double uv[2])
{
    for (int k = 0; k < 2; k++) {
        uv[k] = 0;
        for (int i = 0; i < 3; i++)
            uv[k] +=
                half->uv[i][k] * area_of(half->at[(i + 1) % 3], half->at[(i + 2) % 3], at) / area;
    }
}

bool overlay_piece_cut(const struct map_scene *scene, const struct bsp_overlay *overlay, int number,
                       uint32_t triangle, struct overlay_piece *out)
{
    struct plane_axes axes = axes_of(overlay);
    struct half half = half_of(overlay, number);
    double area = area_of(half.at[0], half.at[1], half.at[2]);
    if (!isfinite(area) || area <= SMALLEST)
        return false;
    struct polygon polygon = polygon_of(scene, triangle, &axes);
    for (int i = 0; i < 3 && polygon.count; i++)
        cut(&polygon, half.at[i], half.at[(i + 1) % 3]);
    *out = (struct overlay_piece){.count = polygon.count};
    for (int i = 0; i < polygon.count; i++) {
        memcpy(out->corners[i].weights, polygon.corners[i].weights, sizeof out->corners[i].weights);
        texture_of(&half, area, polygon.corners[i].at, out->corners[i].uv);
    }
    return polygon.count >= 3;
}
