/* Pictures of what compilers know: the colour of a surface by each mode, the picture of them, and
 * the lines, marks and legend over it. */
#include "render/debug/debug.h"
#include "common/bsp/query.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "render/overlay/overlay.h"
#include "scene/images/canvas.h"
#include "scene/light/gamma.h"
#include "scene/shade/light_at.h"
#include "scene/views/camera.h"
#include "scene/views/first_hit.h"
#include "vrad/lights/light.h"

struct debug_job {
    const struct render *render;
    const struct debug_source *source;
    struct camera camera;
    unsigned char *row;        /* DEBUG_PVS: of the place's cluster, or of the eye's for overdraw */
    int cluster;               /* of it */
    unsigned char *light_rows; /* DEBUG_LIGHTS: one for each light, or NULL */
    const float *positions;    /* of the corners of triangles: 9 each */
    unsigned char *pixels;
};

struct debug_sample {
    struct vec3 origin, direction;
    struct first_hit hit;
};

/* The colour of a surface, 0 .. 255; right and below are the next pixels, NULL at the edges of the
 * picture. */
typedef struct vec3 debug_colour(const struct debug_job *job, const struct debug_sample *at,
                                 const struct debug_sample *right,
                                 const struct debug_sample *below);

/* Most lights and layers that differ in colour. */
#define DEBUG_MOST 8.0

/* --- colours --- */

#define GOLDEN 0.6180339887498949

static double triangle_wave(double hue)
{
    hue -= floor(hue);
    return portable_fmin(portable_fmax(fabs(6 * hue - 3) - 1, 0), 1);
}

/* A colour for a number that its neighbours do not have. */
static struct vec3 debug_distinct(int number)
{
    double hue = number * GOLDEN, value = 255 * (0.7 + 0.3 * (number % 3) / 2);
    const double third = 1.0 / 3;
    struct vec3 rgb =
        vec3(triangle_wave(hue), triangle_wave(hue - third), triangle_wave(hue + third));
    for (int k = 0; k < 3; k++)
        rgb.e[k] = value * (0.25 + 0.75 * rgb.e[k]);
    return rgb;
}

/* A colour for a part of 0 .. 1: dark blue, cyan, green, yellow, red. */
static struct vec3 debug_heat(double part)
{
    static const struct vec3 steps[] = {{{{22, 28, 90}}},
                                        {{{30, 150, 200}}},
                                        {{{60, 190, 80}}},
                                        {{{250, 220, 60}}},
                                        {{{225, 45, 35}}}};
    const int last = sizeof steps / sizeof *steps - 1;
    double at = portable_fmin(portable_fmax(part, 0), 1) * last;
    int whole = at < last ? (int)at : last - 1;
    return vec3_lerp(steps[whole], steps[whole + 1], at - whole);
}

/* Darkens walls, so that rooms have edges; not floors. */
static struct vec3 debug_shaded(struct vec3 colour, struct vec3 normal)
{
    double up = normal.z > 0 ? normal.z : 0.2 * normal.z;
    return vec3_scale(colour, 0.7 + 0.12 * fabs(normal.x) + 0.3 * up);
}

static struct vec3 debug_normals(const struct debug_job *job, const struct debug_sample *at,
                                 const struct debug_sample *right, const struct debug_sample *below)
{
    (void)job;
    (void)right;
    (void)below;
    struct vec3 half = vec3(127.5, 127.5, 127.5);
    return vec3_mad(half, at->hit.normal, 127.5);
}

/* --- legends --- */

/* The meaning of a colour, for a legend. */
struct debug_key {
    struct vec3 colour;
    const char *text;
};

enum { DEBUG_KEYS = 8 };

/* Ends with a text of NULL. */
static const struct debug_key legends[][DEBUG_KEYS] = {
    [DEBUG_PORTALS] = {{{{{80, 225, 255}}}, "portals between clusters"}},
    [DEBUG_CLUSTERS] = {{{{{200, 200, 200}}}, "a colour for each cluster"}},
    [DEBUG_PVS] = {{{{{255, 220, 90}}}, "the cluster of the place"},
                   {{{{150, 205, 155}}}, "visible from it"},
                   {{{{44, 30, 38}}}, "not visible"}},
    [DEBUG_LEAVES] = {{{{{200, 200, 200}}}, "a colour for each leaf"}},
    [DEBUG_DENSITY] = {{{{{225, 45, 35}}}, "luxels of 2 units"},
                       {{{{240, 140, 40}}}, "4"},
                       {{{{250, 220, 60}}}, "8"},
                       {{{{60, 190, 80}}}, "16"},
                       {{{{30, 150, 200}}}, "32"},
                       {{{{50, 70, 190}}}, "64"},
                       {{{{110, 60, 150}}}, "128 and more"}},
    [DEBUG_SEAMS] = {{{{{50, 160, 80}}}, "lightmaps that meet"},
                     {{{{255, 40, 20}}}, "with different light"}},
    [DEBUG_OVERDRAW] = {{{{{22, 28, 90}}}, "nothing"},
                        {{{{30, 150, 200}}}, "2 surfaces"},
                        {{{{60, 190, 80}}}, "4"},
                        {{{{250, 220, 60}}}, "6"},
                        {{{{225, 45, 35}}}, "8 and more"}},
    [DEBUG_NORMALS] = {{{{{255, 128, 128}}}, "east"},
                       {{{{128, 255, 128}}}, "north"},
                       {{{{128, 128, 255}}}, "up"}},
    [DEBUG_LIGHTS] = {{{{{22, 28, 90}}}, "no light"},
                      {{{{30, 150, 200}}}, "2 lights"},
                      {{{{60, 190, 80}}}, "4"},
                      {{{{250, 220, 60}}}, "6"},
                      {{{{225, 45, 35}}}, "8 and more"}},
};

/* Ends with a text of NULL. */
static const struct debug_key *debug_legend(enum debug_mode mode)
{
    return legends[mode];
}

/* --- what is in the tree: clusters, leaves, visibility, and what a game draws of it --- */

/* The leaf of a surface is that of a point this far before it. */
#define BEFORE 0.5

#define FARTHEST      1e6
#define STEP          0.01
#define STEP_FRACTION 1e-5

enum { MAX_LAYERS = 64 };

/* Returns -1 when the map has no tree. */
static int leaf_before(const struct debug_job *job, struct vec3 point, struct vec3 normal)
{
    if (arrlen(job->render->scene.bsp->leaves) == 0)
        return -1;
    return bsp_leaf_at(job->render->scene.bsp, 0, vec3_mad(point, normal, BEFORE));
}

/* Returns the cluster before a surface; -1: none, or the map has no tree. */
static int debug_cluster(const struct debug_job *job, struct vec3 point, struct vec3 normal)
{
    int leaf = leaf_before(job, point, normal);
    return leaf < 0 ? -1 : job->render->scene.bsp->leaves[leaf].cluster;
}

static struct vec3 debug_clusters(const struct debug_job *job, const struct debug_sample *at,
                                  const struct debug_sample *right,
                                  const struct debug_sample *below)
{
    (void)right;
    (void)below;
    int cluster = debug_cluster(job, at->hit.point, at->hit.normal);
    return cluster < 0 ? vec3(60, 60, 60) : debug_shaded(debug_distinct(cluster), at->hit.normal);
}

static struct vec3 debug_leaves(const struct debug_job *job, const struct debug_sample *at,
                                const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    int leaf = leaf_before(job, at->hit.point, at->hit.normal);
    return leaf < 0 ? vec3(60, 60, 60) : debug_shaded(debug_distinct(leaf), at->hit.normal);
}

static bool is_visible(const struct debug_job *job, int cluster)
{
    if (bsp_vis_clusters(job->render->scene.bsp) == 0)
        return true;
    return job->row && cluster >= 0 && cluster < bsp_vis_clusters(job->render->scene.bsp) &&
           bsp_vis_bit(job->row, cluster);
}

static struct vec3 debug_pvs(const struct debug_job *job, const struct debug_sample *at,
                             const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    int cluster = debug_cluster(job, at->hit.point, at->hit.normal);
    struct vec3 colour = vec3(44, 30, 38);
    if (cluster >= 0 && cluster == job->cluster)
        colour = vec3(255, 220, 90);
    else if (is_visible(job, cluster))
        colour = vec3(150, 205, 155);
    return debug_shaded(colour, at->hit.normal);
}

/* Returns whether a game draws the surface on the ray: its front, in a visible
 * cluster; all that are in the map when it is seen from outside. */
static bool is_drawn(const struct debug_job *job, const struct trace_hit *hit, struct vec3 point,
                     struct vec3 direction)
{
    const struct triangle *triangle = &job->render->scene.mesh.triangles[hit->triangle];
    struct vec3 normal = vec3_from_floats(triangle->normal);
    bool back = vec3_dot(normal, direction) > 0;
    if (back && !surface_has_back(&job->render->scene.mesh.surfaces[triangle->surface],
                                  job->camera.outside))
        return false;
    return job->camera.outside ||
           is_visible(job, debug_cluster(job, point, back ? vec3_neg(normal) : normal));
}

static struct vec3 debug_overdraw(const struct debug_job *job, const struct debug_sample *at,
                                  const struct debug_sample *right,
                                  const struct debug_sample *below)
{
    (void)right;
    (void)below;
    struct trace_ray ray = {.far = (float)FARTHEST};
    int count = 0;
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = (float)at->origin.e[k];
        ray.direction[k] = (float)at->direction.e[k];
    }
    for (int layer = 0; layer < MAX_LAYERS; layer++) {
        struct trace_hit hit =
            trace_closest(job->render->scene.mesh.trace, TRACE_FACE | TRACE_SKY, &ray);
        if (hit.distance < 0)
            break;
        double distance = (double)hit.distance;
        struct vec3 point = vec3_mad(at->origin, at->direction, distance);
        count += hit.class == TRACE_FACE && is_drawn(job, &hit, point, at->direction);
        ray.near = (float)(distance + portable_fmax(STEP, distance * STEP_FRACTION));
    }
    return debug_heat(count / DEBUG_MOST);
}

/* --- what is about light: luxels, seams of lightmaps, lights --- */

/* Two pixels are on surfaces that meet: cosine of their normals, and their distance in units and as
 * a part of that from the eye. */
#define SAME_DIRECTION 0.97
#define NEAR           4.0
#define NEAR_PART      0.02

/* Bytes: from here on a seam is red. */
#define PLAIN_TO_SEE 24.0

#define DIM 0.45

enum { SIZES = 7 }; /* of luxels: from 2 units and less to 128 and more */

/* Bytes of the light alone. */
static struct vec3 light_bytes(const struct debug_job *job, const struct debug_sample *at)
{
    float light[3];
    struct vec3 bytes;
    scene_first_hit_light(&job->render->scene, &at->hit, light);
    for (int k = 0; k < 3; k++)
        bytes.e[k] = gamma_byte((double)light[k] / 255);
    return bytes;
}

static struct vec3 debug_lit(const struct debug_job *job, const struct debug_sample *at,
                             const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    return vec3_scale(light_bytes(job, at), DIM);
}

/* Returns the side of a luxel in units. */
static double luxel_side(const struct debug_job *job, uint32_t number)
{
    const struct triangle *triangle = &job->render->scene.mesh.triangles[number];
    const float *corners = job->positions + 9 * (size_t)number;
    struct vec3 a = vec3_from_floats(corners);
    struct vec3 cross = vec3_cross(vec3_sub(vec3_from_floats(corners + 3), a),
                                   vec3_sub(vec3_from_floats(corners + 6), a));
    double s1 = (double)(triangle->st[1][0] - triangle->st[0][0]),
           t1 = (double)(triangle->st[1][1] - triangle->st[0][1]),
           s2 = (double)(triangle->st[2][0] - triangle->st[0][0]),
           t2 = (double)(triangle->st[2][1] - triangle->st[0][1]);
    double luxels = fabs(s1 * t2 - s2 * t1);
    return luxels > 0 ? sqrt(vec3_length(cross) / luxels) : HUGE_VAL;
}

static struct vec3 debug_density(const struct debug_job *job, const struct debug_sample *at,
                                 const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    const struct triangle *triangle = &job->render->scene.mesh.triangles[at->hit.triangle];
    if (job->render->scene.mesh.surfaces[triangle->surface].lit_by != LIT_BY_LUXELS)
        return debug_shaded(vec3(90, 90, 90), at->hit.normal);
    double side = luxel_side(job, at->hit.triangle), luxel[2] = {0.5, 0.5};
    int size = (int)floor(portable_log2(portable_fmin(portable_fmax(side, 1), 1e6)) + 0.5) - 1;
    size = size < 0 ? 0 : size < SIZES ? size : SIZES - 1;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            luxel[i] += at->hit.weights[k] * (double)triangle->st[k][i];
    bool dark = ((int64_t)floor(luxel[0]) + (int64_t)floor(luxel[1])) % 2;
    return debug_shaded(vec3_scale(debug_legend(DEBUG_DENSITY)[size].colour, dark ? 0.7 : 1),
                        at->hit.normal);
}

/* Returns the difference of the light across a seam, in bytes, or -1 without a seam. */
static double seam_between(const struct debug_job *job, const struct debug_sample *a,
                           const struct debug_sample *b)
{
    const struct mesh *mesh = &job->render->scene.mesh;
    if (!b || b->hit.kind != HIT_SURFACE)
        return -1;
    uint32_t first = mesh->triangles[a->hit.triangle].surface,
             second = mesh->triangles[b->hit.triangle].surface;
    if (first == second || mesh->surfaces[first].lit_by != LIT_BY_LUXELS ||
        mesh->surfaces[second].lit_by != LIT_BY_LUXELS)
        return -1;
    double distance = vec3_distance(a->hit.point, b->hit.point);
    if (vec3_dot(a->hit.normal, b->hit.normal) < SAME_DIRECTION ||
        distance > NEAR + NEAR_PART * a->hit.distance)
        return -1;
    struct vec3 difference = vec3_sub(light_bytes(job, a), light_bytes(job, b));
    return portable_fmax(portable_fmax(fabs(difference.x), fabs(difference.y)), fabs(difference.z));
}

static struct vec3 debug_seams(const struct debug_job *job, const struct debug_sample *at,
                               const struct debug_sample *right, const struct debug_sample *below)
{
    double seam = portable_fmax(seam_between(job, at, right), seam_between(job, at, below));
    if (seam < 0)
        return debug_lit(job, at, right, below);
    return vec3_lerp(vec3(50, 160, 80), vec3(255, 40, 20), portable_fmin(seam / PLAIN_TO_SEE, 1));
}

/* Returns false for a light whose cluster does not see that of the surface; the sun is in none. */
static bool may_reach(const struct debug_job *job, size_t light, int cluster)
{
    int clusters = bsp_vis_clusters(job->render->scene.bsp);
    const struct light *from = &job->render->scene.lights[light];
    if (!job->light_rows || cluster < 0 || from->cluster < 0 || from->type == WORLDLIGHT_SKY)
        return true;
    return bsp_vis_bit(job->light_rows + light * (((size_t)clusters + 7) / 8), cluster);
}

static struct vec3 debug_lights(const struct debug_job *job, const struct debug_sample *at,
                                const struct debug_sample *right, const struct debug_sample *below)
{
    (void)right;
    (void)below;
    const struct render *render = job->render;
    int cluster = debug_cluster(job, at->hit.point, at->hit.normal), count = 0;
    for (size_t i = 0; i < arrlenu(render->scene.lights); i++)
        count += may_reach(job, i, cluster) &&
                 scene_light_reaches(&render->scene, &render->scene.lights[i], at->hit.point,
                                     at->hit.normal);
    return debug_heat(count / DEBUG_MOST);
}

const char *const debug_mode_names[] = {"none",    "portals", "clusters", "pvs",
                                        "leaves",  "density", "seams",    "overdraw",
                                        "normals", "lights",  NULL};

static debug_colour *const colours[] = {
    [DEBUG_NONE] = debug_lit,          [DEBUG_PORTALS] = debug_lit,
    [DEBUG_CLUSTERS] = debug_clusters, [DEBUG_PVS] = debug_pvs,
    [DEBUG_LEAVES] = debug_leaves,     [DEBUG_DENSITY] = debug_density,
    [DEBUG_SEAMS] = debug_seams,       [DEBUG_OVERDRAW] = debug_overdraw,
    [DEBUG_NORMALS] = debug_normals,   [DEBUG_LIGHTS] = debug_lights};

static const struct ink portal_ink = {{80, 225, 255}, 0.9}, place_ink = {{255, 255, 255}, 1},
                        black = {{0, 0, 0}, 1}, white = {{235, 235, 235}, 1};

#define BACKGROUND 26

/* --- pixels --- */

/* Samples of a row of pixels; one below the picture too. */
static void find_row(const struct debug_job *job, int y, struct debug_sample *row)
{
    int width = job->render->options.width;
    for (int x = 0; x < width; x += TRACE_PACKET) {
        struct vec3 origins[TRACE_PACKET], directions[TRACE_PACKET];
        struct first_hit hits[TRACE_PACKET];
        for (int i = 0; i < TRACE_PACKET; i++)
            camera_ray(&job->camera, x + i + 0.5, y + 0.5, &origins[i], &directions[i]);
        scene_first_hits(&job->render->scene, job->camera.outside, origins, directions, 0xffff,
                         hits);
        for (int i = 0; i < TRACE_PACKET && x + i < width; i++)
            row[x + i] = (struct debug_sample){origins[i], directions[i], hits[i]};
    }
}

static void draw_row(void *context, size_t index, int thread)
{
    (void)thread;
    const struct debug_job *job = context;
    size_t width = (size_t)job->render->options.width;
    bool looks_around = job->source->mode == DEBUG_SEAMS;
    struct debug_sample *rows = memory_zalloc(2 * width, sizeof *rows);
    find_row(job, (int)index, rows);
    if (looks_around)
        find_row(job, (int)index + 1, rows + width);
    for (size_t x = 0; x < width; x++) {
        unsigned char *pixel = job->pixels + 3 * (index * width + x);
        struct vec3 colour = vec3(BACKGROUND, BACKGROUND, BACKGROUND);
        if (rows[x].hit.kind == HIT_SURFACE)
            colour = colours[job->source->mode](job, &rows[x], x + 1 < width ? &rows[x + 1] : NULL,
                                                &rows[width + x]);
        for (int k = 0; k < 3; k++)
            pixel[k] = (unsigned char)(colour.e[k] < 255 ? colour.e[k] : 255);
    }
    memory_free(rows);
    progress_step(job->render->scene.env->progress);
}

/* --- lines and marks --- */

static void draw_portals(struct overlay *overlay, const struct prt *portals)
{
    for (size_t i = 0; i < arrlenu(portals->portals); i++) {
        const struct winding *winding = portals->portals[i].winding;
        for (int k = 0; k < winding->count; k++)
            overlay_line(overlay, winding->points[k], winding->points[(k + 1) % winding->count],
                         overlay->text, HIDDEN_NONE, portal_ink);
    }
}

static void mark(struct overlay *overlay, struct vec3 point, struct ink ink)
{
    double at[2];
    int scale = overlay->text;
    if (!overlay_place(overlay, point, at))
        return;
    canvas_disc(&overlay->canvas, at, 4 * scale, black);
    canvas_disc(&overlay->canvas, at, 3 * scale, ink);
}

/* Lights are where their entities are: a BSP of Quake 3 has no others, and one of Source names
 * those of textures too, which are seen. */
static void mark_lights(struct overlay *overlay, const struct render *render)
{
    for (size_t i = 1; i < arrlenu(render->scene.entities.entities); i++) {
        const struct entity *entity = &render->scene.entities.entities[i];
        struct vec3 origin;
        if (strncmp(entity_value(entity, "classname"), "light", 5) == 0 &&
            entity_vector(entity, "origin", &origin) && overlay_shows(overlay, origin))
            mark(overlay, origin, place_ink);
    }
}

static int key_width(const struct debug_key *key, int scale)
{
    return 10 * scale + 8 * scale + canvas_text_width(key->text, scale);
}

static void draw_key(struct canvas *canvas, const struct debug_key *key, int x, int y, int scale)
{
    struct ink ink = {.opacity = 1};
    int side = 8 * scale;
    for (int k = 0; k < 3; k++)
        ink.rgb[k] = (unsigned char)key->colour.e[k];
    canvas_label(canvas, x + side + 4 * scale, y, scale, key->text, white);
    canvas_box(canvas, x - scale, y - scale, side + 2 * scale, side + 2 * scale, black);
    canvas_box(canvas, x, y, side, side, ink);
}

/* Returns how many of the keys are in the first line: one at least, if there are any. */
static int keys_in_line(const struct debug_key *keys, int scale, int width)
{
    int count = 0;
    for (int used = 3 * scale; keys[count].text; count++) {
        used += key_width(&keys[count], scale);
        if (count && used > width)
            break;
    }
    return count;
}

/* In as many lines as it needs, the last at the lower edge. None where it would hide the middle. */
static void draw_legend(struct overlay *overlay, enum debug_mode mode)
{
    struct canvas *canvas = &overlay->canvas;
    const struct debug_key *keys = debug_legend(mode);
    int scale = overlay->text, line = canvas_text_height(scale) + 2 * scale;
    int y = canvas->height;
    for (int i = 0; keys[i].text; i += keys_in_line(keys + i, scale, canvas->width))
        y -= line;
    if (y <= canvas->height / 2)
        return;
    while (keys->text) {
        int count = keys_in_line(keys, scale, canvas->width), x = 3 * scale;
        for (int i = 0; i < count; i++) {
            draw_key(canvas, &keys[i], x, y, scale);
            x += key_width(&keys[i], scale);
        }
        keys += count;
        y += line;
    }
}

static void draw_over(const struct debug_job *job, const struct scene_view *view)
{
    struct overlay overlay;
    overlay_open(job->render, &job->render->options, view, job->pixels, &overlay);
    if (job->source->mode == DEBUG_PORTALS && job->source->portals)
        draw_portals(&overlay, job->source->portals);
    if (job->source->mode == DEBUG_LIGHTS)
        mark_lights(&overlay, job->render);
    if (job->source->mode == DEBUG_PVS &&
        (view->outside || overlay_shows(&overlay, job->source->place)))
        mark(&overlay, job->source->place, place_ink);
    draw_legend(&overlay, job->source->mode);
    overlay_close(&overlay);
}

/* The cluster of the place, or of the eye, with the row of what it sees. */
static void find_visible(struct debug_job *job, struct vec3 place)
{
    const struct bsp *bsp = job->render->scene.bsp;
    int clusters = bsp_vis_clusters(bsp);
    if (arrlen(bsp->leaves) == 0)
        return;
    job->cluster = bsp->leaves[bsp_leaf_at(bsp, 0, place)].cluster;
    if (clusters == 0 || job->cluster < 0)
        return;
    job->row = memory_zalloc(((size_t)clusters + 7) / 8, 1);
    bsp_vis_row(bsp, job->cluster, false, job->row);
}

/* The clusters that each light may reach. */
static void find_light_rows(struct debug_job *job)
{
    const struct render *render = job->render;
    int clusters = bsp_vis_clusters(render->scene.bsp);
    size_t size = ((size_t)clusters + 7) / 8;
    if (clusters == 0 || job->source->mode != DEBUG_LIGHTS)
        return;
    job->light_rows = memory_zalloc(arrlenu(render->scene.lights) + 1, size);
    for (size_t i = 0; i < arrlenu(render->scene.lights); i++)
        bsp_vis_row(render->scene.bsp, render->scene.lights[i].cluster, false,
                    job->light_rows + i * size);
}

unsigned char *debug_draw(const struct render *render, const struct debug_source *source,
                          const struct scene_view *view)
{
    const struct render_options *options = &render->options;
    struct debug_job job = {.render = render,
                            .source = source,
                            .camera =
                                camera_of(view, options->width, options->height, options->fov),
                            .cluster = -1};
    size_t count, rows = (size_t)options->height;
    job.positions = trace_positions(render->scene.mesh.trace, TRACE_FACE, &count);
    job.pixels = memory_zalloc(rows * (size_t)options->width, 3);
    find_visible(&job, source->mode == DEBUG_PVS ? source->place : view->eye);
    find_light_rows(&job);
    progress_begin(render->scene.env->progress, "rendering", rows);
    parallel_for(render->scene.env->threads, rows, draw_row, &job);
    progress_end(render->scene.env->progress);
    draw_over(&job, view);
    memory_free(job.row);
    memory_free(job.light_rows);
    return job.pixels;
}
