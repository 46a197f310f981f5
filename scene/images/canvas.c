#include "scene/images/canvas.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* Lines farther away than this from the picture are cut first, so that numbers stay small. */
#define MARGIN 64.0

struct canvas canvas_new(int width, int height)
{
    return (struct canvas){.pixels = memory_zalloc((size_t)width * (size_t)height, 3),
                           .width = width,
                           .height = height};
}

void canvas_blend(struct canvas *canvas, int x, int y, struct ink ink)
{
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height || !(ink.opacity > 0))
        return;
    unsigned char *p = canvas->pixels + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x);
    for (int k = 0; k < 3; k++)
        p[k] = (unsigned char)floor(p[k] + ink.opacity * (ink.rgb[k] - p[k]) + 0.5);
}

void canvas_box(struct canvas *canvas, int x, int y, int width, int height, struct ink ink)
{
    int right = x + width < canvas->width ? x + width : canvas->width;
    int bottom = y + height < canvas->height ? y + height : canvas->height;
    for (int py = y > 0 ? y : 0; py < bottom; py++)
        for (int px = x > 0 ? x : 0; px < right; px++)
            canvas_blend(canvas, px, py, ink);
}

void canvas_frame(struct canvas *canvas, int x, int y, int width, int height, int line,
                  struct ink ink)
{
    canvas_box(canvas, x, y, width, line, ink);
    canvas_box(canvas, x, y + height - line, width, line, ink);
    canvas_box(canvas, x, y + line, line, height - 2 * line, ink);
    canvas_box(canvas, x + width - line, y + line, line, height - 2 * line, ink);
}

void canvas_copy(struct canvas *canvas, int x, int y, const struct canvas *from)
{
    int rows = from->height < canvas->height - y ? from->height : canvas->height - y;
    int columns = from->width < canvas->width - x ? from->width : canvas->width - x;
    for (int row = 0; row < rows && columns > 0; row++)
        memcpy(canvas->pixels + 3 * ((size_t)(y + row) * (size_t)canvas->width + (size_t)x),
               from->pixels + 3 * (size_t)row * (size_t)from->width, 3 * (size_t)columns);
}

/* --- lines --- */

/* Cuts the part of a line off that is below `low` or above `high` on an axis. Returns false when
 * nothing is left. */
static bool cut(double from[2], double to[2], int axis, double low, double high)
{
    for (int end = 0; end < 2; end++) {
        double *p = end ? to : from, *q = end ? from : to;
        double limit = p[axis] < low ? low : p[axis] > high ? high : p[axis];
        if (limit >= p[axis] && limit <= p[axis])
            continue;
        if ((q[axis] - limit) * (p[axis] - limit) >= 0)
            return false;
        double part = (limit - p[axis]) / (q[axis] - p[axis]);
        p[!axis] += part * (q[!axis] - p[!axis]);
        p[axis] = limit;
    }
    return true;
}

struct stroke {
    struct canvas *canvas;
    double from[2], along[2]; /* along: a unit vector */
    double length, width, dash;
    struct ink ink;
};

static void stroke_pixel(const struct stroke *stroke, int x, int y)
{
    double dx = x + 0.5 - stroke->from[0], dy = y + 0.5 - stroke->from[1];
    double along = dx * stroke->along[0] + dy * stroke->along[1];
    double across = fabs(dx * stroke->along[1] - dy * stroke->along[0]);
    double past = portable_fmax(portable_fmax(-along, along - stroke->length), 0);
    double distance = portable_hypot(across, past);
    struct ink ink = stroke->ink;
    if (stroke->dash > 0 && (int64_t)floor(portable_fmax(along, 0) / stroke->dash) % 2)
        return;
    ink.opacity *= portable_fmin(portable_fmax(stroke->width / 2 + 0.5 - distance, 0), 1);
    canvas_blend(stroke->canvas, x, y, ink);
}

void canvas_line(struct canvas *canvas, const double from[2], const double to[2], double width,
                 double dash, struct ink ink)
{
    double a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
    if (!isfinite(a[0] + a[1] + b[0] + b[1]) || !cut(a, b, 0, -MARGIN, canvas->width + MARGIN) ||
        !cut(a, b, 1, -MARGIN, canvas->height + MARGIN))
        return;
    struct stroke stroke = {.canvas = canvas, .width = width, .dash = dash, .ink = ink};
    memcpy(stroke.from, a, sizeof a);
    stroke.length = portable_hypot(b[0] - a[0], b[1] - a[1]);
    for (int k = 0; k < 2; k++)
        stroke.along[k] = stroke.length > 0 ? (b[k] - a[k]) / stroke.length : !k;
    int major = fabs(stroke.along[1]) > fabs(stroke.along[0]), minor = !major;
    double reach = width / 2 + 1, wide = reach / fabs(stroke.along[major]) + 1;
    double low = portable_fmin(a[major], b[major]), high = portable_fmax(a[major], b[major]);
    for (int i = (int)floor(low - reach); i <= (int)ceil(high + reach); i++) {
        double middle = a[minor] + (i + 0.5 - a[major]) * stroke.along[minor] / stroke.along[major];
        for (int j = (int)floor(middle - wide); j <= (int)ceil(middle + wide); j++)
            stroke_pixel(&stroke, major ? j : i, major ? i : j);
    }
}

void canvas_disc(struct canvas *canvas, const double at[2], double radius, struct ink ink)
{
    canvas_line(canvas, at, at, 2 * radius, 0, ink);
}
