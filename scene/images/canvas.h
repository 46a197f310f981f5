/* Lines, boxes and text over a picture. */
#ifndef SCENE_IMAGES_CANVAS_H
#define SCENE_IMAGES_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

struct canvas_area {
    int left, top, right, bottom;
};

enum { CANVAS_AREAS = 64 };

struct canvas {
    unsigned char *pixels; /* three bytes each, rows from the top */
    int width, height;
    struct canvas_area taken[CANVAS_AREAS]; /* by labels */
    int taken_count;
};

struct ink {
    unsigned char rgb[3];
    double opacity; /* 0 .. 1 */
};

/* New, black; free the pixels by memory_free. */
struct canvas canvas_new(int width, int height);

/* Returns the size of text that can be read in a picture of this size: a factor for the pixels of
 * the font. */
int canvas_text_scale(const struct canvas *canvas);

/* All parts outside of the picture are left out. */
void canvas_blend(struct canvas *canvas, int x, int y, struct ink ink);
void canvas_box(struct canvas *canvas, int x, int y, int width, int height, struct ink ink);
void canvas_frame(struct canvas *canvas, int x, int y, int width, int height, int line,
                  struct ink ink);
void canvas_copy(struct canvas *canvas, int x, int y, const struct canvas *from);

/* A straight line between two points, in pixels from the top left corner. With a `dash` above 0
 * every other stretch of that length is left out. */
void canvas_line(struct canvas *canvas, const double from[2], const double to[2], double width,
                 double dash, struct ink ink);
void canvas_disc(struct canvas *canvas, const double at[2], double radius, struct ink ink);

/* A line of text; x and y are of its top left corner. */
void canvas_text(struct canvas *canvas, int x, int y, int scale, const char *text, struct ink ink);
int canvas_text_width(const char *text, int scale);
int canvas_text_height(int scale);

/* The same on a dark box, so that it can be read before anything. */
void canvas_label(struct canvas *canvas, int x, int y, int scale, const char *text, struct ink ink);
/* The same in lines of at most this width, ended at blanks. Returns their height. */
int canvas_label_lines(struct canvas *canvas, int x, int y, int width, int scale, const char *text,
                       struct ink ink);
/* With its middle as near as it can be to there: inside of the picture, and on no other label that
 * has been put so, and no area that is kept free. */
void canvas_label_at(struct canvas *canvas, double x, double y, int scale, const char *text,
                     struct ink ink);
/* The same for the label of a mark: below, above, right or left of it, this far from its middle,
 * where one of those is free. */
void canvas_label_mark(struct canvas *canvas, const double at[2], int gap, int scale,
                       const char *text, struct ink ink);
void canvas_keep_free(struct canvas *canvas, int x, int y, int width, int height);

#endif
