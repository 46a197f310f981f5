/* Quake 3 maps written in code for stage tests: boxes of a shader, compiled in memory.
 *
 * Shaders of the maps' own scripts: "test/wall" and "test/floor" (opaque, 64 x 64), "test/glass"
 * (solid, transparent), "test/water", "test/fog" (a fog volume), "test/sky", "test/banner" (not
 * solid), "test/filler" (neither solid nor drawn, as in scripts that lack skip); the tools are
 * built in. */
#ifndef TESTS_Q3_MAP_H
#define TESTS_Q3_MAP_H

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/target/target.h"

#define CAULK "common/caulk"

/* Sides of a box, as indices in the array of shaders: in the order of the file. */
enum { Q3_WEST, Q3_EAST, Q3_SOUTH, Q3_NORTH, Q3_BOTTOM, Q3_TOP, Q3_SIDES };

static const char q3_map_scripts[] =
    "textures/test/wall\n{\n{\nmap $lightmap\n}\n}\n"
    "textures/test/floor\n{\n{\nmap $lightmap\n}\n}\n"
    "textures/test/glass\n{\nsurfaceparm trans\n"
    "{\nmap $lightmap\n}\n}\n"
    "textures/test/water\n{\nsurfaceparm water\nsurfaceparm trans\n"
    "surfaceparm nonsolid\nsurfaceparm nolightmap\n}\n"
    "textures/test/canal\n{\nsurfaceparm water\nsurfaceparm trans\n"
    "surfaceparm structural\nsurfaceparm nonsolid\n}\n"
    "textures/test/fog\n{\nsurfaceparm fog\nsurfaceparm trans\n"
    "surfaceparm nonsolid\nsurfaceparm nolightmap\n"
    "fogparms ( 0.5 0.5 0.5 ) 500\n}\n"
    "textures/test/sky\n{\nsurfaceparm sky\nsurfaceparm noimpact\n"
    "surfaceparm nolightmap\nskyparms - 512 -\n}\n"
    "textures/test/filler\n{\nsurfaceparm nodraw\nsurfaceparm nonsolid\n"
    "surfaceparm structural\nsurfaceparm trans\n}\n"
    "textures/test/banner\n{\nsurfaceparm nonsolid\n"
    "surfaceparm trans\n{\nmap $lightmap\n}\n}\n";

static inline void q3_map_init(struct text_map *map)
{
    text_map_start(map, "{\n\"classname\" \"worldspawn\"\n");
    map->extra = "0 0 0";
    map->options.engine = &engine_quake3;
}

static inline void q3_map_side(struct text_map *map, struct vec3 low, struct vec3 high, int side,
                               const char *shader)
{
    int axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    struct vec3 p = side % 2 ? high : low, q = p, r = p;
    /* (p0 - p1) x (p2 - p1) points out of the box. */
    q.e[side % 2 ? u : v] += 1;
    r.e[side % 2 ? v : u] += 1;
    bytes_append_text(&map->text,
                      "( %.9g %.9g %.9g ) ( %.9g %.9g %.9g ) ( %.9g %.9g %.9g ) %s 0 0 0 0.5 0.5 "
                      "%s\n",
                      q.x, q.y, q.z, p.x, p.y, p.z, r.x, r.y, r.z, shader, map->extra);
}

static inline void q3_map_box_of(struct text_map *map, struct vec3 low, struct vec3 high,
                                 const char *const shaders[Q3_SIDES])
{
    bytes_append_text(&map->text, "{\n");
    for (int side = 0; side < Q3_SIDES; side++)
        q3_map_side(map, low, high, side, shaders[side]);
    bytes_append_text(&map->text, "}\n");
}

static inline void q3_map_box(struct text_map *map, struct vec3 low, struct vec3 high,
                              const char *shader)
{
    const char *const shaders[Q3_SIDES] = {shader, shader, shader, shader, shader, shader};
    q3_map_box_of(map, low, high, shaders);
}

static inline void q3_map_detail_box(struct text_map *map, struct vec3 low, struct vec3 high,
                                     const char *shader)
{
    map->extra = "134217728 0 0";
    q3_map_box(map, low, high, shader);
    map->extra = "0 0 0";
}

/* Six walls of 16 units around the space. */
static inline void q3_map_room(struct text_map *map, struct vec3 low, struct vec3 high)
{
    for (int side = 0; side < Q3_SIDES; side++) {
        struct vec3 a = low, b = high;
        int axis = side / 2;
        for (int i = 0; i < axis; i++) {
            a.e[i] -= 16;
            b.e[i] += 16;
        }
        a.e[axis] = side % 2 ? high.e[axis] : low.e[axis] - 16;
        b.e[axis] = side % 2 ? high.e[axis] + 16 : low.e[axis];
        q3_map_box(map, a, b, side == Q3_BOTTOM ? "test/floor" : "test/wall");
    }
}

/* Ends the world, or the previous entity. Boxes that follow belong to the new one; keys are as in
 * the file. */
static inline void q3_map_entity(struct text_map *map, const char *classname, const char *keys)
{
    bytes_append_text(&map->text, "}\n{\n\"classname\" \"%s\"\n%s\n", classname, keys);
}

static inline void q3_map_player(struct text_map *map, const char *origin)
{
    char key[160];
    snprintf(key, sizeof key, "\"origin\" \"%s\"", origin);
    q3_map_entity(map, "info_player_deathmatch", key);
}

static inline void q3_map_run(struct text_map *map, enum status expected)
{
    bytes_append_text(&map->text, "}\n");
    text_map_put(map, "game/scripts/test.shader", q3_map_scripts);
    text_map_run(map, &(struct assets_options){.game = "game"}, map_parse, "maps/test.map",
                 expected);
}

/* The bytes of the file, which must be valid. */
static inline void q3_map_encode(const struct text_map *map, struct bytes *out)
{
    struct bsp *read;
    assert_int_equal(bsp_encode(map->bsp, bsp_format_find("quake3"), "test.bsp", map->diag, out),
                     STATUS_OK);
    assert_int_equal(bsp_decode(out->data, out->size, "test.bsp", map->diag, &read), STATUS_OK);
    text_map_verify(map, read);
    bsp_free(read);
}

/* Compiles; fails the test unless the result is `expected` with a valid BSP. */
static inline void q3_map_compile(struct text_map *map, enum status expected)
{
    struct bytes file = {0};
    q3_map_run(map, expected);
    assert_non_null(map->bsp);
    q3_map_encode(map, &file);
    bytes_free(&file);
}

static inline const struct bsp_leaf *q3_leaf_at(const struct text_map *map, struct vec3 point)
{
    return &map->bsp->leaves[bsp_leaf_at(map->bsp, 0, point)];
}

static inline const char *q3_shader_name(const struct text_map *map,
                                         const struct bsp_surface *surface)
{
    return map->bsp->shaders[surface->shader].name;
}

static inline struct vec3 q3_corner(const struct text_map *map, const struct bsp_surface *surface,
                                    int index)
{
    int vertex = surface->first_vertex + map->bsp->draw_indices[surface->first_index + index];
    return vec3_from_floats(map->bsp->draw_vertices[vertex].p);
}

/* Returns the area of a model's surfaces with a shader; *count gets their number when it is not
 * NULL. */
static inline float q3_area(const struct text_map *map, int model, const char *shader, int *count)
{
    const struct bsp_model *record = &map->bsp->models[model];
    char name[SHADER_NAME];
    double area = 0;
    int found = 0;
    snprintf(name, sizeof name, "textures/%s", shader);
    for (int i = 0; i < record->face_count; i++) {
        const struct bsp_surface *surface = &map->bsp->surfaces[record->first_face + i];
        if (strcmp(q3_shader_name(map, surface), name) != 0)
            continue;
        found++;
        for (int j = 0; j + 2 < surface->index_count; j += 3) {
            struct vec3 a = q3_corner(map, surface, j);
            struct vec3 u = vec3_sub(q3_corner(map, surface, j + 1), a);
            struct vec3 v = vec3_sub(q3_corner(map, surface, j + 2), a);
            area += vec3_length(vec3_cross(u, v)) / 2;
        }
    }
    if (count)
        *count = found;
    return (float)area;
}

/* Returns the surface of the world with a triangle at the point that faces along `normal`, or
 * NULL. */
static inline const struct bsp_surface *q3_surface_at(const struct text_map *map, struct vec3 point,
                                                      struct vec3 normal)
{
    const struct bsp_model *record = &map->bsp->models[0];
    for (int i = 0; i < record->face_count; i++) {
        const struct bsp_surface *surface = &map->bsp->surfaces[record->first_face + i];
        for (int j = 0; j + 2 < surface->index_count; j += 3) {
            struct vec3 p[3], out = vec3(0, 0, 0);
            for (int k = 0; k < 3; k++)
                p[k] = q3_corner(map, surface, j + k);
            out = vec3_normalize(vec3_cross(vec3_sub(p[0], p[1]), vec3_sub(p[2], p[1])));
            bool inside =
                vec3_dot(out, normal) > 0.99 && fabs(vec3_dot(out, vec3_sub(point, p[0]))) < 0.1;
            for (int k = 0; k < 3 && inside; k++) {
                struct vec3 edge = vec3_sub(p[(k + 1) % 3], p[k]);
                inside = vec3_dot(vec3_cross(edge, out), vec3_sub(point, p[k])) >= -1e-6;
            }
            if (inside)
                return surface;
        }
    }
    return NULL;
}

static inline bool q3_brush_holds(const struct text_map *map, int brush, struct vec3 point)
{
    const struct bsp_brush *of = &map->bsp->brushes[brush];
    for (int i = 0; i < of->side_count; i++) {
        const struct bsp_plane *plane =
            &map->bsp->planes[map->bsp->brush_sides[of->first_side + i].plane];
        double d = (double)plane->normal[0] * point.x + (double)plane->normal[1] * point.y +
                   (double)plane->normal[2] * point.z;
        if (d > (double)plane->dist)
            return false;
    }
    return true;
}

/* Returns true when the point's leaf lists a brush that holds it and whose contents have the
 * bits. */
static inline bool q3_leaf_has(const struct text_map *map, struct vec3 point, int contents)
{
    const struct bsp_leaf *leaf = q3_leaf_at(map, point);
    for (int i = 0; i < leaf->brush_count; i++) {
        int brush = map->bsp->leaf_brushes[leaf->first_brush + i];
        if (map->bsp->shaders[map->bsp->brushes[brush].shader].contents & contents &&
            q3_brush_holds(map, brush, point))
            return true;
    }
    return false;
}

static inline bool q3_leaf_lists(const struct text_map *map, const struct bsp_leaf *leaf,
                                 const struct bsp_surface *surface)
{
    int number = (int)(surface - map->bsp->surfaces);
    for (int i = 0; i < leaf->face_count; i++)
        if (map->bsp->leaf_faces[leaf->first_face + i] == number)
            return true;
    return false;
}

static inline const struct diag_entry *q3_report(const struct text_map *map, int code)
{
    for (size_t i = 0; i < diag_entries(map->diag); i++)
        if (diag_entry(map->diag, i)->code == code)
            return diag_entry(map->diag, i);
    return NULL;
}

static inline bool q3_lump_has(const struct bsp *bsp, const char *text)
{
    size_t size = arrlenu(bsp->entities), length = strlen(text);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bsp->entities + i, text, length) == 0)
            return true;
    return false;
}

#endif
