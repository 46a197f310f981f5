/* Traces paths and shades what they hit. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "render/scene/ambient.h"
#include "render/shade/render_internal.h"

enum { MAX_LAYERS = 48 };

#define FARTHEST         1e6
#define MIN_THROUGHPUT   0.01f /* a smaller share is invisible */
#define HALF_OPAQUE      0.5f
#define STEP             0.01 /* past a surface, in units */
#define STEP_FRACTION    1e-5 /* and a fraction of the distance, for single precision rounding */
#define AMBIENT_DISTANCE 4.0  /* above a surface, for the ambient lookup */

struct surface_hit {
    const struct triangle *triangle;
    const struct surface *surface;
    const struct render_material *material;
    double weights[3]; /* of the corners */
    double distance, cosine;
    struct vec3 point, normal; /* of the visible side */
};

static double interpolated(const struct surface_hit *hit, double a, double b, double c)
{
    return hit->weights[0] * a + hit->weights[1] * b + hit->weights[2] * c;
}

static double clamped(double value, double max)
{
    return value > 0 ? portable_fmin(value, max) : 0;
}

static void lightmap_light(const struct mesh *mesh, const struct surface_hit *hit, float out[3])
{
    const float(*st)[2] = hit->triangle->st;
    const struct surface *surface = hit->surface;
    double at[2], sum[3] = {0};
    for (int i = 0; i < 2; i++) {
        double max = (i ? surface->height : surface->width) - 1;
        at[i] =
            clamped(interpolated(hit, (double)st[0][i], (double)st[1][i], (double)st[2][i]), max);
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

/* Translucent surfaces cast no shadow. */
static bool is_unoccluded(const void *context, const struct trace_ray *ray)
{
    const struct mesh *mesh = context;
    struct trace_hit hit = trace_closest(mesh->trace, TRACE_FACE | TRACE_SKY, ray);
    if (hit.distance < 0 || hit.class == TRACE_SKY)
        return true;
    const struct surface *surface = &mesh->surfaces[mesh->triangles[hit.triangle].surface];
    const struct render_material *material = &mesh->materials[surface->material];
    return surface->opacity < 1 || material->translucent || material->alpha_tested;
}

static void model_light(const struct render *render, const struct surface_hit *hit, float out[3])
{
    const float(*corners)[3] = hit->triangle->corners;
    struct vec3 normal;
    for (int k = 0; k < 3; k++)
        normal.e[k] =
            interpolated(hit, (double)corners[0][k], (double)corners[1][k], (double)corners[2][k]);
    normal = vec3_normalize(normal);
    if (!vec3_is_finite(normal))
        normal = hit->normal;
    render_ambient_light(&render->mesh.ambient_cubes[hit->surface->ambient], normal, out);
    /* Starts above the surface, to avoid self-shadowing. */
    struct vec3 point = vec3_add(hit->point, hit->normal);
    render_lights_add(render->lights, point, normal, is_unoccluded, &render->mesh, out);
}

/* Computes the light on the hit point; 255 is white. */
static void light_at_hit(const struct render *render, const struct surface_hit *hit, float out[3])
{
    const float(*light)[3] = hit->triangle->corners;
    struct render_ambient ambient;
    fill(out, 255);
    switch (hit->surface->lit_by) {
    case LIT_BY_LUXELS:
        lightmap_light(&render->mesh, hit, out);
        break;
    case LIT_BY_VERTICES:
        for (int k = 0; k < 3; k++)
            out[k] = (float)interpolated(hit, (double)light[0][k], (double)light[1][k],
                                         (double)light[2][k]);
        break;
    case LIT_BY_AMBIENT_AND_LIGHTS:
        model_light(render, hit, out);
        break;
    case LIT_BY_AMBIENT:
        if (render_ambient_at(render->bsp, render->light,
                              vec3_mad(hit->point, hit->normal, AMBIENT_DISTANCE), &ambient))
            render_ambient_light(&ambient, hit->normal, out);
        break;
    case LIT_BY_NORMAL:
        /* Without light, shading by the normal tells walls apart; floors are bright. */
        fill(out,
             255 * (0.55 + 0.15 * fabs(hit->normal.x) + 0.3 * portable_fmax(0, hit->normal.z)));
        break;
    case LIT_FULLBRIGHT:
        break;
    }
}

/* Computes colour and opacity of the surface. */
static void material_at(const struct render *render, double spread, const struct surface_hit *hit,
                        float rgba[4])
{
    const float(*uv)[2] = hit->triangle->uv;
    double u = interpolated(hit, (double)uv[0][0], (double)uv[1][0], (double)uv[2][0]);
    double v = interpolated(hit, (double)uv[0][1], (double)uv[1][1], (double)uv[2][1]);
    /* Between the short and the long axis of the footprint of an oblique sample. */
    double footprint = spread * hit->distance / sqrt(portable_fmax(hit->cosine, 0.01)) *
                       (double)hit->triangle->density;
    for (int k = 0; k < 4; k++)
        rgba[k] = 1;
    if (hit->material->base)
        texture_at(hit->material->base, u, v, footprint, rgba);
    if (hit->material->base && hit->material->second) {
        const float *blend = hit->triangle->blend;
        double share = interpolated(hit, (double)blend[0], (double)blend[1], (double)blend[2]);
        float other[4];
        texture_at(hit->material->second, u, v, footprint, other);
        for (int k = 0; k < 4; k++)
            rgba[k] += (float)clamped(share, 1) * (other[k] - rgba[k]);
    }
    if (hit->material->alpha_tested)
        rgba[3] = rgba[3] >= HALF_OPAQUE;
    else if (!hit->material->translucent)
        rgba[3] = 1;
    rgba[3] *= hit->material->opacity * hit->surface->opacity;
    for (int k = 0; k < 3; k++)
        rgba[k] = render->options.lightmap_only ? 1 : rgba[k] * hit->material->colour[k];
}

static void shade_surface(const struct render *render, double spread, const struct trace_hit *from,
                          struct render_path *path)
{
    const struct triangle *triangle = &render->mesh.triangles[from->triangle];
    const struct surface *surface = &render->mesh.surfaces[triangle->surface];
    struct surface_hit hit = {
        .triangle = triangle,
        .surface = surface,
        .material = &render->mesh.materials[surface->material],
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
    material_at(render, spread, &hit, rgba);
    if (rgba[3] <= 0)
        return;
    light_at_hit(render, &hit, light);
    for (int k = 0; k < 3; k++)
        path->colour[k] += path->throughput * rgba[3] * rgba[k] * light[k];
    path->throughput *= 1 - rgba[3];
}

/* Continues in the 3D skybox, or shades the sky itself. */
static void shade_sky(const struct render *render, struct render_path *path)
{
    const struct render_skybox *skybox = &render->skybox;
    if (skybox->present && !path->in_skybox) {
        path->in_skybox = true;
        path->origin = vec3_mad(skybox->origin, path->origin, 1 / skybox->scale);
        path->near = 0;
        return;
    }
    float sky[3];
    sky_at(&render->sky, path->direction, sky);
    for (int k = 0; k < 3; k++)
        path->colour[k] += path->throughput * sky[k];
    path->throughput = 0;
}

static void trace_step(const struct render *render, double spread, const struct trace_hit *hit,
                       struct render_path *path)
{
    if (hit->distance < 0 || hit->class == TRACE_SKY) {
        path->escaped = hit->distance < 0 && !path->in_skybox;
        shade_sky(render, path);
    } else {
        shade_surface(render, spread, hit, path);
        double distance = (double)hit->distance;
        path->near = distance + portable_fmax(STEP, distance * STEP_FRACTION);
    }
    if (path->throughput < MIN_THROUGHPUT)
        path->done = true;
}

void render_trace_paths(const struct render *render, double spread, bool in_skybox,
                        struct render_path paths[TRACE_PACKET])
{
    for (int i = 0; i < TRACE_PACKET; i++) {
        paths[i].throughput = 1;
        paths[i].in_skybox = in_skybox;
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
                trace_step(render, spread, &hits[i], &paths[i]);
    }
}
