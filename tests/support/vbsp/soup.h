/* Random brushes in a sealed box. Coordinates are multiples of 8, so that planes are exact; brushes
 * overlap, touch and share faces. */
#ifndef TESTS_SOUP_H
#define TESTS_SOUP_H

#include "common/core/random.h"
#include "tests/support/vbsp/text_map.h"

enum { SOUP_SIZE = 256, SOUP_GRID = 8, SOUP_BRUSHES = 12 };

struct soup_stream {
    uint64_t seed, drawn;
};

static inline int soup_draw(struct soup_stream *stream, int below)
{
    return (int)(hash_pair(stream->seed, stream->drawn++) % (uint64_t)below);
}

/* A prism: a polygon in a plane of two axes, extruded along the third. */
static inline void soup_prism(struct text_map *map, const double (*corners)[2], int count,
                              double low, double high, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double p[9];
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 3; i++) {
            const double *corner = corners[side ? i : 2 - i];
            p[3 * i + axis] = side ? low : high;
            p[3 * i + u] = corner[0];
            p[3 * i + v] = corner[1];
        }
        text_map_side(map, p, "wall");
    }
    for (int i = 0; i < count; i++) {
        const double *a = corners[i], *b = corners[(i + 1) % count];
        const double *const at[3] = {b, a, a};
        const double height[3] = {low, low, high};
        for (int k = 0; k < 3; k++) {
            p[3 * k + axis] = height[k];
            p[3 * k + u] = at[k][0];
            p[3 * k + v] = at[k][1];
        }
        text_map_side(map, p, "wall");
    }
    bytes_append_text(&map->text, "}\n");
}

/* A rectangle, a triangle or an octagon, counter-clockwise. */
static inline void soup_brush(struct text_map *map, struct soup_stream *stream)
{
    const int steps = SOUP_SIZE / SOUP_GRID;
    double at[3], size[3];
    for (int k = 0; k < 3; k++) {
        size[k] = SOUP_GRID * (2 + soup_draw(stream, 10));
        at[k] = SOUP_GRID * soup_draw(stream, steps) - SOUP_GRID;
    }
    int axis = soup_draw(stream, 3), kind = soup_draw(stream, 4);
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double a = at[u], b = at[v], c = a + size[u], d = b + size[v];
    double cut = (double)SOUP_GRID / 2 * (1 + soup_draw(stream, 2));
    const double box[4][2] = {{a, b}, {c, b}, {c, d}, {a, d}};
    const double wedge[3][2] = {{a, b}, {c, b}, {a, d}};
    const double octagon[8][2] = {{a + cut, b}, {c - cut, b}, {c, b + cut}, {c, d - cut},
                                  {c - cut, d}, {a + cut, d}, {a, d - cut}, {a, b + cut}};
    bool thin = size[u] <= 2 * cut || size[v] <= 2 * cut;
    if (kind == 0)
        soup_prism(map, wedge, 3, at[axis], at[axis] + size[axis], axis);
    else if (kind == 1 && !thin)
        soup_prism(map, octagon, 8, at[axis], at[axis] + size[axis], axis);
    else
        soup_prism(map, box, 4, at[axis], at[axis] + size[axis], axis);
}

/* The corner of the player's start stays free: without it nothing is inside. */
static inline void soup_make(struct text_map *map, uint64_t seed, const struct text_move *move,
                             bool backwards)
{
    struct soup_stream stream = {seed, 0};
    text_map_init(map);
    map->luxel = 64;
    map->move = move;
    text_map_room(map, vec3(-64, -64, -64), vec3(SOUP_SIZE, SOUP_SIZE, SOUP_SIZE));
    int brushes = 1 + soup_draw(&stream, SOUP_BRUSHES);
    for (int i = 0; i < brushes; i++) {
        struct soup_stream own = {hash_pair(seed, (uint64_t)(backwards ? brushes - 1 - i : i)), 0};
        soup_brush(map, &own);
    }
    struct vec3 start = text_moved(move, vec3(-40, -40, -40));
    char keys[96];
    snprintf(keys, sizeof keys, "origin \"%g %g %g\"", start.x, start.y, start.z);
    text_map_entity(map, "info_player_start", keys);
}

#endif
