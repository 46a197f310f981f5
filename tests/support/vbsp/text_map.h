/* Maps written in code for stage tests: boxes of a material, compiled in memory.
 *
 * Materials of the maps' own catalogue: "wall" and "floor" (opaque), "glass" (WINDOW), "grate",
 * "water" (with the bottom material "under"), "slime" (without one), "mirror" (reflects a cubemap),
 * "sky", "meadow" (a two-texture blend), and the tools. */
#ifndef TESTS_TEXT_MAP_H
#define TESTS_TEXT_MAP_H

#include <stdio.h>
#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "vbsp/vbsp.h"

/* A map may be moved: coordinate k of a point is `sign[k]` times the coordinate `axis[k]` as
 * written, plus `shift[k]`. */
struct text_move {
    int axis[3];
    double sign[3], shift[3];
};

struct text_map {
    const struct text_move *move; /* or NULL */
    struct bytes text;
    int ids;
    double luxel;      /* units; default 16 */
    const char *extra; /* keys for each side, or NULL; for Quake 3 contents, flags and value */
    const char *game;  /* folder with gameinfo.txt in `fs`, or NULL */
    struct vbsp_options options;
    struct diag *diag;
    struct fs *fs;
    struct env env;
    struct assets *assets;
    struct level level;
    struct vbsp_output out;
    struct bsp *bsp; /* out.bsp */
};

/* Sides of a box, as indices in the arrays of materials. */
enum { BOX_TOP, BOX_BOTTOM, BOX_WEST, BOX_EAST, BOX_NORTH, BOX_SOUTH, BOX_SIDES };

static const char text_map_catalogue[] =
    "#material\twidth\theight\tview_w\tview_h\trefl_r\trefl_g\trefl_b\tflags\tcontents\tenvmap\t"
    "bottom\tall_flags\tall_contents\n"
    "wall\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x0\t0x1\t0\t-\t0x0\t0x1\n"
    "floor\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x0\t0x1\t0\t-\t0x0\t0x1\n"
    "glass\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x10\t0x2\t0\t-\t0x10\t0x2\n"
    "grate\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x10\t0x8\t0\t-\t0x10\t0x8\n"
    "water\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x3408\t0x20\t0\tunder\t0x3408\t0x20\n"
    "under\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x3408\t0x20\t0\t-\t0x3408\t0x20\n"
    "slime\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x3408\t0x10\t0\t-\t0x3408\t0x10\n"
    "mirror\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x0\t0x1\t1\t-\t0x0\t0x1\n"
    "sky\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x404\t0x1\t0\t-\t0x404\t0x1\n"
    "meadow\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x0\t0x1\t0\t-\t0x0\t0x1\tgrass/dry\n"
    "nature/blendsand\t128\t128\t128\t128\t0.5\t0.5\t0.5\t0x0\t0x1\t0\t-\t0x0\t0x1\n";

/* Writes the start of the world to `text`. */
static inline void text_map_start(struct text_map *map, const char *world)
{
    *map = (struct text_map){.luxel = 16, .options = vbsp_defaults};
    map->diag = diag_new(NULL, NULL);
    map->fs = fs_memory_new();
    map->env = (struct env){.diag = map->diag, .fs = map->fs, .threads = 1};
    bytes_append_text(&map->text, "%s", world);
}

static inline void text_map_init(struct text_map *map)
{
    text_map_start(map, "world { id 1 classname worldspawn mapversion 3\n");
}

static inline struct vec3 text_moved(const struct text_move *move, struct vec3 point)
{
    struct vec3 moved = point;
    for (int k = 0; k < 3 && move; k++)
        moved.e[k] = move->sign[k] * point.e[move->axis[k]] + move->shift[k];
    return moved;
}

static inline bool text_is_mirrored(const struct text_move *move)
{
    struct vec3 x = text_moved(move, vec3(1, 0, 0)), y = text_moved(move, vec3(0, 1, 0));
    struct vec3 z = text_moved(move, vec3(0, 0, 1)), o = text_moved(move, vec3(0, 0, 0));
    return vec3_dot(vec3_cross(vec3_sub(x, o), vec3_sub(y, o)), vec3_sub(z, o)) < 0;
}

static inline void text_map_side(struct text_map *map, const double written[9],
                                 const char *material)
{
    double p[9], normal[3];
    for (int i = 0; i < 3; i++) {
        const double *q = written + 3 * (map->move && text_is_mirrored(map->move) ? 2 - i : i);
        struct vec3 at = text_moved(map->move, vec3(q[0], q[1], q[2]));
        memcpy(p + 3 * i, at.e, sizeof at.e);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] =
            (p[j] - p[3 + j]) * (p[6 + k] - p[3 + k]) - (p[k] - p[3 + k]) * (p[6 + j] - p[3 + j]);
    }
    double x = normal[0] * normal[0], y = normal[1] * normal[1], z = normal[2] * normal[2];
    const char *u = x > y && x > z ? "0 1 0" : "1 0 0", *v = z >= x && z >= y ? "0 -1 0" : "0 0 -1";
    bytes_append_text(&map->text,
                      "side { id %d plane \"(%.10g %.10g %.10g) (%.10g %.10g %.10g) (%.10g %.10g "
                      "%.10g)\" material \"%s\"\n"
                      "uaxis \"[%s 0] 0.25\" vaxis \"[%s 0] 0.25\" lightmapscale %g %s }\n",
                      ++map->ids, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], material, u,
                      v, map->luxel, map->extra ? map->extra : "");
}

/* The sides of a box, with a material per side; solids have others beside them. */
static inline void text_map_box_sides(struct text_map *map, struct vec3 low, struct vec3 high,
                                      const char *const materials[BOX_SIDES])
{
    double a = low.x, b = low.y, c = low.z, d = high.x, e = high.y, f = high.z;
    const double sides[BOX_SIDES][9] = {
        {a, e, f, d, e, f, d, b, f}, {a, b, c, d, b, c, d, e, c}, {a, e, f, a, b, f, a, b, c},
        {d, e, c, d, b, c, d, b, f}, {d, e, f, a, e, f, a, e, c}, {d, b, c, a, b, c, a, b, f},
    };
    for (int i = 0; i < BOX_SIDES; i++)
        text_map_side(map, sides[i], materials[i]);
}

static inline void text_map_box_of(struct text_map *map, struct vec3 low, struct vec3 high,
                                   const char *const materials[BOX_SIDES])
{
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    text_map_box_sides(map, low, high, materials);
    bytes_append_text(&map->text, "}\n");
}

static inline void text_map_box(struct text_map *map, struct vec3 low, struct vec3 high,
                                const char *material)
{
    const char *materials[BOX_SIDES];
    for (int i = 0; i < BOX_SIDES; i++)
        materials[i] = material;
    text_map_box_of(map, low, high, materials);
}

/* Six walls around a room, 16 units thick: its floor is "floor", the others "wall". */
static inline void text_map_room(struct text_map *map, struct vec3 low, struct vec3 high)
{
    const double wall = 16;
    for (int axis = 0; axis < 3; axis++) {
        for (int far = 0; far < 2; far++) {
            struct vec3 a = low, b = high;
            for (int i = 0; i < 3; i++) {
                a.e[i] -= i <= axis ? wall : 0;
                b.e[i] += i <= axis ? wall : 0;
            }
            a.e[axis] = far ? high.e[axis] : low.e[axis] - wall;
            b.e[axis] = far ? high.e[axis] + wall : low.e[axis];
            text_map_box(map, a, b, axis == 2 && !far ? "floor" : "wall");
        }
    }
}

/* Ends the world, or the previous entity. Boxes that follow belong to the new one. */
static inline void text_map_entity(struct text_map *map, const char *classname, const char *keys)
{
    bytes_append_text(&map->text, "}\nentity { id %d classname %s %s\n", ++map->ids, classname,
                      keys);
}

static inline void text_map_print_reports(const struct text_map *map)
{
    for (size_t i = 0; i < diag_entries(map->diag); i++)
        print_message("%s\n", diag_entry(map->diag, i)->message);
}

typedef enum status map_parser(const char *text, size_t size, const char *path, struct diag *diag,
                               struct level *map);

/* Opens the game, parses the text as the file at `path`, and compiles; fails the test unless the
 * result is `expected`. */
static inline void text_map_run(struct text_map *map, const struct assets_options *look_up,
                                map_parser *parse, const char *path, enum status expected)
{
    assert_int_equal(assets_open(&map->env, look_up, &map->assets), STATUS_OK);
    assert_int_equal(
        parse((const char *)map->text.data, map->text.size, path, map->diag, &map->level),
        STATUS_OK);
    enum status status =
        vbsp_run(&map->env, &map->options, map->assets, &map->level, NULL, &map->out);
    if (status != expected)
        text_map_print_reports(map);
    assert_int_equal(status, expected);
    map->bsp = map->out.bsp;
}

static inline void text_map_verify(const struct text_map *map, const struct bsp *bsp)
{
    enum status status = bsp_verify(bsp, "test.bsp", map->diag);
    if (status != STATUS_OK)
        text_map_print_reports(map);
    assert_int_equal(status, STATUS_OK);
}

static inline void text_map_put(struct text_map *map, const char *path, const char *text)
{
    assert_int_equal(map->fs->ops->write(map->fs, path, text, strlen(text)), 0);
}

/* Compiles; fails the test unless the result is `expected` with a valid BSP. `game` is a folder of
 * the map's file system, which gets a gameinfo.txt; or NULL. */
static inline void text_map_compile_game(struct text_map *map, enum status expected,
                                         const char *game)
{
    bytes_append_text(&map->text, "}\n");
    text_map_put(map, "catalogue.tsv", text_map_catalogue);
    const char *const catalogues[] = {"catalogue.tsv"};
    struct assets_options look_up = {
        .game = game ? game : map->game, .texdata = catalogues, .texdata_count = 1};
    char path[256];
    snprintf(path, sizeof path, "%s/gameinfo.txt", game ? game : "");
    if (game)
        text_map_put(map, path,
                     "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }");
    text_map_run(map, &look_up, vmf_parse, "maps/test.vmf", expected);
    assert_non_null(map->bsp);
    text_map_verify(map, map->bsp);
}

static inline void text_map_compile(struct text_map *map, enum status expected)
{
    text_map_compile_game(map, expected, NULL);
}

/* A map of a room from (0 0 0) to `high`. */
static inline void text_map_start_room(struct text_map *map, struct vec3 high)
{
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), high);
}

/* Compiles with a player at `origin`. */
static inline void text_map_finish(struct text_map *map, const char *origin)
{
    char key[64];
    snprintf(key, sizeof key, "origin \"%s\"", origin);
    text_map_entity(map, "info_player_start", key);
    text_map_compile(map, STATUS_OK);
}

static inline void text_map_free(struct text_map *map)
{
    vbsp_output_free(&map->out);
    level_free(&map->level);
    assets_free(map->assets);
    fs_memory_free(map->fs);
    diag_free(map->diag);
    bytes_free(&map->text);
}

/* Returns the number of faces of a model with the material `name`; their total area in *area when
 * it is not NULL. */
static inline int text_map_faces(const struct text_map *map, int model, const char *name,
                                 double *area)
{
    const struct bsp_model *record = &map->bsp->models[model];
    int count = 0;
    double sum = 0;
    for (int i = 0; i < record->face_count; i++) {
        const struct bsp_face *face = &map->bsp->faces[record->first_face + i];
        if (strcmp(bsp_texinfo_name(map->bsp, face->texinfo), name) != 0)
            continue;
        count++;
        sum += (double)face->area;
    }
    if (area)
        *area = sum;
    return count;
}

/* Returns true when the point lies on the face, which faces along `normal`. */
static inline bool text_map_is_on_face(const struct bsp *bsp, const struct bsp_face *face,
                                       struct vec3 point, struct vec3 normal)
{
    const struct bsp_plane *plane = &bsp->planes[face->plane];
    struct vec3 n =
        vec3((double)plane->normal[0], (double)plane->normal[1], (double)plane->normal[2]);
    if (vec3_dot(n, normal) < 0.99 || fabs(vec3_dot(n, point) - (double)plane->dist) > 0.1)
        return false;
    /* Projected along the major axis of the normal, a line from the point crosses the outline an
     * odd number of times: this holds for concave outlines too. */
    int u = (vec3_major_axis(n) + 1) % 3, v = (vec3_major_axis(n) + 2) % 3;
    bool inside = false;
    for (int i = 0; i < face->edge_count; i++) {
        struct vec3 a = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
        struct vec3 b = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, (i + 1) % face->edge_count));
        if ((a.e[v] > point.e[v]) == (b.e[v] > point.e[v]))
            continue;
        double at = (point.e[v] - a.e[v]) / (b.e[v] - a.e[v]);
        inside ^= a.e[u] + at * (b.e[u] - a.e[u]) > point.e[u];
    }
    return inside;
}

/* Returns the face of the world at the point that faces along `normal`, or -1. */
static inline int text_map_face_at(const struct text_map *map, struct vec3 point,
                                   struct vec3 normal)
{
    const struct bsp *bsp = map->bsp;
    for (int i = 0; i < bsp->models[0].face_count; i++)
        if (text_map_is_on_face(bsp, &bsp->faces[i], point, normal))
            return i;
    return -1;
}

#endif
