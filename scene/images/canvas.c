#include "scene/images/canvas.h"

#include <math.h>
#include <stb/stb_easy_font.h>
#include <stdint.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* The shorter side of a picture to a scale of 1, and rows of a letter; below the line are DESCENT
 * of them. */
enum { TEXT_ROWS = 360, LETTER_ROWS = 10, DESCENT = 2, LINE_ROWS = 12, MAX_LINE = 511 };

/* A letter is made of less than this many boxes. */
enum { MAX_BOXES = 32 };

static const struct ink label_box = {{12, 12, 16}, 0.78};

struct letter_corner {
    float x, y, z;
    unsigned char colour[4];
};

static char printable(char letter)
{
    return letter < ' ' || letter > '~' ? '?' : letter;
}

static int letter_width(char letter)
{
    char text[2] = {printable(letter), 0};
    return stb_easy_font_width(text);
}

/* Returns the number of boxes, of four corners each, from the top left one clockwise. */
static int letter_boxes(char letter, struct letter_corner corners[4 * MAX_BOXES])
{
    char text[2] = {printable(letter), 0};
    (void)stb_easy_font_height;
    (void)stb_easy_font_spacing;
    return stb_easy_font_print(0, 0, text, NULL, corners, (int)(4 * MAX_BOXES * sizeof *corners));
}

int canvas_text_scale(const struct canvas *canvas)
{
    int shorter = canvas->width < canvas->height ? canvas->width : canvas->height;
    int scale = (shorter + TEXT_ROWS / 2) / TEXT_ROWS;
    return scale > 0 ? scale : 1;
}

int canvas_text_width(const char *text, int scale)
{
    int width = 0;
    for (; *text; text++)
        width += letter_width(*text);
    return width * scale;
}

int canvas_text_height(int scale)
{
    return LETTER_ROWS * scale;
}

void canvas_text(struct canvas *canvas, int x, int y, int scale, const char *text, struct ink ink)
{
    for (; *text; x += letter_width(*text) * scale, text++) {
        struct letter_corner corners[4 * MAX_BOXES];
        int count = letter_boxes(*text, corners);
        for (int i = 0; i < count; i++) {
            const struct letter_corner *low = &corners[4 * i], *high = &corners[4 * i + 2];
            canvas_box(canvas, x + (int)low->x * scale, y + (int)low->y * scale,
                       (int)(high->x - low->x) * scale, (int)(high->y - low->y) * scale, ink);
        }
    }
}

void canvas_label(struct canvas *canvas, int x, int y, int scale, const char *text, struct ink ink)
{
    int edge = 2 * scale;
    canvas_box(canvas, x - edge, y - edge, canvas_text_width(text, scale) - scale + 2 * edge,
               (LETTER_ROWS - DESCENT) * scale + 2 * edge, label_box);
    canvas_text(canvas, x, y, scale, text, ink);
}

/* Returns the length of the first line of the text: up to a blank, unless the first word is longer
 * than the line. */
static size_t line_length(const char *text, int width, int scale)
{
    size_t length = 0;
    int used = 0;
    for (size_t i = 0; i < MAX_LINE && text[i]; i++) {
        if (text[i] == ' ')
            length = i;
        used += letter_width(text[i]) * scale;
        if (used > width)
            return length ? length : i + !i;
    }
    return strlen(text) < MAX_LINE ? strlen(text) : MAX_LINE;
}

int canvas_label_lines(struct canvas *canvas, int x, int y, int width, int scale, const char *text,
                       struct ink ink)
{
    char line[MAX_LINE + 1];
    int top = y;
    while (*text) {
        size_t length = line_length(text, width, scale);
        memcpy(line, text, length);
        line[length] = 0;
        canvas_label(canvas, x, y, scale, line, ink);
        text += length;
        text += strspn(text, " ");
        y += LINE_ROWS * scale;
    }
    return y - top;
}

/* --- labels that do not cover each other --- */

void canvas_keep_free(struct canvas *canvas, int x, int y, int width, int height)
{
    if (canvas->taken_count < CANVAS_AREAS)
        canvas->taken[canvas->taken_count++] = (struct canvas_area){x, y, x + width, y + height};
}

static bool is_free(const struct canvas *canvas, struct canvas_area area)
{
    for (int i = 0; i < canvas->taken_count; i++) {
        const struct canvas_area *taken = &canvas->taken[i];
        if (area.left < taken->right && taken->left < area.right && area.top < taken->bottom &&
            taken->top < area.bottom)
            return false;
    }
    return true;
}

static int within(double value, int low, int high)
{
    return (int)portable_fmax(portable_fmin(value, high), low);
}

static struct canvas_area area_at(const struct canvas *canvas, double x, double y, int width,
                                  int height)
{
    int left = within(x - width / 2.0, 0, canvas->width - width);
    int top = within(y - height / 2.0, 0, canvas->height - height);
    return (struct canvas_area){left, top, left + width, top + height};
}

/* Tries places around in growing circles; if none is free, labels cover each other. */
static struct canvas_area find_free(const struct canvas *canvas, double x, double y, int width,
                                    int height)
{
    static const double around[][2] = {{0, 1}, {0, -1},  {1, 0},  {-1, 0},
                                       {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    enum { DIRECTIONS = sizeof around / sizeof *around, CIRCLES = 16 };
    struct canvas_area first = area_at(canvas, x, y, width, height);
    if (is_free(canvas, first))
        return first;
    for (int i = 0; i < CIRCLES * DIRECTIONS; i++) {
        double step = height * (1 + i / DIRECTIONS) / 2.0;
        struct canvas_area area = area_at(canvas, x + step * around[i % DIRECTIONS][0],
                                          y + step * around[i % DIRECTIONS][1], width, height);
        if (is_free(canvas, area))
            return area;
    }
    return first;
}

static int label_edge(int scale)
{
    return 2 * scale;
}

static int label_width(const char *text, int scale)
{
    return canvas_text_width(text, scale) - scale + 2 * label_edge(scale);
}

static int label_height(int scale)
{
    return (LETTER_ROWS - DESCENT) * scale + 2 * label_edge(scale);
}

void canvas_label_at(struct canvas *canvas, double x, double y, int scale, const char *text,
                     struct ink ink)
{
    int edge = label_edge(scale), width = label_width(text, scale), height = label_height(scale);
    struct canvas_area area = find_free(canvas, x, y, width, height);
    canvas_keep_free(canvas, area.left, area.top, width, height);
    canvas_label(canvas, area.left + edge, area.top + edge, scale, text, ink);
}

void canvas_label_mark(struct canvas *canvas, const double at[2], int gap, int scale,
                       const char *text, struct ink ink)
{
    static const double sides[][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
    int width = label_width(text, scale), height = label_height(scale);
    double x = at[0], y = at[1];
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        double beside[2] = {at[0] + sides[i][0] * (gap + width / 2.0),
                            at[1] + sides[i][1] * (gap + height / 2.0)};
        struct canvas_area area = area_at(canvas, beside[0], beside[1], width, height);
        if (!is_free(canvas, area))
            continue;
        x = beside[0];
        y = beside[1];
        break;
    }
    canvas_label_at(canvas, x, y, scale, text, ink);
}

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
