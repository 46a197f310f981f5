/* The exposure of light without high dynamic range in a view that is nearly black. */
#include <stdlib.h>

#include "common/core/luminance.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "render/render.h"
#include "scene/light/gamma.h"
#include "scene/views/camera.h"
#include "scene/views/first_hit.h"

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
