#include "render/debug/debug.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "render/debug/debug_internal.h"
#include "render/overlay/overlay.h"
#include "vrad/lights/light.h"

/* Colours and legends. */

#define GOLDEN 0.6180339887498949

static double triangle_wave(double hue)
{
    hue -= floor(hue);
    return portable_fmin(portable_fmax(fabs(6 * hue - 3) - 1, 0), 1);
}

struct vec3 debug_distinct(int number)
{
    double hue = number * GOLDEN, value = 255 * (0.7 + 0.3 * (number % 3) / 2);
    const double third = 1.0 / 3;
    struct vec3 rgb =
        vec3(triangle_wave(hue), triangle_wave(hue - third), triangle_wave(hue + third));
    for (int k = 0; k < 3; k++)
        rgb.e[k] = value * (0.25 + 0.75 * rgb.e[k]);
    return rgb;
}

struct vec3 debug_heat(double part)
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

struct vec3 debug_shaded(struct vec3 colour, struct vec3 normal)
{
    double up = normal.z > 0 ? normal.z : 0.2 * normal.z;
    return vec3_scale(colour, 0.7 + 0.12 * fabs(normal.x) + 0.3 * up);
}

struct vec3 debug_normals(const struct debug_job *job, const struct debug_sample *at,
                          const struct debug_sample *right, const struct debug_sample *below)
{
    (void)job;
    (void)right;
    (void)below;
    struct vec3 half = vec3(127.5, 127.5, 127.5);
    return vec3_mad(half, at->hit.normal, 127.5);
}

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

const struct debug_key *debug_legend(enum debug_mode mode)
{
    return legends[mode];
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
