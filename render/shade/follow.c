/* What colour comes from where. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "render/scene/air.h"
#include "render/shade/render_internal.h"

enum { MAX_LAYERS = 48 };

#define FARTHEST     1e6
#define MIN_LEFT     0.01f /* a share less than this is not seen */
#define HALF_OPAQUE  0.5f
#define STEP         0.01 /* past a surface, in units */
#define STEP_PART    1e-5 /* and of the distance, for the rounding of single precision */
#define AIR_DISTANCE 4.0  /* above a surface, where its air is looked for */

struct hit_place {
    const struct triangle *triangle;
    const struct surface *surface;
    const struct look *look;
    double weights[3]; /* of the corners */
    double distance, cosine;
    struct vec3 point, normal; /* the side that is seen */
};

static double mixed(const struct hit_place *hit, double a, double b, double c)
{
    return hit->weights[0] * a + hit->weights[1] * b + hit->weights[2] * c;
}

static double clamped(double value, double max)
{
    return value > 0 ? fmin(value, max) : 0;
}

static void luxel_light(const struct mesh *mesh, const struct hit_place *hit, float out[3])
{
    const float(*st)[2] = hit->triangle->st;
    const struct surface *surface = hit->surface;
    double at[2], sum[3] = {0};
    for (int i = 0; i < 2; i++) {
        double max = (i ? surface->height : surface->width) - 1;
        at[i] = clamped(mixed(hit, (double)st[0][i], (double)st[1][i], (double)st[2][i]), max);
    }
    int s = (int)at[0], t = (int)at[1];
    for (int i = 0; i < 4; i++) {
        int x = s + i % 2, y = t + i / 2;
        double share = (1 - fabs(x - at[0])) * (1 - fabs(y - at[1]));
        if (x >= surface->width || y >= surface->height || share <= 0)
            continue;
        const float *luxel =
            mesh->luxels[surface->luxels + (size_t)y * (size_t)surface->width + (size_t)x];
        for (int k = 0; k < 3; k++)
            sum[k] += share * (double)luxel[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] = (float)sum[k];
}

static void fill(float out[3], double value)
{
    for (int k = 0; k < 3; k++)
        out[k] = (float)value;
}

/* What is see-through casts no shadow. */
static bool way_is_free(const void *context, const struct trace_ray *ray)
{
    const struct mesh *mesh = context;
    struct trace_hit hit = trace_closest(mesh->trace, TRACE_FACE | TRACE_SKY, ray);
    if (hit.distance < 0 || hit.class == TRACE_SKY)
        return true;
    const struct surface *surface = &mesh->surfaces[mesh->triangles[hit.triangle].surface];
    const struct look *look = &mesh->looks[surface->look];
    return surface->opacity < 1 || look->translucent || look->alpha_tested;
}

static void model_light(const struct render *render, const struct hit_place *hit, float out[3])
{
    const float(*corners)[3] = hit->triangle->corners;
    struct vec3 normal;
    for (int k = 0; k < 3; k++)
        normal.e[k] =
            mixed(hit, (double)corners[0][k], (double)corners[1][k], (double)corners[2][k]);
    normal = vec3_normalize(normal);
    if (!vec3_is_finite(normal))
        normal = hit->normal;
    air_light(&render->mesh.airs[hit->surface->air], normal, out);
    /* The surface itself is not in the way. */
    struct vec3 point = vec3_add(hit->point, hit->normal);
    lamps_add(render->lamps, point, normal, way_is_free, &render->mesh, out);
}

/* Light that falls on the place; 255 is white. */
static void light_on(const struct render *render, const struct hit_place *hit, float out[3])
{
    const float(*light)[3] = hit->triangle->corners;
    struct air air;
    fill(out, 255);
    switch (hit->surface->lit_by) {
    case LIT_BY_LUXELS:
        luxel_light(&render->mesh, hit, out);
        break;
    case LIT_BY_CORNERS:
        for (int k = 0; k < 3; k++)
            out[k] =
                (float)mixed(hit, (double)light[0][k], (double)light[1][k], (double)light[2][k]);
        break;
    case LIT_AS_MODEL:
        model_light(render, hit, out);
        break;
    case LIT_BY_AIR:
        if (air_at(render->bsp, render->light, vec3_mad(hit->point, hit->normal, AIR_DISTANCE),
                   &air))
            air_light(&air, hit->normal, out);
        break;
    case LIT_BY_SHAPE:
        /* Without light shapes are seen by how they are turned: walls apart, the floor bright. */
        fill(out, 255 * (0.55 + 0.15 * fabs(hit->normal.x) + 0.3 * fmax(0, hit->normal.z)));
        break;
    case LIT_FULLY:
        break;
    }
}

/* Colour and opacity of the surface itself. */
static void look_at(const struct render *render, double spread, const struct hit_place *hit,
                    float rgba[4])
{
    const float(*uv)[2] = hit->triangle->uv;
    double u = mixed(hit, (double)uv[0][0], (double)uv[1][0], (double)uv[2][0]);
    double v = mixed(hit, (double)uv[0][1], (double)uv[1][1], (double)uv[2][1]);
    /* Between the narrow and the long side of what a slanting sample covers. */
    double footprint =
        spread * hit->distance / sqrt(fmax(hit->cosine, 0.01)) * (double)hit->triangle->density;
    for (int k = 0; k < 4; k++)
        rgba[k] = 1;
    if (hit->look->base)
        texture_at(hit->look->base, u, v, footprint, rgba);
    if (hit->look->base && hit->look->second) {
        const float *blend = hit->triangle->blend;
        double share = mixed(hit, (double)blend[0], (double)blend[1], (double)blend[2]);
        float other[4];
        texture_at(hit->look->second, u, v, footprint, other);
        for (int k = 0; k < 4; k++)
            rgba[k] += (float)clamped(share, 1) * (other[k] - rgba[k]);
    }
    if (hit->look->alpha_tested)
        rgba[3] = rgba[3] >= HALF_OPAQUE;
    else if (!hit->look->translucent)
        rgba[3] = 1;
    rgba[3] *= hit->look->opacity * hit->surface->opacity;
    for (int k = 0; k < 3; k++)
        rgba[k] = render->options.lightmap_only ? 1 : rgba[k] * hit->look->colour[k];
}

static void meet(const struct render *render, double spread, const struct trace_hit *from,
                 struct render_path *path)
{
    const struct triangle *triangle = &render->mesh.triangles[from->triangle];
    const struct surface *surface = &render->mesh.surfaces[triangle->surface];
    struct hit_place hit = {
        .triangle = triangle,
        .surface = surface,
        .look = &render->mesh.looks[surface->look],
        .weights = {1 - (double)from->u - (double)from->v, (double)from->u, (double)from->v},
        .distance = (double)from->distance,
    };
    hit.normal = vec3_from_floats(triangle->normal);
    hit.cosine = -vec3_dot(hit.normal, path->direction);
    if (hit.cosine < 0 && !surface->two_sided)
        return;
    if (hit.cosine < 0)
        hit.normal = vec3_neg(hit.normal);
    hit.cosine = fabs(hit.cosine);
    hit.point = vec3_mad(path->origin, path->direction, hit.distance);
    float rgba[4], light[3];
    look_at(render, spread, &hit, rgba);
    if (rgba[3] <= 0)
        return;
    light_on(render, &hit, light);
    for (int k = 0; k < 3; k++)
        path->colour[k] += path->left * rgba[3] * rgba[k] * light[k];
    path->left *= 1 - rgba[3];
}

/* The room far away, as from where the path began, or the sky itself. */
static void meet_sky(const struct render *render, struct render_path *path)
{
    const struct render_sky_room *room = &render->room;
    if (room->present && !path->in_room) {
        path->in_room = true;
        path->origin = vec3_mad(room->origin, path->origin, 1 / room->scale);
        path->near = 0;
        return;
    }
    float sky[3];
    sky_at(&render->sky, path->direction, sky);
    for (int k = 0; k < 3; k++)
        path->colour[k] += path->left * sky[k];
    path->left = 0;
}

static void go_on(const struct render *render, double spread, const struct trace_hit *hit,
                  struct render_path *path)
{
    if (hit->distance < 0 || hit->class == TRACE_SKY) {
        path->lost = hit->distance < 0 && !path->in_room;
        meet_sky(render, path);
    } else {
        meet(render, spread, hit, path);
        double distance = (double)hit->distance;
        path->near = distance + fmax(STEP, distance * STEP_PART);
    }
    if (path->left < MIN_LEFT)
        path->done = true;
}

void render_follow(const struct render *render, double spread, bool in_room,
                   struct render_path paths[TRACE_PACKET])
{
    for (int i = 0; i < TRACE_PACKET; i++) {
        paths[i].left = 1;
        paths[i].in_room = in_room;
    }
    for (int layer = 0; layer < MAX_LAYERS; layer++) {
        struct trace_packet packet;
        struct trace_hit hits[TRACE_PACKET];
        uint32_t valid = 0;
        for (int i = 0; i < TRACE_PACKET; i++) {
            if (!paths[i].done)
                valid |= 1u << i;
            for (int k = 0; k < 3; k++) {
                packet.origin[k][i] = (float)paths[i].origin.e[k];
                packet.direction[k][i] = (float)paths[i].direction.e[k];
            }
            packet.near[i] = (float)paths[i].near;
            packet.far[i] = (float)FARTHEST;
        }
        if (!valid)
            break;
        trace_closest16(render->mesh.trace, TRACE_FACE | TRACE_SKY, &packet, valid, layer == 0,
                        hits);
        for (int i = 0; i < TRACE_PACKET; i++)
            if (valid >> i & 1)
                go_on(render, spread, &hits[i], &paths[i]);
    }
}
