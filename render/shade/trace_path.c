/* Traces paths and shades what they hit. */
#include "render/shade/trace_path.h"

#include <string.h>

#include "common/core/portable_math.h"
#include "scene/shade/light_at.h"

enum { MAX_LAYERS = 48 };

#define FARTHEST          1e6
#define SKY_DISTANCE      1e5
#define MIN_THROUGHPUT    0.01f /* a smaller share is invisible */
#define HALF_OPAQUE       0.5f
#define STEP              0.01 /* past a surface, in units */
#define STEP_FRACTION     1e-5 /* and a fraction of the distance, for single precision rounding */
#define WATER_REFLECTANCE 0.02 /* looked at from straight above */
#define BACKGROUND        8.0f /* of views from outside */
#define WHITE             255.0f

/* Games whose materials are shaders blend what is on the screen, others light. */
static bool blends_on_screen(const struct map_scene *scene)
{
    return scene->bsp->engine->has_shaders;
}

static double footprint_of(const struct surface_hit *hit, double width)
{
    /* Between the short and the long axis of the footprint of an oblique sample. */
    return width / sqrt(portable_fmax(hit->cosine, 0.01)) * (double)hit->triangle->density;
}

static double texture_place(const struct surface_hit *hit, int axis)
{
    const float(*uv)[2] = hit->triangle->uv;
    return surface_interpolated(hit, (double)uv[0][axis], (double)uv[1][axis], (double)uv[2][axis]);
}

static double vertex_blend(const struct surface_hit *hit)
{
    const float *blend = hit->triangle->blend;
    double share = surface_interpolated(hit, (double)blend[0], (double)blend[1], (double)blend[2]);
    return portable_fmin(portable_fmax(share, 0), 1);
}

/* Computes colour and opacity of the surface, for a ray that is `width` wide there. */
static void material_at(const struct map_scene *scene, double width, const struct surface_hit *hit,
                        float rgba[4])
{
    double u = texture_place(hit, 0), v = texture_place(hit, 1);
    double footprint = footprint_of(hit, width);
    for (int k = 0; k < 4; k++)
        rgba[k] = 1;
    if (hit->material->base)
        texture_at(hit->material->base, u, v, footprint, rgba);
    if (hit->material->base && hit->material->second) {
        double share = vertex_blend(hit);
        float other[4];
        texture_at(hit->material->second, u, v, footprint, other);
        for (int k = 0; k < 4; k++)
            rgba[k] += (float)share * (other[k] - rgba[k]);
    }
    if (hit->material->grid) {
        double extent = width / sqrt(portable_fmax(hit->cosine, 0.01));
        float grid = grid_at(hit->material->grid, hit->point, hit->normal, extent);
        for (int k = 0; k < 3; k++)
            rgba[k] *= grid;
    }
    if (hit->material->alpha_tested)
        rgba[3] = rgba[3] >= HALF_OPAQUE;
    else if (!hit->material->translucent)
        rgba[3] = 1;
    rgba[3] *= hit->material->opacity * hit->surface->opacity;
    for (int k = 0; k < 3; k++)
        rgba[k] = scene->options.lightmap_only ? 1 : rgba[k] * hit->material->colour[k];
}

/* Adds what the rest of a path meets, all that is behind. */
static void end_path(const struct map_scene *scene, struct render_path *path, const float light[3])
{
    for (int k = 0; k < 3; k++) {
        float seen = blends_on_screen(scene)
                         ? screen_brightness(&scene->materials.screen, light[k] / WHITE)
                         : light[k];
        path->colour[k] += path->throughput[k] * seen;
        path->throughput[k] = 0;
    }
}

/* Returns the corners of a triangle: nine numbers. */
static const float *corners_of(const struct map_scene *scene, const struct triangle *triangle)
{
    size_t count;
    return trace_positions(scene->mesh.trace, TRACE_FACE, &count) +
           9 * (size_t)(triangle - scene->mesh.triangles);
}

/* The fog of Quake 3. Views from outside are without it, as those in which only light is shown. */
static struct layer_fog fog_at(const struct map_scene *scene, const struct surface_hit *hit,
                               const struct render_path *path)
{
    struct layer_fog out = {.share = 0};
    if (hit->surface->fog < 0 || path->outside || scene->options.lightmap_only)
        return out;
    const struct fog_volume *fog = &scene->fogs[hit->surface->fog];
    const float *corners = corners_of(scene, hit->triangle);
    double parts[3];
    if (!fog->present)
        return out;
    for (int i = 0; i < 3; i++)
        parts[i] = fog_part(fog, path->origin, vec3_from_floats(corners + 3 * (size_t)i));
    for (int k = 0; k < 3; k++)
        out.colour[k] = (float)fog->colour[k];
    out.share = fog_share(fog, hit->distance * path->depth,
                          surface_interpolated(hit, parts[0], parts[1], parts[2]));
    return out;
}

static void add_blended(const struct blended *blended, struct render_path *path)
{
    for (int k = 0; k < 3; k++) {
        path->colour[k] += path->throughput[k] * blended->added[k];
        path->throughput[k] *= blended->kept[k];
    }
}

/* A surface whose light is blended by its alpha on the screen. */
static void blend_material(const struct map_scene *scene, const struct surface_hit *hit,
                           const float rgba[4], const float light[3], struct render_path *path)
{
    const struct layer_fog fog = fog_at(scene, hit, path);
    float kept = hit->material->additive ? 1 : 1 - rgba[3];
    struct blended blended;
    for (int k = 0; k < 3; k++) {
        float seen = screen_brightness(&scene->materials.screen, rgba[k] * light[k] / WHITE);
        blended.added[k] = rgba[3] * seen;
        blended.kept[k] = kept;
    }
    if (kept <= 0)
        layer_fog_over(&fog, &blended);
    add_blended(&blended, path);
}

static void shade_material(const struct map_scene *scene, double width,
                           const struct surface_hit *hit, struct render_path *path)
{
    float rgba[4], light[3];
    material_at(scene, width, hit, rgba);
    if (rgba[3] <= 0)
        return;
    scene_light_at(scene, hit, light);
    if (blends_on_screen(scene)) {
        blend_material(scene, hit, rgba, light, path);
        return;
    }
    for (int k = 0; k < 3; k++) {
        path->colour[k] += path->throughput[k] * rgba[3] * rgba[k] * light[k];
        path->throughput[k] *= hit->material->additive ? 1 : 1 - rgba[3];
    }
}

static void shade_layers(const struct map_scene *scene, double width, const struct surface_hit *hit,
                         struct render_path *path)
{
    struct layer_point point = {.place = {texture_place(hit, 0), texture_place(hit, 1)},
                                .footprint = footprint_of(hit, width),
                                .opacity = (float)vertex_blend(hit),
                                .corners = corners_of(scene, hit->triangle),
                                .weights = hit->weights,
                                .fog = fog_at(scene, hit, path)};
    struct vec3 seen = vec3_mad(path->direction, hit->normal, 2 * hit->cosine);
    point.reflection[0] = 0.5 + 0.5 * seen.y;
    point.reflection[1] = 0.5 - 0.5 * seen.z;
    scene_light_at(scene, hit, point.light);
    for (int k = 0; k < 3; k++)
        point.light[k] /= WHITE;
    struct blended blended = blended_none;
    layers_over(hit->material->layers, &point, &blended);
    add_blended(&blended, path);
}

/* Schlick's approximation of Fresnel's equations, for water. What is mirrored in a mirror is not.
 */
static void leave_mirror(const struct surface_hit *hit, struct render_path *path)
{
    double part = 1 - hit->cosine, squared = part * part;
    float share = (float)(WATER_REFLECTANCE + (1 - WATER_REFLECTANCE) * squared * squared * part);
    path->mirror =
        (struct render_mirror){.origin = vec3_mad(hit->point, hit->normal, STEP),
                               .direction = vec3_mad(path->direction, hit->normal, 2 * hit->cosine),
                               .travelled = path->travelled + hit->distance,
                               .present = true};
    for (int k = 0; k < 3; k++) {
        path->mirror.share[k] = share * path->throughput[k];
        path->throughput[k] *= 1 - share;
    }
}

static void shade_surface(const struct map_scene *scene, double spread,
                          const struct trace_hit *from, struct render_path *path)
{
    struct surface_hit hit = surface_hit_of(scene, from->triangle);
    hit.weights[0] = 1 - (double)from->u - (double)from->v;
    hit.weights[1] = (double)from->u;
    hit.weights[2] = (double)from->v;
    hit.distance = (double)from->distance;
    hit.cosine = -vec3_dot(hit.normal, path->direction);
    bool from_behind = hit.cosine < 0;
    if (from_behind && !surface_has_back(hit.surface, path->outside))
        return;
    if (from_behind)
        hit.normal = vec3_neg(hit.normal);
    if (from_behind && hit.surface->paired)
        hit.material = &scene->mesh.materials[hit.surface->back_material];
    hit.cosine = fabs(hit.cosine);
    hit.point = vec3_mad(path->origin, path->direction, hit.distance);
    double width = path->parallel ? spread : spread * (path->travelled + hit.distance);
    if (hit.material->mirrors && (!from_behind || hit.surface->paired) && !path->mirrored &&
        !path->mirror.present && !scene->options.lightmap_only)
        leave_mirror(&hit, path);
    if (hit.material->layers && !scene->options.lightmap_only)
        shade_layers(scene, width, &hit, path);
    else
        shade_material(scene, width, &hit, path);
}

void render_sky_at(const struct map_scene *scene, struct vec3 direction, double spread,
                   float out[3])
{
    if (!scene->sky_box) {
        sky_at(&scene->sky, direction, out);
        return;
    }
    sky_box_at(scene->sky_box, direction, spread, out);
    for (int k = 0; k < 3; k++)
        out[k] = WHITE * screen_light(&scene->materials.screen, out[k]);
}

/* The clouds of a sky in a volume of fog are in it too, as far away as they are: below its top. */
static void fog_sky(const struct map_scene *scene, int number, struct render_path *path)
{
    const struct fog_volume *fog = number >= 0 ? &scene->fogs[number] : NULL;
    if (!fog || !fog->present || !scene->sky_box || !scene->sky_box->clouds.count)
        return;
    struct vec3 far = vec3_mad(path->origin, path->direction, SKY_DISTANCE);
    const struct layer_fog over = {
        .colour = {(float)fog->colour[0], (float)fog->colour[1], (float)fog->colour[2]},
        .share = fog_share(fog, SKY_DISTANCE, fog_part(fog, path->origin, far))};
    struct blended blended = blended_none;
    layer_fog_over(&over, &blended);
    add_blended(&blended, path);
}

/* Continues in the 3D skybox, or shades the sky itself. `fog`: as of a surface. */
static void shade_sky(const struct map_scene *scene, double spread, int fog,
                      struct render_path *path)
{
    const struct map_skybox *skybox = &scene->skybox;
    static const float background[3] = {BACKGROUND, BACKGROUND, BACKGROUND};
    if (path->outside) {
        end_path(scene, path, background);
        return;
    }
    if (skybox->present && !path->in_skybox) {
        path->in_skybox = true;
        path->origin = vec3_mad(skybox->origin, path->origin, 1 / skybox->scale);
        path->near = 0;
        return;
    }
    float sky[3];
    fog_sky(scene, fog, path);
    render_sky_at(scene, path->direction, spread, sky);
    end_path(scene, path, sky);
}

/* False when nothing that follows would be seen. */
static bool has_throughput(const struct render_path *path)
{
    bool any = false;
    for (int k = 0; k < 3; k++)
        any |= path->throughput[k] >= MIN_THROUGHPUT;
    return any;
}

static void trace_step(const struct map_scene *scene, double spread, const struct trace_hit *hit,
                       struct render_path *path)
{
    bool sky = hit->distance >= 0 && hit->class == TRACE_SKY &&
               !mesh_sky_is_back(&scene->mesh, hit->triangle, path->direction);
    if (hit->distance < 0 || sky) {
        path->escaped = hit->distance < 0 && !path->in_skybox;
        shade_sky(scene, spread, sky ? scene->mesh.sky_fogs[hit->triangle] : -1, path);
    } else {
        if (hit->class != TRACE_SKY)
            shade_surface(scene, spread, hit, path);
        double distance = (double)hit->distance;
        path->near = distance + portable_fmax(STEP, distance * STEP_FRACTION);
    }
    path->done |= !has_throughput(path);
}

static void trace_to_ends(const struct map_scene *scene, double spread,
                          struct render_path paths[TRACE_PACKET])
{
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
        trace_closest16(scene->mesh.trace, TRACE_FACE | TRACE_SKY, &packet, valid, layer == 0,
                        hits);
        for (int i = 0; i < TRACE_PACKET; i++)
            if (valid >> i & 1)
                trace_step(scene, spread, &hits[i], &paths[i]);
    }
}

static void trace_mirrors(const struct map_scene *scene, double spread,
                          struct render_path paths[TRACE_PACKET])
{
    struct render_path second[TRACE_PACKET];
    bool any = false;
    for (int i = 0; i < TRACE_PACKET; i++) {
        const struct render_mirror *mirror = &paths[i].mirror;
        second[i] = (struct render_path){.origin = mirror->origin,
                                         .direction = mirror->direction,
                                         .depth = paths[i].depth,
                                         .travelled = mirror->travelled,
                                         .parallel = paths[i].parallel,
                                         .outside = paths[i].outside,
                                         .in_skybox = paths[i].in_skybox,
                                         .mirrored = true,
                                         .done = !mirror->present};
        memcpy(second[i].throughput, mirror->share, sizeof mirror->share);
        any |= mirror->present;
    }
    if (!any)
        return;
    trace_to_ends(scene, spread, second);
    for (int i = 0; i < TRACE_PACKET; i++)
        for (int k = 0; k < 3; k++)
            paths[i].colour[k] += second[i].colour[k];
}

void render_trace_paths(const struct map_scene *scene, double spread,
                        struct render_path paths[TRACE_PACKET])
{
    for (int i = 0; i < TRACE_PACKET; i++)
        for (int k = 0; k < 3; k++)
            paths[i].throughput[k] = 1;
    trace_to_ends(scene, spread, paths);
    trace_mirrors(scene, spread, paths);
    for (int i = 0; i < TRACE_PACKET && blends_on_screen(scene); i++)
        for (int k = 0; k < 3; k++)
            paths[i].colour[k] = WHITE * screen_light(&scene->materials.screen, paths[i].colour[k]);
}
