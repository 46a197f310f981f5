#include <float.h>
#include <math.h>
#include <string.h>

#include "common/assets/textures/image.h"
#include "common/core/array.h"
#include "common/core/base64.h"
#include "common/core/portable_math.h"
#include "render/pictures/overview.h"
#include "report/sections/sections.h"
#include "scene/images/jpeg.h"
#include "scene/scene.h"

enum { QUALITY = 88 };

/* Free at each edge of the view from above, as a part of the picture. */
#define BORDER 0.02

/* Of a natural logarithm of a ratio of squares: 10 / ln 10. */
#define DECIBELS 4.342944819032518

/* --- views --- */

static double distance_to(const struct scene_view *views, size_t count, struct vec3 eye)
{
    double nearest = DBL_MAX;
    for (size_t i = 0; i < count; i++)
        nearest = portable_fmin(nearest, vec3_distance(views[i].eye, eye));
    return nearest;
}

/* Returns at most `wanted` views: the first, then each time the one that is farthest from those
 * before. Sets what they are. */
static struct scene_view *choose_views(const struct render *render, size_t wanted,
                                       const char **title)
{
    struct scene_view *views = scene_spawn_views(&render->scene), start;
    *title = arrlen(views) ? "From a spawn" : "From where most is seen";
    if (!arrlen(views) && scene_start_view(&render->scene, &start))
        arrput(views, start);
    const size_t count = arrlenu(views);
    for (size_t chosen = 1; chosen < wanted && chosen < count; chosen++) {
        size_t farthest = chosen;
        double greatest = -1;
        for (size_t i = chosen; i < count; i++) {
            double distance = distance_to(views, chosen, views[i].eye);
            if (distance > greatest) {
                greatest = distance;
                farthest = i;
            }
        }
        struct scene_view taken = views[farthest];
        views[farthest] = views[chosen];
        views[chosen] = taken;
    }
    if (count > wanted)
        arrsetlen(views, wanted);
    return views;
}

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
        bytes_append_text(page->out, " <strong>Mean difference %.2f of 255, PSNR %.1f dB.</strong>",
                          sum / (double)count,
                          DECIBELS * portable_log(255.0 * 255.0 * (double)count / squares));
    else
        bytes_append_text(page->out, " <strong>No difference.</strong>");
}

static void put_place(const struct report_page *page, const struct scene_view *view)
{
    bytes_append_text(page->out, " <code>setpos %.0f %.0f %.0f; setang %.0f %.0f 0</code>",
                      view->eye.x, view->eye.y, view->eye.z, view->angles.x, view->angles.y);
}

static void put_view(const struct report_page *page, const struct scene_view *view,
                     const char *title)
{
    const struct report_source *source = page->source;
    const struct render *render = source->map.render, *against = source->against.render;
    unsigned char *now = render_draw(render, view);
    bytes_append_text(page->out, "<figure>\n");
    if (against) {
        unsigned char *then = render_draw(against, view);
        bytes_append_text(page->out, "<div class=\"pair\"><div><p>before</p>");
        put_picture(page, against, then, "before");
        bytes_append_text(page->out, "</div><div><p>after</p>");
        put_picture(page, render, now, "after");
        bytes_append_text(page->out, "</div></div>\n<figcaption>%s.", title);
        put_difference(page, now, then, bytes_of(render));
        memory_free(then);
    } else {
        put_picture(page, render, now, title);
        bytes_append_text(page->out, "\n<figcaption>%s.", title);
    }
    if (!view->outside)
        put_place(page, view);
    if (!view->outside && against && scene_is_solid_at(&against->scene, view->eye))
        bytes_append_text(page->out, " The older map is solid at this place.");
    bytes_append_text(page->out, "</figcaption>\n</figure>\n");
    memory_free(now);
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

void report_pictures(const struct report_page *page)
{
    const struct report_source *source = page->source;
    const struct render *render = source->map.render;
    const struct scene_view above = view_from_above(source);
    const char *title;
    struct scene_view *views = choose_views(render, (size_t)page->settings->pictures, &title);
    if (!page->settings->pictures)
        arrsetlen(views, 0);
    html_section(page->out, "pictures", "Pictures", NULL);
    bytes_append_text(page->out, "<div class=\"pictures%s\">\n",
                      source->against.render ? " pairs" : "");
    put_leak(page);
    for (size_t i = 0; i < arrlenu(views); i++)
        put_view(page, &views[i], title);
    put_view(page, &above, "From above, north up");
    bytes_append_text(page->out, "</div>\n");
    html_section_end(page->out);
    arrfree(views);
}
