/* Traces paths and shades what they hit. */
#include "render/shade/trace_path.h"

#include <string.h>

#include "common/core/portable_math.h"
#include "scene/shade/material_at.h"

enum { MAX_LAYERS = 48 };

#define FARTHEST          1e6
#define SKY_DISTANCE      1e5
#define MIN_THROUGHPUT    0.01f /* a smaller share is invisible */
#define STEP              0.01  /* past a surface, in units */
#define STEP_FRACTION     1e-5  /* and a fraction of the distance, for single precision rounding */
#define WATER_REFLECTANCE 0.02  /* looked at from straight above */
#define BACKGROUND        8.0f  /* of views from outside */
#define WHITE             255.0f

/* Adds what the rest of a path meets, all that is behind. */
static void end_path(const struct map_scene *scene, struct render_path *path, const float light[3])
{
    for (int k = 0; k < 3; k++) {
        float seen = scene_blends_on_screen(scene)
                         ? screen_brightness(&scene->materials.screen, light[k] / WHITE)
                         : light[k];
        path->colour[k] += path->throughput[k] * seen;
        path->throughput[k] = 0;
    }
}

/* The fog of Quake 3. Views from outside are without it, as those in which only light is shown. */
static struct layer_fog fog_at(const struct map_scene *scene, const struct surface_hit *hit,
                               const struct render_path *path)
{
    struct layer_fog out = {.share = 0};
    if (hit->surface->fog < 0 || path->outside || scene->options.lightmap_only)
        return out;
    const struct fog_volume *fog = &scene->fogs[hit->surface->fog];
    const float *corners = scene_corners(scene, hit->triangle);
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
    const struct surface_view view = {width, path->direction, fog_at(scene, &hit, path)};
    struct blended blended;
    scene_material_at(scene, &hit, &view, &blended);
    add_blended(&blended, path);
}

void render_sky_at(const struct map_scene *scene, struct vec3 direction, double spread,
                   float out[3])
{
    if (scene->hdr_sky.sides[0].light) {
        sky_sides_at(&scene->hdr_sky, direction, out);
        for (int k = 0; k < 3; k++)
            out[k] *= WHITE;
    } else if (scene->sky_box) {
        sky_box_at(scene->sky_box, direction, spread, out);
        for (int k = 0; k < 3; k++)
            out[k] = WHITE * screen_light(&scene->materials.screen, out[k]);
    } else
        sky_at(&scene->sky, direction, out);
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
    for (int i = 0; i < TRACE_PACKET && scene_blends_on_screen(scene); i++)
        for (int k = 0; k < 3; k++)
            paths[i].colour[k] = WHITE * screen_light(&scene->materials.screen, paths[i].colour[k]);
}
