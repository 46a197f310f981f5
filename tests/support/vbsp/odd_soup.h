/* Brush soups off the grid: thin walls, tiny brushes, rotated brushes, slightly moved corners. */
#ifndef TESTS_ODD_SOUP_H
#define TESTS_ODD_SOUP_H

#include "tests/support/vbsp/soup_checks.h"

/* Properties of a soup, which can be combined. */
enum odd_kind {
    ODD_THIN = 1,     /* walls and plates 0.5 units thick */
    ODD_CRUMBS = 2,   /* brushes of 0.5 to 2 units among others */
    ODD_TURNED = 4,   /* rotated brushes */
    ODD_TILTED = 8,   /* the whole map is rotated */
    ODD_OFF_GRID = 16 /* each corner of each brush is moved by up to 1e-3 */
};

#define ODD_THICKNESS 0.5
#define ODD_OFF       1e-3

struct odd_stream {
    uint64_t seed, drawn;
    int kind;
};

static inline double odd_between(struct odd_stream *stream, double low, double high)
{
    return low + (high - low) * random_unit(stream->seed, stream->drawn++);
}

static inline void odd_axes(struct odd_stream *stream, struct vec3 axes[3])
{
    struct vec3 random[2];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            random[i].e[k] = odd_between(stream, -1, 1);
    axes[0] = vec3_normalize(random[0]);
    axes[2] = vec3_normalize(vec3_cross(axes[0], random[1]));
    axes[1] = vec3_cross(axes[2], axes[0]);
}

/* A box by its corners; bit k of a corner's number is set on the high side along axis k. */
static inline void odd_solid(struct text_map *map, const struct vec3 corners[8])
{
    static const int sides[6][3] = {{6, 7, 5}, {0, 1, 3}, {6, 4, 0},
                                    {3, 1, 5}, {7, 6, 2}, {1, 0, 4}};
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    for (int i = 0; i < 6; i++) {
        double points[9];
        for (int k = 0; k < 9; k++)
            points[k] = corners[sides[i][k / 3]].e[k % 3];
        text_map_side(map, points, "wall");
    }
    bytes_append_text(&map->text, "}\n");
}

/* A box of the room, rotated about its middle if axes are given, moved with the soup. */
static inline void odd_box(struct soup *soup, struct odd_stream *stream, struct vec3 low,
                           struct vec3 high, const struct vec3 *axes)
{
    struct vec3 middle = vec3_lerp(low, high, 0.5), corners[8];
    for (int i = 0; i < 8; i++) {
        struct vec3 corner;
        for (int k = 0; k < 3; k++)
            corner.e[k] = i >> k & 1 ? high.e[k] : low.e[k];
        struct vec3 at = corner;
        if (axes) {
            at = middle;
            for (int k = 0; k < 3; k++)
                at = vec3_mad(at, axes[k], corner.e[k] - middle.e[k]);
        }
        corners[i] = soup_placed(soup, at);
        for (int k = 0; k < 3 && (stream->kind & ODD_OFF_GRID); k++)
            corners[i].e[k] += odd_between(stream, -ODD_OFF, ODD_OFF);
    }
    odd_solid(&soup->map, corners);
}

/* The player's start stays free. */
static inline bool odd_is_in_corner(struct vec3 low, struct vec3 high)
{
    double reach = vec3_distance(low, high) / 2;
    struct vec3 middle = vec3_lerp(low, high, 0.5);
    return vec3_distance(middle, vec3(-36, -36, -36)) < reach + 10;
}

static inline void odd_brush(struct soup *soup, struct odd_stream *stream)
{
    struct vec3 low, high, axes[3];
    bool crumb = (stream->kind & ODD_CRUMBS) && odd_between(stream, 0, 1) < 0.6;
    bool thin = (stream->kind & ODD_THIN) && odd_between(stream, 0, 1) < 0.6;
    int flat = (int)odd_between(stream, 0, 3);
    do {
        for (int k = 0; k < 3; k++) {
            double size = (double)SOUP_GRID * floor(odd_between(stream, 2, 12));
            if (crumb)
                size = 0.5 * floor(odd_between(stream, 1, 5));
            else if (thin && k == flat)
                size = ODD_THICKNESS;
            low.e[k] =
                (double)SOUP_GRID * floor(odd_between(stream, -7, SOUP_SIZE / SOUP_GRID - 1));
            low.e[k] += crumb ? floor(odd_between(stream, 0, 16)) / 2 : 0;
            high.e[k] = low.e[k] + size;
        }
    } while (odd_is_in_corner(low, high));
    odd_axes(stream, axes);
    odd_box(soup, stream, low, high, stream->kind & ODD_TURNED ? axes : NULL);
}

/* Six walls, each as long as the room with the walls before it. */
static inline void odd_room(struct soup *soup, struct odd_stream *stream)
{
    double wall = stream->kind & ODD_THIN ? ODD_THICKNESS : 16;
    for (int axis = 0; axis < 3; axis++) {
        for (int far = 0; far < 2; far++) {
            struct vec3 low, high;
            for (int i = 0; i < 3; i++) {
                low.e[i] = -64 - (i <= axis ? wall : 0);
                high.e[i] = (double)SOUP_SIZE + (i <= axis ? wall : 0);
            }
            if (far)
                low.e[axis] = SOUP_SIZE;
            else
                high.e[axis] = -64;
            odd_box(soup, stream, low, high, NULL);
        }
    }
}

static inline struct soup *odd_soup_new(uint64_t seed, int kind)
{
    struct soup *soup = soup_new();
    struct odd_stream stream = {hash_pair(seed, (uint64_t)kind), 0, kind};
    if (kind & ODD_TILTED)
        odd_axes(&stream, soup->axes);
    text_map_init(&soup->map);
    soup->map.luxel = 64;
    odd_room(soup, &stream);
    for (int brushes = (int)odd_between(&stream, 1, 12); brushes; brushes--)
        odd_brush(soup, &stream);
    struct vec3 start = soup_placed(soup, vec3(-40, -40, -40));
    char keys[96];
    snprintf(keys, sizeof keys, "origin \"%g %g %g\"", start.x, start.y, start.z);
    text_map_entity(&soup->map, "info_player_start", keys);
    return soup;
}

#endif
