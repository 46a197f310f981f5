/* Texts of .map files for tests, and their levels. */
#ifndef TESTS_MAP_TEXT_H
#define TESTS_MAP_TEXT_H

#include <string.h>

#include "common/core/array.h"
#include "vbsp/level/level.h"

/* A face's three points, facing up, and five more sides of a cube of 64 units. */
#define UP           "( 0 0 64 ) ( 0 64 64 ) ( 64 64 64 ) "
#define DOWN         "( 0 64 0 ) ( 0 0 0 ) ( 64 0 0 ) "
#define WEST         "( 0 0 0 ) ( 0 64 0 ) ( 0 64 64 ) "
#define EAST         "( 64 64 0 ) ( 64 0 0 ) ( 64 0 64 ) "
#define SOUTH        "( 64 0 0 ) ( 0 0 0 ) ( 0 0 64 ) "
#define NORTH        "( 0 64 0 ) ( 64 64 0 ) ( 64 64 64 ) "
#define PLAIN        "a/b 0 0 0 1 1 0 0 0\n"
#define REST         DOWN PLAIN WEST PLAIN EAST PLAIN SOUTH PLAIN NORTH PLAIN
#define CUBE         UP PLAIN REST
#define BRUSH(faces) "{\n" faces "}\n"
#define WORLD(in)    "{\n\"classname\" \"worldspawn\"\n" in "}\n"

struct map_text {
    struct diag *diag;
    enum status status;
    struct level map;
};

static inline struct map_text map_text_of(const char *text, size_t size)
{
    struct map_text out = {.diag = diag_new(NULL, NULL)};
    out.status = map_parse(text, size, "test.map", out.diag, &out.map);
    return out;
}

static inline struct map_text map_text(const char *text)
{
    return map_text_of(text, strlen(text));
}

static inline void map_text_free(struct map_text *text)
{
    level_free(&text->map);
    diag_free(text->diag);
}

static inline double map_coordinate(const struct map_texture_axis *axis, struct vec3 p)
{
    return vec3_dot(p, axis->axis) / axis->scale + axis->shift;
}

#endif
