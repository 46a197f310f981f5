#include "render/pictures/comparison.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/core/portable_math.h"

/* A difference of this many bytes has the brightest colour. */
#define PLAIN_TO_SEE 64.0

static const struct ink white = {{255, 255, 255}, 1};

static int difference_at(const unsigned char *a, const unsigned char *b)
{
    int max = 0;
    for (int k = 0; k < 3; k++)
        max = abs(a[k] - b[k]) > max ? abs(a[k] - b[k]) : max;
    return max;
}

struct comparison comparison_of(const unsigned char *a, const unsigned char *b, size_t pixels)
{
    struct comparison comparison = {0};
    double squares = 0;
    size_t changed = 0;
    for (size_t i = 0; i < pixels; i++) {
        int difference = difference_at(a + 3 * i, b + 3 * i);
        changed += difference > 0;
        comparison.max = difference > comparison.max ? difference : comparison.max;
        for (int k = 0; k < 3; k++) {
            double part = a[3 * i + (size_t)k] - b[3 * i + (size_t)k];
            squares += part * part;
        }
    }
    comparison.is_equal = changed == 0;
    comparison.changed = (double)changed / (double)pixels;
    if (changed)
        comparison.psnr =
            10 * portable_log(255.0 * 255.0 * 3 * (double)pixels / squares) / portable_log(10);
    return comparison;
}

/* From black over red to yellow. */
static struct ink difference_ink(int difference)
{
    double part = portable_fmin(difference / PLAIN_TO_SEE, 1);
    return (struct ink){{(unsigned char)(255 * portable_fmin(2 * part, 1)),
                         (unsigned char)(255 * portable_fmax(2 * part - 1, 0)), 0},
                        1};
}

struct canvas comparison_draw(const unsigned char *a, const unsigned char *b, int width, int height,
                              const struct comparison *comparison)
{
    struct canvas picture = canvas_new(3 * width, height);
    struct canvas left = {.pixels = (unsigned char *)a, .width = width, .height = height};
    struct canvas middle = {.pixels = (unsigned char *)b, .width = width, .height = height};
    char text[64] = "difference: none";
    int scale = canvas_text_scale(&picture), edge = 4 * scale;
    canvas_copy(&picture, 0, 0, &left);
    canvas_copy(&picture, width, 0, &middle);
    for (int i = 0; i < width * height; i++) {
        int difference = difference_at(a + 3 * (size_t)i, b + 3 * (size_t)i);
        if (difference)
            canvas_blend(&picture, 2 * width + i % width, i / width, difference_ink(difference));
    }
    if (!comparison->is_equal)
        snprintf(text, sizeof text, "difference: PSNR %.2f dB", comparison->psnr);
    canvas_label(&picture, edge, edge, scale, "A", white);
    canvas_label(&picture, width + edge, edge, scale, "B", white);
    canvas_label(&picture, 2 * width + edge, edge, scale, text, white);
    return picture;
}

static int brightness_of(const unsigned char *pixel)
{
    return (2 * pixel[0] + 5 * pixel[1] + pixel[2]) / 8;
}

/* Of a colour alone that changes, the strength is that of its largest channel. */
static struct ink change_ink(const unsigned char *a, const unsigned char *b)
{
    static const struct ink brighter = {{255, 212, 64}, 1}, darker = {{72, 132, 255}, 1};
    struct ink ink = brightness_of(b) >= brightness_of(a) ? brighter : darker;
    ink.opacity = portable_fmin(difference_at(a, b) / PLAIN_TO_SEE, 1);
    return ink;
}

struct canvas comparison_change(const unsigned char *a, const unsigned char *b, int width,
                                int height)
{
    struct canvas picture = canvas_new(width, height);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        const unsigned char grey = (unsigned char)(brightness_of(b + 3 * i) / 4);
        const int x = (int)(i % (size_t)width), y = (int)(i / (size_t)width);
        canvas_blend(&picture, x, y, (struct ink){{grey, grey, grey}, 1});
        canvas_blend(&picture, x, y, change_ink(a + 3 * i, b + 3 * i));
    }
    return picture;
}
