#include <float.h>
#include <math.h>
#include <string.h>

#include "common/assets/textures/image.h"
#include "common/core/array.h"
#include "common/core/base64.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/leaks.def"
#include "common/geom/angle.h"
#include "render/pictures/comparison.h"
#include "render/pictures/overview.h"
#include "report/sections/place.h"
#include "report/sections/sections.h"
#include "scene/images/image_encode.h"
#include "scene/scene.h"
#include "scene/views/first_hit.h"
#include "scene/views/scene_view.h"

/* --- the spawns of a map, of which those near each other are one --- */

/* Spawns that are nearer than this, in units, and see each other. */
#define SPAWNS_NEAR 256.0

struct spawn_view {
    struct scene_view view;
    size_t others; /* spawns near it */
};

enum { CONSIDERED = 1024 /* spawns: each is compared with each */ };

static bool see_each_other(const struct map_scene *scene, struct vec3 a, struct vec3 b)
{
    struct trace_ray ray = {.far = 1};
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = (float)a.e[k];
        ray.direction[k] = (float)(b.e[k] - a.e[k]);
    }
    return !trace_occluded(scene->mesh.trace, TRACE_FACE | TRACE_SKY, &ray);
}

/* Returns the first spawn that this one is near, or NULL. */
static struct spawn_view *near_one(const struct map_scene *scene, struct spawn_view *spawns,
                                   const struct scene_view *view)
{
    for (size_t i = 0; i < arrlenu(spawns); i++)
        if (vec3_distance(spawns[i].view.eye, view->eye) < SPAWNS_NEAR &&
            see_each_other(scene, spawns[i].view.eye, view->eye))
            return &spawns[i];
    return NULL;
}

static struct spawn_view *spawns_of(const struct map_scene *scene)
{
    struct scene_view *views = scene_spawn_views(scene);
    struct spawn_view *spawns = NULL;
    for (size_t i = 0; i < arrlenu(views) && i < CONSIDERED; i++) {
        struct spawn_view *joined = near_one(scene, spawns, &views[i]);
        if (joined)
            joined->others++;
        else
            arrput(spawns, ((struct spawn_view){.view = views[i]}));
    }
    arrfree(views);
    return spawns;
}

static double distance_to(const struct spawn_view *spawns, size_t count, struct vec3 eye)
{
    double nearest = DBL_MAX;
    for (size_t i = 0; i < count; i++)
        nearest = portable_fmin(nearest, vec3_distance(spawns[i].view.eye, eye));
    return nearest;
}

static size_t farthest_of(const struct spawn_view *spawns, size_t chosen)
{
    size_t farthest = chosen;
    double greatest = -1;
    for (size_t i = chosen; i < arrlenu(spawns); i++) {
        const double distance = distance_to(spawns, chosen, spawns[i].view.eye);
        if (distance > greatest) {
            greatest = distance;
            farthest = i;
        }
    }
    return farthest;
}

/* Returns at most `wanted` views, an stb_ds array: the first spawn, then each time the one that is
 * farthest from those before. None for a map without a spawn in the open. */
static struct spawn_view *spawn_views_choose(const struct map_scene *scene, size_t wanted)
{
    struct spawn_view *spawns = spawns_of(scene);
    for (size_t chosen = 1; chosen < wanted && chosen < arrlenu(spawns); chosen++) {
        const size_t farthest = farthest_of(spawns, chosen);
        const struct spawn_view taken = spawns[farthest];
        spawns[farthest] = spawns[chosen];
        spawns[chosen] = taken;
    }
    if (arrlenu(spawns) > wanted)
        arrsetlen(spawns, wanted);
    return spawns;
}

enum { QUALITY = 88 };

/* Free at each edge of the view from above, as a part of the picture. */
#define BORDER 0.02

/* Of a natural logarithm of a ratio of squares: 10 / ln 10. */
#define DECIBELS 4.342944819032518

/* --- views --- */

/* Both maps from above, where ceilings are seen through. */
static struct scene_view view_from_above(const struct report_source *source)
{
    const struct render *render = source->map.render;
    struct bounds bounds = overview_bounds(render);
    if (source->against.render) {
        const struct bounds before = overview_bounds(source->against.render);
        bounds_add_point(&bounds, before.mins);
        bounds_add_point(&bounds, before.maxs);
    }
    return overview_of(&bounds, BORDER, render->options.width, render->options.height).view;
}

/* --- pictures --- */

static size_t bytes_of(const struct render *render)
{
    return 3 * (size_t)render->options.width * (size_t)render->options.height;
}

static void put_image(struct bytes *out, int width, int height, const char *name, const char *type,
                      const struct bytes *file)
{
    bytes_append_text(out, "<img width=\"%d\" height=\"%d\" alt=\"", width, height);
    html_text(out, name);
    bytes_append_text(out, "\" src=\"data:image/%s;base64,", type);
    base64_append(out, file->data, file->size);
    bytes_append_text(out, "\">");
}

static void put_picture(const struct report_page *page, const struct render *render,
                        const unsigned char *pixels, const char *name)
{
    const struct render_options *options = &render->options;
    struct bytes jpeg = {0};
    jpeg_encode(pixels, options->width, options->height, QUALITY, &jpeg);
    put_image(page->out, options->width, options->height, name, "jpeg", &jpeg);
    bytes_free(&jpeg);
}

static void put_difference(const struct report_page *page, const unsigned char *now,
                           const unsigned char *then, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double difference = fabs((double)now[i] - then[i]);
        sum += difference;
        squares += difference * difference;
    }
    if (squares > 0)
        bytes_append_text(page->out, "<strong>Mean difference %.2f of 255, PSNR %.1f dB.</strong> ",
                          sum / (double)count,
                          DECIBELS * portable_log(255.0 * 255.0 * (double)count / squares));
    else
        bytes_append_text(page->out, "<strong>No difference.</strong> ");
}

enum { STEPS = 20 /* between the ends of a slider */ };

/* Two pictures in one place, and the places where the border between them may be: report.css. */
static void put_slider(const struct report_page *page, const unsigned char *then,
                       const unsigned char *now)
{
    struct bytes *out = page->out;
    const size_t name = out->size; /* another one for each */
    bytes_append_text(out, "<div class=\"slider\" role=\"radiogroup\" aria-label=\"Border between "
                           "before and after\">");
    for (int i = 0; i <= STEPS; i++)
        bytes_append_text(out,
                          "<input type=\"radio\" name=\"slider-%zu\" aria-label=\"%d %% "
                          "before\"%s>",
                          name, 100 * i / STEPS, 2 * i == STEPS ? " checked" : "");
    put_picture(page, page->source->map.render, now, "after");
    bytes_append_text(out, "<div class=\"before\">");
    put_picture(page, page->source->against.render, then, "before");
    bytes_append_text(out,
                      "</div></div>\n<p class=\"sides\" aria-hidden=\"true\"><span>before</span>"
                      "<span>after</span></p>\n");
}

static void put_change(const struct report_page *page, const unsigned char *then,
                       const unsigned char *now)
{
    const struct render *render = page->source->map.render;
    struct canvas change =
        comparison_change(then, now, render->options.width, render->options.height);
    put_picture(page, render, change.pixels, "difference");
    bytes_append_text(page->out, "<p class=\"sides\">difference: brighter is yellow, darker is blue"
                                 "</p>\n");
    memory_free(change.pixels);
}

static void put_pair(const struct report_page *page, const struct scene_view *view,
                     const unsigned char *now)
{
    const size_t size = bytes_of(page->source->map.render);
    unsigned char *then = render_draw(page->source->against.render, view);
    bytes_append_text(page->out, "<div class=\"pair\"><div>");
    put_slider(page, then, now);
    bytes_append_text(page->out, "</div><div>");
    put_change(page, then, now);
    bytes_append_text(page->out, "</div></div>\n<figcaption>");
    put_difference(page, now, then, size);
    memory_free(then);
}

/* The title is what the caller appends to the caption. */
static void open_view(const struct report_page *page, const struct scene_view *view,
                      const char *name)
{
    const struct render *render = page->source->map.render;
    unsigned char *now = render_draw(render, view);
    bytes_append_text(page->out, "<figure>\n");
    if (page->source->against.render) {
        put_pair(page, view, now);
    } else {
        put_picture(page, render, now, name);
        bytes_append_text(page->out, "\n<figcaption>");
    }
    memory_free(now);
}

static void close_view(const struct report_page *page, const struct scene_view *view)
{
    const struct render *render = page->source->map.render;
    const struct render *against = page->source->against.render;
    if (!view->outside) {
        bytes_append_text(page->out, " ");
        report_put_view(page->out, render->scene.bsp->engine, view);
    }
    if (!view->outside && against && scene_is_solid_at(&against->scene, view->eye))
        bytes_append_text(page->out, " The older map is solid at this place.");
    bytes_append_text(page->out, "</figcaption>\n</figure>\n");
}

static void put_view(const struct report_page *page, const struct scene_view *view,
                     const char *title)
{
    open_view(page, view, title);
    bytes_append_text(page->out, "%s.", title);
    close_view(page, view);
}

static void put_spawn(const struct report_page *page, const struct spawn_view *spawn)
{
    open_view(page, &spawn->view, "From a spawn");
    bytes_append_text(page->out, "From a spawn.");
    if (spawn->others)
        bytes_append_text(page->out, " %zu more %s near it, within %.0f units.", spawn->others,
                          spawn->others == 1 ? "is" : "are", SPAWNS_NEAR);
    close_view(page, &spawn->view);
}

/* --- the leak --- */

/* Returns what the build has said of the leak, or NULL. */
static const char *leak_text(const struct report_page *page)
{
    for (size_t i = 0; i < json_array_size(page->messages); i++) {
        const json_t *row = json_array_get(page->messages, i);
        const char *code = json_string_value(json_object_get(row, "code"));
        if (code && strcmp(code, diag_info(DIAG_LEAK)->code) == 0)
            return json_string_value(json_object_get(row, "text"));
    }
    return NULL;
}

static bool png_size(const struct bytes *file, int *width, int *height)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    return file->size > sizeof signature && memcmp(file->data, signature, sizeof signature) == 0 &&
           image_size(file->data, file->size, width, height);
}

static void put_leak(const struct report_page *page)
{
    const struct bytes *file = &page->source->leak_picture;
    const char *text = leak_text(page);
    int width, height;
    if (!text || !png_size(file, &width, &height))
        return;
    bytes_append_text(page->out, "<figure class=\"leak\">\n");
    put_image(page->out, width, height, "Where the map leaks", "png", file);
    bytes_append_text(page->out, "\n<figcaption><strong class=\"error\">&#10005; ");
    html_text(page->out, text);
    bytes_append_text(page->out, ".</strong> The yellow line is the way out.</figcaption>\n"
                                 "</figure>\n");
}

static void put_spawns(const struct report_page *page)
{
    const struct map_scene *scene = &page->source->map.render->scene;
    struct spawn_view *spawns = spawn_views_choose(scene, (size_t)page->settings->pictures);
    struct scene_view start;
    for (size_t i = 0; i < arrlenu(spawns); i++)
        put_spawn(page, &spawns[i]);
    if (!arrlen(spawns) && page->settings->pictures && scene_start_view(scene, &start))
        put_view(page, &start, "From where most is seen");
    arrfree(spawns);
}

/* --- the worst light --- */

/* The eye is this far from the face at most, and nearer if something is before it. */
#define STAND_OFF 160.0

static double room_before(const struct map_scene *scene, struct vec3 at, struct vec3 normal)
{
    struct vec3 origins[TRACE_PACKET] = {vec3_add(at, normal)}, directions[TRACE_PACKET] = {normal};
    struct first_hit hits[TRACE_PACKET];
    scene_first_hits(scene, false, origins, directions, 1, hits);
    return hits[0].distance;
}

static struct vec3 angles_of(struct vec3 direction)
{
    const double across = sqrt(direction.x * direction.x + direction.y * direction.y);
    return vec3(-portable_atan2(direction.z, across) / DEGREE,
                portable_atan2(direction.y, direction.x) / DEGREE, 0);
}

/* The face whose light differs most, from before it. */
static void put_worst_light(const struct report_page *page)
{
    if (!page->light || !arrlen(page->light->worst))
        return;
    const struct light_change *worst = &page->light->worst[0];
    const double room =
        room_before(&page->source->map.render->scene, worst->worst_at, worst->worst_normal);
    const double distance = portable_fmin(STAND_OFF, 0.8 * room);
    struct scene_view view = {.eye = vec3_mad(worst->worst_at, worst->worst_normal, distance)};
    view.angles = angles_of(vec3_neg(worst->worst_normal));
    put_view(page, &view, "The face whose light differs most");
}

void report_pictures(const struct report_page *page)
{
    const struct report_source *source = page->source;
    const struct scene_view above = view_from_above(source);
    html_section(page->out, "pictures", "Pictures", NULL);
    bytes_append_text(page->out, "<div class=\"pictures%s\">\n",
                      source->against.render ? " pairs" : "");
    put_leak(page);
    put_worst_light(page);
    put_spawns(page);
    put_view(page, &above, "From above, north up");
    bytes_append_text(page->out, "</div>\n");
    html_section_end(page->out);
}
