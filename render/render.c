#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/luminance.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "render/shade/trace_path.h"
#include "scene/light/gamma.h"
#include "scene/views/camera.h"
#include "scene/views/first_hit.h"

/* --- pictures: rays through their pixels, then tone mapping --- */

/* The exposure of light without high dynamic range in a view that is nearly black. */

enum { WIDTH = 64, HEIGHT = 36, PIXELS = WIDTH * HEIGHT, SAMPLES = 4 };

#define FIELD_OF_VIEW 90.0

/* Bytes of the screen. A view is raised until the median of its surfaces is the first, but no
 * further than to where a tenth of them is as bright as the second: a room with a bright window is
 * not dark. The sky does not count: it may be black. */
#define DARK   20.0
#define BRIGHT 96.0

/* Of exposures: to the double of one, and to the highest, which is 16. */
#define STEPS_TO_DOUBLE 4.0
#define MOST_STEPS      16

/* Keeps the pixels that show a surface. Returns their number. */
static size_t keep_surfaces(const struct map_scene *scene, const struct scene_view *view,
                            double luma[PIXELS])
{
    struct camera camera = camera_of(view, WIDTH, HEIGHT, FIELD_OF_VIEW);
    struct vec3 origins[TRACE_PACKET], directions[TRACE_PACKET];
    struct first_hit hits[TRACE_PACKET];
    size_t count = 0;
    for (int first = 0; first < PIXELS; first += TRACE_PACKET) {
        for (int i = 0; i < TRACE_PACKET; i++)
            camera_ray(&camera, (first + i) % WIDTH + 0.5, (first + i) / WIDTH + 0.5, &origins[i],
                       &directions[i]);
        scene_first_hits(scene, view->outside, origins, directions, 0xffff, hits);
        for (int i = 0; i < TRACE_PACKET; i++)
            if (hits[i].kind == HIT_SURFACE)
                luma[count++] = luma[first + i];
    }
    return count;
}

/* The factor of light that makes a byte another one. */
static double factor_between(double from, double to)
{
    return portable_pow(to / portable_fmax(from, 1), GAMMA);
}

/* The brightness of all pixels of a small picture with exposure 1: free with memory_free. */
static double *draw_luma(const struct render *render, const struct scene_view *view)
{
    struct render_options options = render->options;
    double *luma = memory_alloc(PIXELS * sizeof *luma);
    options.width = WIDTH;
    options.height = HEIGHT;
    options.samples = SAMPLES;
    options.fov = FIELD_OF_VIEW;
    options.exposure = 1;
    unsigned char *bytes = render_draw_as(render, &options, view);
    for (size_t i = 0; i < PIXELS; i++)
        luma[i] = luminance(bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]);
    memory_free(bytes);
    return luma;
}

double render_view_exposure(const struct render *render, const struct scene_view *view)
{
    if (scene_is_hdr(&render->scene) || !render->scene.mesh.lit)
        return 1;
    double *luma = draw_luma(render, view), exposure = 1, wanted = 1;
    size_t count = keep_surfaces(&render->scene, view, luma);
    if (count) {
        qsort(luma, count, sizeof *luma, portable_double_order);
        wanted = portable_fmin(factor_between(luma[count / 2], DARK),
                               factor_between(luma[count * 9 / 10], BRIGHT));
    }
    for (int step = 1; step <= MOST_STEPS && exposure < wanted; step++)
        exposure = portable_pow(2, step / STEPS_TO_DOUBLE);
    memory_free(luma);
    return exposure;
}

/* ---- drawing ---- */

#define WHITE 255.0

/* Weight of a ray that leaves a sealed map through a crack between faces: it counts only if the
 * other rays of the pixel are lost too, as through a wall that is not drawn. */
#define CRACK_WEIGHT 1e-4f

enum { TILE = 4 }; /* pixels per side: a ray packet */

struct draw_job {
    const struct render *render;
    const struct render_options *options;
    struct camera camera;
    bool outside;       /* scene_view */
    bool sealed;        /* the eye is inside a sealed map */
    bool in_skybox;     /* the eye is in the 3D skybox */
    bool quiet;         /* tells no progress */
    double exposure;    /* 0: that of the picture */
    double max_value;   /* clamps samples: otherwise bright lights have ragged edges */
    int tiles;          /* per row */
    float (*pixels)[4]; /* sums, and their weight */
};

/* The van der Corput sequence of base 2. */
static double reversed_bits(uint32_t index)
{
    double value = 0, bit = 0.5;
    for (; index; index >>= 1, bit /= 2)
        if (index & 1)
            value += bit;
    return value;
}

static void sample_tile(const struct draw_job *job, int x, int y, int sample)
{
    const struct render_options *options = job->options;
    struct render_path paths[TRACE_PACKET];
    double dx = (sample + 0.5) / options->samples;
    double dy = reversed_bits((uint32_t)sample) + 0.5 / options->samples;
    /* Half the spacing of the samples: blur is worse than noise. */
    double spread = job->camera.scale / sqrt(sqrt(options->samples));
    for (int i = 0; i < TRACE_PACKET; i++) {
        int px = x + i % TILE, py = y + i / TILE;
        paths[i] = (struct render_path){.in_skybox = job->in_skybox,
                                        .outside = job->outside,
                                        .parallel = job->camera.parallel,
                                        .done = px >= options->width || py >= options->height};
        camera_ray(&job->camera, px + dx, py + dy, &paths[i].origin, &paths[i].direction);
        paths[i].depth = vec3_dot(job->camera.place.axes[0], paths[i].direction);
    }
    render_trace_paths(&job->render->scene, spread, paths);
    for (int i = 0; i < TRACE_PACKET; i++) {
        int px = x + i % TILE, py = y + i / TILE;
        if (px >= options->width || py >= options->height)
            continue;
        float *pixel = job->pixels[(size_t)py * (size_t)options->width + (size_t)px];
        float weight = job->sealed && paths[i].escaped ? CRACK_WEIGHT : 1;
        for (int k = 0; k < 3; k++)
            pixel[k] += weight * (float)portable_fmin((double)paths[i].colour[k], job->max_value);
        pixel[3] += weight;
    }
}

static void draw_row(void *context, size_t index, int thread)
{
    (void)thread;
    const struct draw_job *job = context;
    for (int tile = 0; tile < job->tiles; tile++)
        for (int sample = 0; sample < job->options->samples; sample++)
            sample_tile(job, TILE * tile, TILE * (int)index, sample);
    if (!job->quiet)
        progress_step(job->render->scene.env->progress);
}

static void divide_by_weights(const struct draw_job *job, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            job->pixels[i][k] /= job->pixels[i][3];
}

static bool is_sealed(const struct bsp *bsp, struct vec3 eye)
{
    return bsp_vis_clusters(bsp) > 0 && bsp->leaves[bsp_leaf_at(bsp, 0, eye)].cluster >= 0;
}

/* The factor that is known before the picture; 0: there is none. */
static double known_exposure(const struct render *render, const struct render_options *options,
                             const struct scene_view *view)
{
    if (options->exposure > 0 || scene_is_hdr(&render->scene))
        return options->exposure;
    return options->raise_dark ? render_view_exposure(render, view) : 1;
}

static unsigned char *tone_map(const struct draw_job *job)
{
    size_t count = (size_t)job->options->width * (size_t)job->options->height;
    struct tone tone;
    divide_by_weights(job, count);
    tone_fill(&tone, job->exposure, scene_is_hdr(&job->render->scene));
    if (!(tone.exposure > 0))
        tone.exposure = tone_automatic((const float(*)[4])job->pixels, count);
    unsigned char *bytes = memory_alloc(3 * count);
    for (size_t i = 0; i < 3 * count; i++)
        bytes[i] = tone_byte(&tone, (double)job->pixels[i / 3][i % 3]);
    return bytes;
}

unsigned char *render_draw(const struct render *render, const struct scene_view *view)
{
    return render_draw_as(render, &render->options, view);
}

static struct draw_job job_of(const struct render *render, const struct render_options *options,
                              const struct camera *camera, double exposure)
{
    const struct map_scene *scene = &render->scene;
    struct vec3 eye = camera->place.origin;
    struct draw_job job = {
        .render = render,
        .options = options,
        .exposure = exposure,
        .camera = *camera,
        .outside = camera->outside,
        .max_value = (double)INFINITY,
        .sealed = !camera->outside && is_sealed(scene->bsp, eye),
        .tiles = (options->width + TILE - 1) / TILE,
    };
    if (!scene_is_hdr(&render->scene))
        job.max_value = WHITE / exposure;
    if (scene->skybox.present)
        job.in_skybox =
            scene->bsp->leaves[bsp_leaf_at(scene->bsp, 0, eye)].area == scene->skybox.area;
    return job;
}

static size_t rows_of(const struct render_options *options)
{
    return ((size_t)options->height + TILE - 1) / TILE;
}

void render_light(const struct render *render, const struct render_options *options,
                  const struct camera *camera, float (*pixels)[4])
{
    struct draw_job job = job_of(render, options, camera, 1);
    size_t count = (size_t)options->width * (size_t)options->height;
    memset(pixels, 0, count * sizeof *pixels);
    job.pixels = pixels;
    job.quiet = true;
    parallel_for(render->scene.env->threads, rows_of(options), draw_row, &job);
    divide_by_weights(&job, count);
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            pixels[i][k] /= (float)WHITE;
        pixels[i][3] = 1;
    }
}

unsigned char *render_draw_as(const struct render *render, const struct render_options *options,
                              const struct scene_view *view)
{
    struct camera camera = camera_of(view, options->width, options->height, options->fov);
    struct draw_job job = job_of(render, options, &camera, known_exposure(render, options, view));
    size_t rows = rows_of(options);
    job.pixels =
        memory_zalloc((size_t)options->width * (size_t)options->height, sizeof *job.pixels);
    progress_begin(render->scene.env->progress, "rendering", rows);
    parallel_for(render->scene.env->threads, rows, draw_row, &job);
    progress_end(render->scene.env->progress);
    progress_count(render->scene.env->progress, "rays",
                   (int64_t)options->width * options->height * options->samples);
    unsigned char *bytes = tone_map(&job);
    memory_free(job.pixels);
    return bytes;
}

const struct render_options render_defaults = {
    .width = 1280, .height = 720, .samples = 16, .fov = 90};

enum status render_open(const struct env *env, struct assets *assets, const struct bsp *bsp,
                        const struct render_options *options, struct render **out)
{
    struct render *render = memory_zalloc(1, sizeof *render);
    *out = render;
    render->options = *options;
    render->options.scene.moves_vertices = true;
    return map_scene_open(env, assets, bsp, &render->options.scene, &render->scene);
}

void render_close(struct render *render)
{
    if (!render)
        return;
    map_scene_close(&render->scene);
    memory_free(render);
}
