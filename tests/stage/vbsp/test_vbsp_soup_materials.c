/* Random floors of touching solids, each with a material of its own. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>

#include "common/bsp/face_records.h"
#include "tests/support/long_form.h"
#include "tests/support/vbsp/soup_checks.h"

enum { FEW = 100, FLOORS = 1000 };

enum { PIECES = 20, CORNERS = 24, WALLS = 6, POINTS = 60 };

/* Counter-clockwise. */
struct piece {
    double corners[CORNERS][2];
    int count;
};

static double side_of(const double line[3], const double *corner)
{
    return line[0] * corner[0] + line[1] * corner[1] - line[2];
}

static void add_corner(struct piece *piece, double x, double y)
{
    double *corner = piece->corners[piece->count++];
    corner[0] = x;
    corner[1] = y;
}

static struct piece part_of(const struct piece *piece, const double line[3], double sign)
{
    struct piece part = {.count = 0};
    for (int i = 0; i < piece->count; i++) {
        const double *a = piece->corners[i], *b = piece->corners[(i + 1) % piece->count];
        double from = sign * side_of(line, a), to = sign * side_of(line, b);
        if (from >= 0)
            add_corner(&part, a[0], a[1]);
        if ((from > 0 && to < 0) || (from < 0 && to > 0)) {
            double t = from / (from - to);
            add_corner(&part, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]));
        }
    }
    return part;
}

/* A line through the middle of a piece, or close to its edge, so that one part is a sliver. */
static void draw_line(const struct piece *piece, struct soup_stream *stream, double line[3])
{
    double angle = 2 * 3.14159265358979 * soup_draw(stream, 360) / 360, reach = -(double)INFINITY;
    double middle = 0;
    line[0] = cos(angle);
    line[1] = sin(angle);
    line[2] = 0;
    for (int i = 0; i < piece->count; i++) {
        double at = side_of(line, piece->corners[i]);
        reach = fmax(reach, at);
        middle += at / piece->count;
    }
    line[2] = soup_draw(stream, 2) ? middle : reach - 0.2 - 0.1 * soup_draw(stream, 40);
}

static double area_of(const struct piece *piece)
{
    double area = 0;
    for (int i = 2; i < piece->count; i++) {
        const double *a = piece->corners[0], *b = piece->corners[i - 1], *c = piece->corners[i];
        area += (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    }
    return area / 2;
}

static bool cut_piece(struct piece *pieces, int *count, struct soup_stream *stream)
{
    struct piece *piece = &pieces[soup_draw(stream, *count)];
    double line[3];
    draw_line(piece, stream, line);
    struct piece parts[2] = {part_of(piece, line, 1), part_of(piece, line, -1)};
    for (int i = 0; i < 2; i++)
        if (parts[i].count < 3 || parts[i].count > CORNERS - 4 || area_of(&parts[i]) < 2)
            return false;
    *piece = parts[0];
    pieces[(*count)++] = parts[1];
    return true;
}

static void name_material(int piece, char name[16])
{
    snprintf(name, 16, "soup/%d", piece);
}

/* Editors round corners; those that fall together are one. */
static void round_corners(struct piece *piece, double grain)
{
    struct piece kept = {.count = 0};
    for (int i = 0; i < piece->count; i++) {
        double x = round(piece->corners[i][0] / grain) * grain;
        double y = round(piece->corners[i][1] / grain) * grain;
        bool apart = true;
        for (int k = 0; k < kept.count; k++)
            apart &= hypot(x - kept.corners[k][0], y - kept.corners[k][1]) > 2 * grain;
        if (apart)
            add_corner(&kept, x, y);
    }
    *piece = kept;
}

/* A prism whose sides all have one material. */
static void put_piece(struct text_map *map, const struct piece *piece, int number, double high)
{
    char name[16];
    name_material(number, name);
    int count = piece->count;
    const double(*corners)[2] = piece->corners;
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    for (int side = 0; side < count + 2; side++) {
        const double *a = corners[side < count ? side : 0];
        const double *b = corners[side < count ? (side + 1) % count : 1];
        const double *c = corners[count - 1];
        const double wall[9] = {b[0], b[1], 0, a[0], a[1], 0, a[0], a[1], high};
        const double top[9] = {c[0], c[1], high, b[0], b[1], high, a[0], a[1], high};
        const double bottom[9] = {a[0], a[1], 0, b[0], b[1], 0, c[0], c[1], 0};
        text_map_side(map, side < count ? wall : side == count ? top : bottom, name);
    }
    bytes_append_text(&map->text, "}\n");
}

static void draw_floor(struct text_map *map, uint64_t seed)
{
    struct soup_stream stream = {seed, 0};
    struct piece pieces[PIECES] = {{{{0, 0}, {256, 0}, {256, 256}, {0, 256}}, 4}};
    int count = 1, wanted = 2 + soup_draw(&stream, PIECES - 1);
    for (int i = 0; i < 100 && count < wanted; i++)
        (void)cut_piece(pieces, &count, &stream);
    double grain = soup_draw(&stream, 2) ? 0.01 : 0.001;
    text_map_start_room(map, vec3(256, 256, 128));
    map->luxel = 64;
    for (int i = 0; i < count; i++) {
        round_corners(&pieces[i], grain);
        if (pieces[i].count >= 3)
            put_piece(map, &pieces[i], i, soup_draw(&stream, 4) ? 16 : 32);
    }
}

static struct soup *compile_floor(uint64_t seed)
{
    struct soup *soup = soup_new();
    draw_floor(&soup->map, seed);
    text_map_finish(&soup->map, "128 128 100");
    soup_read_brushes(soup);
    return soup;
}

/* The room above a floor is open everywhere. */
static bool is_shown(const struct soup *soup, int brush, struct vec3 point, struct vec3 normal)
{
    return soup_depth_in(soup->brushes[brush], vec3_mad(point, normal, -SOUP_HAIR)) > 0 &&
           soup_depth(soup, vec3_mad(point, normal, SOUP_HAIR)) < 0;
}

/* Of the lattice of samples on a side: its cells, and their least number along an axis. */
#define CELL 4.0
enum { FEW_CELLS = 16 };

/* The direction on a side from its first point to the farthest one: a lattice along it measures
 * slivers well. */
static struct vec3 longest_way(const struct soup *soup, int brush, int side)
{
    const struct vec3 *points = soup->points[brush];
    const struct soup_plane *plane = &soup->brushes[brush][side];
    struct vec3 best = vec3(0, 0, 0);
    for (int i = 0; i < arrlen(points); i++) {
        struct vec3 way = vec3_sub(points[i], points[3 * side]);
        way = vec3_mad(way, plane->normal, -vec3_dot(way, plane->normal));
        if (vec3_length(way) > vec3_length(best))
            best = way;
    }
    return vec3_normalize(best);
}

static double shown_of_side(const struct soup *soup, int brush, int side, uint64_t seed)
{
    const struct vec3 *points = soup->points[brush], *drawn = points + 3 * side;
    struct vec3 normal = soup->brushes[brush][side].normal;
    struct vec3 u = longest_way(soup, brush, side), v = vec3_cross(normal, u);
    double low[2] = {0, 0}, high[2] = {0, 0}, shown = 0;
    for (int i = 0; i < arrlen(points); i++) {
        struct vec3 off = vec3_sub(points[i], drawn[0]);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], vec3_dot(off, k ? v : u));
            high[k] = fmax(high[k], vec3_dot(off, k ? v : u));
        }
    }
    double counts[2], cell[2];
    for (int k = 0; k < 2; k++) {
        counts[k] = fmax(FEW_CELLS, ceil((high[k] - low[k]) / CELL));
        cell[k] = (high[k] - low[k]) / counts[k];
    }
    for (int i = 0; i < (int)counts[0]; i++)
        for (int j = 0; j < (int)counts[1]; j++) {
            uint64_t at = 2 * ((uint64_t)i << 16 | (uint64_t)j);
            double x = low[0] + cell[0] * (i + random_unit(seed, at));
            double y = low[1] + cell[1] * (j + random_unit(seed, at + 1));
            struct vec3 point = vec3_mad(vec3_mad(drawn[0], u, x), v, y);
            shown += is_shown(soup, brush, point, normal) ? cell[0] * cell[1] : 0;
        }
    return shown;
}

static void check_areas(const struct soup *soup, uint64_t seed)
{
    for (int brush = WALLS; brush < (int)arrlen(soup->brushes); brush++) {
        const struct map_solid *solid = &soup->map.level.entities[0].solids[brush];
        double shown = 0, drawn;
        for (int side = 0; side < (int)arrlen(soup->brushes[brush]); side++)
            shown += shown_of_side(soup, brush, side, seed);
        text_map_faces(&soup->map, 0, solid->sides[0].material, &drawn);
        /* A lattice counts cells at the edge wholly or not at all. */
        double slack = 40 + 0.02 * shown + 3 * sqrt(shown);
        if (fabs(drawn - shown) > slack)
            print_message("%d %s: %.1f drawn, %.1f shown\n", (int)seed, solid->sides[0].material,
                          drawn, shown);
        assert_true(fabs(drawn - shown) <= slack);
    }
}

/* Points this far inside of their side belong to one solid only. */
#define INSIDE 0.3

static int check_points(const struct soup *soup, uint64_t seed)
{
    const struct bsp *bsp = soup->map.bsp;
    int checked = 0;
    for (uint64_t i = 0; i < POINTS; i++) {
        struct soup_sample sample = soup_sample(soup, seed, i);
        const struct soup_plane *planes = soup->brushes[sample.brush];
        struct vec3 back = vec3_mad(sample.point, sample.normal, -INSIDE);
        if (sample.brush < WALLS || soup_depth_in(planes, back) < 0.99 * INSIDE ||
            soup_depth(soup, vec3_mad(sample.point, sample.normal, INSIDE)) > -0.99 * INSIDE ||
            !is_shown(soup, sample.brush, sample.point, sample.normal))
            continue;
        int face = text_map_face_at(&soup->map, sample.point, sample.normal);
        assert_true(face >= 0);
        assert_string_equal(bsp_texinfo_name(bsp, bsp->faces[face].texinfo),
                            soup->map.level.entities[0].solids[sample.brush].sides[0].material);
        checked++;
    }
    return checked;
}

static void floors_show_the_material_of_each_solid(void **state)
{
    (void)state;
    int checked = 0, count = long_form(FEW, FLOORS);
    for (uint64_t seed = 0; seed < (uint64_t)count; seed++) {
        struct soup *soup = compile_floor(seed);
        check_areas(soup, seed);
        checked += check_points(soup, seed);
        soup_free(soup);
    }
    assert_true(checked > 5 * count);
}

SUITE(test_vbsp_soup_materials)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors_show_the_material_of_each_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
