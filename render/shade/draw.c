/* Draws a picture: rays through its pixels, then tone mapping. */
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"
#include "render/render.h"
#include "render/shade/trace_path.h"
#include "scene/light/tone.h"
#include "scene/views/camera.h"

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
