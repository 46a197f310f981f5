#include "render/overlay/overlay.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/parallel/parallel.h"

/* A line on a surface is seen: units, and a part of the distance. */
#define LIFT      1.0
#define LIFT_PART 0.01

/* Pieces of lines that are seen or hidden, in pixels; how faint hidden ones are. */
#define PIECE  4.0
#define HIDDEN 0.55

enum { MAX_PIECES = 4096, HALVINGS = 24 };

static void find_row(void *context, size_t index, int thread)
{
    (void)thread;
    struct overlay *overlay = context;
    int width = overlay->canvas.width, y = (int)index;
    struct overlay_pixel *row = overlay->pixels + index * (size_t)width;
    for (int x = 0; x < width; x += TRACE_PACKET) {
        struct vec3 origins[TRACE_PACKET], directions[TRACE_PACKET];
        struct first_hit hits[TRACE_PACKET];
        uint32_t valid = 0;
        for (int i = 0; i < TRACE_PACKET; i++) {
            overlay_ray(overlay, x + i, y, &origins[i], &directions[i]);
            valid |= (uint32_t)(x + i < width) << i;
        }
        scene_first_hits(&overlay->render->scene, overlay->camera.outside, origins, directions,
                         valid, hits);
        for (int i = 0; i < TRACE_PACKET && x + i < width; i++)
            row[x + i] = (struct overlay_pixel){
                .distance = (float)hits[i].distance,
                .triangle = hits[i].kind == HIT_SURFACE ? hits[i].triangle : NO_TRIANGLE};
    }
}

void overlay_open(const struct render *render, const struct render_options *options,
                  const struct scene_view *view, unsigned char *pixels, struct overlay *out)
{
    size_t height = (size_t)options->height;
    *out = (struct overlay){
        .render = render,
        .canvas = {.pixels = pixels, .width = options->width, .height = options->height},
        .camera = camera_of(view, options->width, options->height, options->fov)};
    out->text = canvas_text_scale(&out->canvas);
    out->pixels = memory_alloc(height * (size_t)options->width * sizeof *out->pixels);
    parallel_for(render->scene.env->threads, height, find_row, out);
}

struct canvas overlay_close(struct overlay *overlay)
{
    memory_free(overlay->pixels);
    overlay->pixels = NULL;
    return overlay->canvas;
}

void overlay_ray(const struct overlay *overlay, int x, int y, struct vec3 *origin,
                 struct vec3 *direction)
{
    camera_ray(&overlay->camera, x + 0.5, y + 0.5, origin, direction);
}

bool overlay_place(const struct overlay *overlay, struct vec3 point, double out[2])
{
    double place[3];
    if (!camera_project(&overlay->camera, point, place))
        return false;
    out[0] = place[0];
    out[1] = place[1];
    return true;
}

static bool is_before(const struct overlay *overlay, struct vec3 point, const double place[2])
{
    const struct canvas *canvas = &overlay->canvas;
    if (!(place[0] >= 0 && place[0] < canvas->width && place[1] >= 0 && place[1] < canvas->height))
        return false;
    int x = (int)place[0], y = (int)place[1];
    struct vec3 origin, direction;
    overlay_ray(overlay, x, y, &origin, &direction);
    double distance = vec3_dot(vec3_sub(point, origin), direction);
    double surface =
        (double)overlay->pixels[(size_t)y * (size_t)canvas->width + (size_t)x].distance;
    return distance >= 0 && distance <= surface + LIFT + LIFT_PART * distance;
}

bool overlay_shows(const struct overlay *overlay, struct vec3 point)
{
    double place[2];
    return overlay_place(overlay, point, place) && is_before(overlay, point, place);
}

/* Moves an end that is behind the camera to just before it. Returns false when both are behind. */
static bool cut_behind(const struct overlay *overlay, struct vec3 *from, struct vec3 *to)
{
    double place[2];
    bool first = overlay_place(overlay, *from, place), second = overlay_place(overlay, *to, place);
    struct vec3 *hidden = first ? to : from, front = first ? *from : *to;
    if (first == second)
        return first;
    for (int i = 0; i < HALVINGS; i++) {
        struct vec3 middle = vec3_lerp(*hidden, front, 0.5);
        if (overlay_place(overlay, middle, place))
            front = middle;
        else
            *hidden = middle;
    }
    *hidden = front;
    return true;
}

void overlay_line(struct overlay *overlay, struct vec3 from, struct vec3 to, double width,
                  enum overlay_hidden hidden, struct ink ink)
{
    double a[2], b[2];
    struct ink faint = ink;
    faint.opacity *= HIDDEN;
    if (!cut_behind(overlay, &from, &to) || !overlay_place(overlay, from, a) ||
        !overlay_place(overlay, to, b))
        return;
    double length = portable_hypot(b[0] - a[0], b[1] - a[1]);
    int pieces = (int)portable_fmin(length / PIECE + 1, MAX_PIECES);
    for (int i = 0; i < pieces; i++) {
        struct vec3 end = vec3_lerp(from, to, (i + 1.0) / pieces);
        struct vec3 middle = vec3_lerp(from, to, (i + 0.5) / pieces);
        double at[2];
        if (!overlay_place(overlay, end, b) || !overlay_place(overlay, middle, at))
            continue;
        bool behind = !is_before(overlay, middle, at);
        if (!behind)
            canvas_line(&overlay->canvas, a, b, width, 0, ink);
        else if (hidden == HIDDEN_DASHED && i % 4 < 2)
            canvas_line(&overlay->canvas, a, b, portable_fmax(width / 2, 1), 0, faint);
        a[0] = b[0];
        a[1] = b[1];
    }
}
