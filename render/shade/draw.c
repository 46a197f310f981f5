/* A picture: rays through its pixels, and what they bring as bytes. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/geom/angle.h"
#include "common/geom/transform.h"
#include "common/parallel/parallel.h"
#include "render/shade/render_internal.h"

#define RADIANS (PI / 180)
#define GAMMA   2.2
#define WHITE   255.0

/* HDR: the mean of the picture, by its logarithm, becomes this share of white; what is several
 * times white just reaches it. */
#define MIDDLE_GREY  0.18
#define BRIGHTEST    6.0
#define MIN_LIGHT    0.02
#define MAX_EXPOSURE 16.0

/* Where faces only nearly meet, a ray may slip between them, out of a map that is closed: it counts
 * only when the others of its pixel do so as well, through a wall that is not drawn. */
#define CRACK_WEIGHT 1e-4f

enum { TILE = 4 }; /* pixels along its sides: a packet of rays */

struct drawing {
    const struct render *render;
    struct transform camera;
    double slope;       /* of the outermost ray to the side */
    bool sealed;        /* from where the eye stands every way ends on a face */
    bool in_room;       /* the eye stands in the sky room */
    double brightest;   /* a sample counts no more: else lamps have ragged edges */
    int tiles;          /* across */
    float (*pixels)[4]; /* sums, and of how much */
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

static struct vec3 ray_of(const struct drawing *drawing, double x, double y)
{
    const struct render_options *options = &drawing->render->options;
    double scale = 2 * drawing->slope / options->width;
    double right = (x - options->width / 2.0) * scale, down = (y - options->height / 2.0) * scale;
    return vec3_normalize(transform_direction(&drawing->camera, vec3(1, -right, -down)));
}

static void sample_tile(const struct drawing *drawing, int x, int y, int sample)
{
    const struct render_options *options = &drawing->render->options;
    struct render_path paths[TRACE_PACKET];
    double dx = (sample + 0.5) / options->samples;
    double dy = reversed_bits((uint32_t)sample) + 0.5 / options->samples;
    /* Half of what evenly spread samples would cover alone: blur costs more than grain. */
    double spread = 2 * drawing->slope / options->width / sqrt(sqrt(options->samples));
    for (int i = 0; i < TRACE_PACKET; i++) {
        int px = x + i % TILE, py = y + i / TILE;
        paths[i] = (struct render_path){.origin = drawing->camera.origin,
                                        .direction = ray_of(drawing, px + dx, py + dy),
                                        .done = px >= options->width || py >= options->height};
    }
    render_follow(drawing->render, spread, drawing->in_room, paths);
    for (int i = 0; i < TRACE_PACKET; i++) {
        int px = x + i % TILE, py = y + i / TILE;
        if (px >= options->width || py >= options->height)
            continue;
        float *pixel = drawing->pixels[(size_t)py * (size_t)options->width + (size_t)px];
        float weight = drawing->sealed && paths[i].lost ? CRACK_WEIGHT : 1;
        for (int k = 0; k < 3; k++)
            pixel[k] += weight * (float)fmin((double)paths[i].colour[k], drawing->brightest);
        pixel[3] += weight;
    }
}

static void draw_row(void *context, size_t index, int thread)
{
    (void)thread;
    const struct drawing *drawing = context;
    for (int tile = 0; tile < drawing->tiles; tile++)
        for (int sample = 0; sample < drawing->render->options.samples; sample++)
            sample_tile(drawing, TILE * tile, TILE * (int)index, sample);
    progress_step(drawing->render->env->progress);
}

static void take_means(const struct drawing *drawing, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            drawing->pixels[i][k] /= drawing->pixels[i][3];
}

static bool is_sealed(const struct bsp *bsp, struct vec3 eye)
{
    return bsp_vis_clusters(bsp) > 0 && bsp->leaves[bsp_leaf_at(bsp, 0, eye)].cluster >= 0;
}

static double luminance(const float pixel[3])
{
    return 0.2126 * (double)pixel[0] + 0.7152 * (double)pixel[1] + 0.0722 * (double)pixel[2];
}

static double find_exposure(const struct drawing *drawing, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log(fmax(luminance(drawing->pixels[i]) / WHITE, MIN_LIGHT));
    return fmin(MIDDLE_GREY / exp(sum / (double)count), MAX_EXPOSURE);
}

/* Light, 1 being white, to a byte. `soft` bends the brightest towards white. */
static unsigned char to_byte(double light, bool soft)
{
    if (soft)
        light = light * (1 + light / (BRIGHTEST * BRIGHTEST)) / (1 + light);
    return (unsigned char)floor(255 * pow(fmin(fmax(light, 0), 1), 1 / GAMMA) + 0.5);
}

static unsigned char *develop(const struct drawing *drawing)
{
    const struct render *render = drawing->render;
    size_t count = (size_t)render->options.width * (size_t)render->options.height;
    bool soft = render->light == &render->bsp->hdr;
    take_means(drawing, count);
    double exposure = render->options.exposure;
    if (exposure == 0)
        exposure = soft ? find_exposure(drawing, count) : 1;
    unsigned char *bytes = memory_alloc(3 * count);
    for (size_t i = 0; i < 3 * count; i++)
        bytes[i] = to_byte(exposure * (double)drawing->pixels[i / 3][i % 3] / WHITE, soft);
    return bytes;
}

unsigned char *render_draw(const struct render *render, const struct render_view *view)
{
    const struct render_options *options = &render->options;
    struct drawing drawing = {
        .render = render,
        .camera = transform_from_angles(view->eye, view->angles, 1),
        .slope = tan(options->fov / 2 * RADIANS),
        .brightest = (double)INFINITY,
        .sealed = is_sealed(render->bsp, view->eye),
        .tiles = (options->width + TILE - 1) / TILE,
    };
    if (render->light != &render->bsp->hdr)
        drawing.brightest = options->exposure > 0 ? WHITE / options->exposure : WHITE;
    if (render->room.present)
        drawing.in_room =
            render->bsp->leaves[bsp_leaf_at(render->bsp, 0, view->eye)].area == render->room.area;
    drawing.pixels =
        memory_zalloc((size_t)options->width * (size_t)options->height, sizeof *drawing.pixels);
    size_t rows = ((size_t)options->height + TILE - 1) / TILE;
    progress_begin(render->env->progress, "rendering", rows);
    parallel_for(render->env->threads, rows, draw_row, &drawing);
    progress_end(render->env->progress);
    progress_count(render->env->progress, "rays",
                   (int64_t)options->width * options->height * options->samples);
    unsigned char *bytes = develop(&drawing);
    memory_free(drawing.pixels);
    return bytes;
}
