/* Faces of portals: compiled in memory, probed by position. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/bsp/face_records.h"
#include "tests/support/vbsp/text_map.h"

static void put_player(struct text_map *map, const char *origin)
{
    char keys[64];
    snprintf(keys, sizeof keys, "origin \"%s\"", origin);
    text_map_entity(map, "info_player_start", keys);
}

static bool looks_into(const struct bsp *bsp, const struct bsp_face *face, struct vec3 inside)
{
    const struct bsp_plane *plane = &bsp->planes[face->plane];
    double d = -(double)plane->dist;
    for (int i = 0; i < 3; i++)
        d += (double)plane->normal[i] * inside.e[i];
    return d > 0;
}

/* True if the outline is clockwise seen from the front of the face. */
static bool goes_clockwise(const struct bsp *bsp, const struct bsp_face *face)
{
    const float *normal = bsp->planes[face->plane].normal;
    struct vec3 a = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, 0)), sum = vec3(0, 0, 0);
    for (int i = 2; i < face->edge_count; i++) {
        struct vec3 b = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i - 1));
        struct vec3 c = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
        sum = vec3_add(sum, vec3_cross(vec3_sub(c, a), vec3_sub(b, a)));
    }
    struct vec3 n = vec3((double)normal[0], (double)normal[1], (double)normal[2]);
    return vec3_dot(sum, n) > 0;
}

static void test_box_room(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(16, 32, 48), vec3(272, 160, 112));
    put_player(&map, "100 100 60");
    text_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    assert_int_equal(arrlen(bsp->faces), 6);
    assert_int_equal(arrlen(bsp->original_faces), 6);
    double area;
    assert_int_equal(text_map_faces(&map, 0, "floor", &area), 1);
    assert_float_equal(area, 256 * 128, 0.1);
    assert_int_equal(text_map_faces(&map, 0, "wall", &area), 5);
    assert_float_equal(area, 256 * 128 + 2 * 64 * (256 + 128), 0.1);
    for (int i = 0; i < 6; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        assert_true(looks_into(bsp, face, vec3(100, 100, 60)));
        assert_true(goes_clockwise(bsp, face));
        assert_int_equal(face->side, face->plane & 1);
        assert_int_equal(face->on_node, 1);
        assert_int_equal(face->dispinfo, -1);
        assert_int_equal(face->fog_volume, -1);
        assert_true(bsp->face_ids[i] > 0);
        assert_int_equal(bsp->original_faces[face->original_face].plane, face->plane);
    }
    int floor = text_map_face_at(&map, vec3(100, 100, 48), vec3(0, 0, 1));
    assert_true(floor >= 0);
    /* Luxels of 16 units from the origin of the map; t goes against y. */
    assert_int_equal(bsp->faces[floor].lightmap_mins[0], 1);
    assert_int_equal(bsp->faces[floor].lightmap_size[0], 16);
    assert_int_equal(bsp->faces[floor].lightmap_mins[1], -10);
    assert_int_equal(bsp->faces[floor].lightmap_size[1], 8);
    /* All six are seen from the room, each listed once. */
    const struct bsp_leaf *room = &bsp->leaves[bsp_leaf_at(bsp, 0, vec3(100, 100, 60))];
    assert_int_equal(room->face_count, 6);
    assert_int_equal(arrlen(bsp->leaf_faces), 6);
    const int32_t low[3] = {16, 32, 48}, high[3] = {272, 160, 112};
    assert_memory_equal(room->mins, low, sizeof low);
    assert_memory_equal(room->maxs, high, sizeof high);
    assert_float_equal(bsp->models[0].mins[0], 0, 1e-6);
    assert_float_equal(bsp->models[0].maxs[2], 128, 1e-6);
    text_map_free(&map);
}

/* A wall from four brushes around a window of 64 x 32. */
static void put_window_wall(struct text_map *map)
{
    text_map_box(map, vec3(120, 0, 0), vec3(136, 256, 48), "wall");
    text_map_box(map, vec3(120, 0, 80), vec3(136, 256, 128), "wall");
    text_map_box(map, vec3(120, 0, 48), vec3(136, 96, 80), "wall");
    text_map_box(map, vec3(120, 160, 48), vec3(136, 256, 80), "wall");
}

static void test_wall_with_a_window(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    put_window_wall(&map);
    put_player(&map, "32 32 32");
    text_map_compile(&map, STATUS_OK);
    double area;
    text_map_faces(&map, 0, "wall", &area);
    double outer = 256 * 256 - 16 * 256.0 + 2 * 240 * 128.0 + 2 * 256 * 128.0;
    double divider = 2 * (256 * 128.0 - 64 * 32), frame = 16 * 2 * (64 + 32.0);
    double expected = outer + divider + frame;
    assert_float_equal(area, expected, 0.5);
    assert_int_equal(text_map_face_at(&map, vec3(120, 128, 64), vec3(-1, 0, 0)), -1);
    assert_true(text_map_face_at(&map, vec3(120, 128, 90), vec3(-1, 0, 0)) >= 0);
    assert_int_equal(text_map_face_at(&map, vec3(120, 128, 90), vec3(1, 0, 0)), -1);
    assert_true(text_map_face_at(&map, vec3(128, 128, 48), vec3(0, 0, 1)) >= 0);
    text_map_free(&map);
}

static void test_glass_has_no_inside(void **state)
{
    (void)state;
    static const char *const seen_through[] = {"glass", "grate"};
    for (int i = 0; i < 2; i++) {
        struct text_map map;
        text_map_init(&map);
        text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        put_window_wall(&map);
        text_map_box(&map, vec3(126, 96, 48), vec3(130, 160, 80), seen_through[i]);
        put_player(&map, "32 32 32");
        text_map_compile(&map, STATUS_OK);
        double area;
        assert_int_equal(text_map_faces(&map, 0, seen_through[i], &area), 2);
        assert_float_equal(area, 2 * 64 * 32, 0.1);
        assert_true(text_map_face_at(&map, vec3(126, 128, 64), vec3(-1, 0, 0)) >= 0);
        assert_int_equal(text_map_face_at(&map, vec3(126, 128, 64), vec3(1, 0, 0)), -1);
        /* The frame is drawn behind the glass too. */
        assert_true(text_map_face_at(&map, vec3(128, 128, 48), vec3(0, 0, 1)) >= 0);
        text_map_free(&map);
    }
}

static void test_sky_is_written_and_nodraw_is_not(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_box(&map, vec3(0, 0, 112), vec3(256, 256, 128), "sky");
    const char *const hidden[] = {
        "tools/toolsnodraw", "wall", "tools/toolsskip", "wall", "wall", "wall"};
    text_map_box_of(&map, vec3(64, 64, 0), vec3(96, 96, 32), hidden);
    const char *const hint[] = {"tools/toolshint", "tools/toolsskip", "tools/toolsskip",
                                "tools/toolsskip", "tools/toolsskip", "tools/toolsskip"};
    text_map_box_of(&map, vec3(0, 0, 0), vec3(256, 256, 64), hint);
    put_player(&map, "32 32 32");
    text_map_compile(&map, STATUS_OK);
    double area;
    assert_true(text_map_faces(&map, 0, "sky", &area) >= 1);
    assert_float_equal(area, 256 * 256, 0.1);
    assert_int_equal(text_map_faces(&map, 0, "tools/toolsnodraw", NULL), 0);
    assert_int_equal(text_map_faces(&map, 0, "tools/toolshint", NULL), 0);
    assert_int_equal(text_map_faces(&map, 0, "tools/toolsskip", NULL), 0);
    int sky = text_map_face_at(&map, vec3(128, 128, 112), vec3(0, 0, -1));
    assert_true(sky >= 0);
    assert_int_equal(map.bsp->faces[sky].lightmap_size[0], 0);
    text_map_free(&map);
}

/* A basin in the floor; the room is 128 high, the water 48 deep and 16 under the rim. */
static void put_basin(struct text_map *map, const char *liquid)
{
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    const char *materials[] = {liquid,
                               "tools/toolsnodraw",
                               "tools/toolsnodraw",
                               "tools/toolsnodraw",
                               "tools/toolsnodraw",
                               "tools/toolsnodraw"};
    text_map_box_of(map, vec3(0, 0, 0), vec3(256, 256, 48), materials);
    put_player(map, "32 32 100");
}

static void test_water_from_above_and_below(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    put_basin(&map, "WATER"); /* the file for its depth has small letters */
    text_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    int above = text_map_face_at(&map, vec3(100, 100, 48), vec3(0, 0, 1));
    int below = text_map_face_at(&map, vec3(100, 100, 48), vec3(0, 0, -1));
    assert_true(above >= 0 && below >= 0);
    assert_string_equal(bsp_texinfo_name(bsp, bsp->faces[above].texinfo), "WATER");
    assert_string_equal(bsp_texinfo_name(bsp, bsp->faces[below].texinfo), "under");
    assert_int_equal(arrlen(bsp->leaf_water), 1);
    assert_float_equal(bsp->leaf_water[0].surface_z, 48, 1e-4);
    assert_float_equal(bsp->leaf_water[0].min_z, 0, 1e-4);
    assert_int_equal(bsp->leaf_water[0].texinfo, bsp->faces[above].texinfo);
    assert_int_equal(bsp->leaves[bsp_leaf_at(bsp, 0, vec3(9, 9, 9))].water_data, 0);
    assert_int_equal(bsp->leaves[bsp_leaf_at(bsp, 0, vec3(9, 9, 90))].water_data, -1);
    const char *name = "materials/maps/test/water_depth_48.vmt";
    bool packed = false;
    for (size_t i = 0; i + strlen(name) <= bsp->pakfile.size; i++)
        packed |= !memcmp(bsp->pakfile.data + i, name, strlen(name));
    assert_true(packed);
    text_map_free(&map);
}

static void test_slime_looks_the_same_from_below(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    put_basin(&map, "slime");
    text_map_compile(&map, STATUS_OK);
    int above = text_map_face_at(&map, vec3(100, 100, 48), vec3(0, 0, 1));
    int below = text_map_face_at(&map, vec3(100, 100, 48), vec3(0, 0, -1));
    assert_true(above >= 0 && below >= 0);
    assert_int_equal(map.bsp->faces[above].texinfo, map.bsp->faces[below].texinfo);
    text_map_free(&map);
}

static void test_water_without_a_bottom_material(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    put_basin(&map, "under");
    text_map_compile(&map, STATUS_OK);
    assert_true(text_map_face_at(&map, vec3(100, 100, 48), vec3(0, 0, 1)) >= 0);
    assert_int_equal(text_map_face_at(&map, vec3(100, 100, 48), vec3(0, 0, -1)), -1);
    text_map_free(&map);
}

static void test_bodies_of_water_are_reported_apart(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_box(&map, vec3(120, 0, 0), vec3(136, 256, 96), "wall");
    text_map_box(&map, vec3(0, 0, 0), vec3(120, 256, 64), "water");
    text_map_box(&map, vec3(136, 0, 0), vec3(256, 256, 32), "water");
    put_player(&map, "32 32 100");
    text_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    assert_int_equal(arrlen(bsp->leaf_water), 2);
    int west = bsp->leaves[bsp_leaf_at(bsp, 0, vec3(60, 60, 16))].water_data;
    int east = bsp->leaves[bsp_leaf_at(bsp, 0, vec3(200, 60, 16))].water_data;
    assert_true(west >= 0 && east >= 0 && west != east);
    assert_float_equal(bsp->leaf_water[west].surface_z, 64, 1e-4);
    assert_float_equal(bsp->leaf_water[east].surface_z, 32, 1e-4);
    text_map_free(&map);
}

static void test_wide_floor_is_cut_for_its_lightmap(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct text_map map;
        text_map_init(&map);
        map.options.no_subdiv = whole;
        text_map_room(&map, vec3(16, 16, 0), vec3(1008, 512, 128));
        put_player(&map, "100 100 60");
        text_map_compile(&map, STATUS_OK);
        double area;
        int count = text_map_faces(&map, 0, "floor", &area);
        assert_int_equal(count, whole ? 1 : 2); /* 62 luxels by 31 */
        assert_float_equal(area, 992 * 496, 1);
        for (size_t i = 0; i < arrlenu(map.bsp->faces) && !whole; i++)
            assert_true(map.bsp->faces[i].lightmap_size[0] <= 33);
        text_map_free(&map);
    }
}

/* Sides of SKIP split nothing, so that both solids are in one leaf, below one portal. */
static void test_a_portal_of_two_materials_is_cut(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    const char *low[BOX_SIDES], *high[BOX_SIDES];
    for (int i = 0; i < BOX_SIDES; i++)
        low[i] = high[i] = "tools/toolsskip";
    low[BOX_TOP] = "wall";
    high[BOX_TOP] = "mirror";
    text_map_box_of(&map, vec3(0, 0, 0), vec3(96, 256, 16), low);
    text_map_box_of(&map, vec3(96, 0, 0), vec3(256, 256, 16), high);
    text_map_finish(&map, "128 128 100");
    int left = text_map_face_at(&map, vec3(48, 128, 16), vec3(0, 0, 1));
    int right = text_map_face_at(&map, vec3(176, 128, 16), vec3(0, 0, 1));
    assert_true(left >= 0 && right >= 0);
    assert_string_equal(bsp_texinfo_name(map.bsp, map.bsp->faces[left].texinfo), "wall");
    assert_string_equal(bsp_texinfo_name(map.bsp, map.bsp->faces[right].texinfo), "mirror");
    double area;
    assert_int_equal(text_map_faces(&map, 0, "mirror", &area), 1);
    assert_float_equal(area, 160 * 256, 0.1);
    text_map_free(&map);
}

static void test_brush_model(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_entity(&map, "func_brush", "origin \"128 128 32\"");
    text_map_box(&map, vec3(112, 112, 0), vec3(144, 144, 64), "wall");
    put_player(&map, "32 32 32");
    text_map_compile(&map, STATUS_OK);
    const struct bsp *bsp = map.bsp;
    assert_int_equal(arrlen(bsp->models), 2);
    const struct bsp_model *model = &bsp->models[1];
    assert_int_equal(model->face_count, 6);
    assert_int_equal(model->first_face, bsp->models[0].face_count);
    const float low[3] = {-16, -16, -32}, high[3] = {16, 16, 32};
    assert_memory_equal(model->mins, low, sizeof low);
    assert_memory_equal(model->maxs, high, sizeof high);
    for (int i = 0; i < 6; i++)
        assert_false(looks_into(bsp, &bsp->faces[model->first_face + i], vec3(0, 0, 0)));
    int leaf = bsp_leaf_at(bsp, 1, vec3(0, 0, 0));
    assert_int_equal(bsp->leaves[leaf].contents, CONTENTS_SOLID);
    assert_int_equal(bsp->leaves[leaf].cluster, -1);
    assert_int_equal(bsp->leaves[leaf].brush_count, 1);
    text_map_free(&map);
}

static void assert_begins_at(const struct bsp *bsp, int face, struct vec3 corner)
{
    struct vec3 first = bsp_vertex_at(bsp, bsp_face_vertex(bsp, &bsp->faces[face], 0));
    assert_float_equal(vec3_distance(first, corner), 0, 1e-3);
}

static int face_of_model(const struct bsp *bsp, int model, struct vec3 normal)
{
    int face = bsp->models[model].first_face;
    for (;; face++) {
        const float *n = bsp->planes[bsp->faces[face].plane].normal;
        assert_in_range(face, 0, arrlen(bsp->faces) - 1);
        if (vec3_dot(vec3((double)n[0], (double)n[1], (double)n[2]), normal) > 0.99)
            return face;
    }
}

/* Detail props are placed from the first corner of a face on. These corners were measured on the
 * reference compiler's file of such a map. */
static void test_first_corners(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_box(&map, vec3(-16, -16, -16), vec3(784, 528, 0), "floor");
    text_map_box(&map, vec3(-16, -16, 256), vec3(784, 528, 272), "wall");
    text_map_box(&map, vec3(-16, -16, 0), vec3(0, 528, 256), "wall");
    text_map_box(&map, vec3(768, -16, 0), vec3(784, 528, 256), "wall");
    text_map_box(&map, vec3(0, -16, 0), vec3(768, 0, 256), "wall");
    text_map_box(&map, vec3(0, 512, 0), vec3(768, 528, 256), "wall");
    text_map_box(&map, vec3(350, 0, 0), vec3(366, 300, 256), "wall");
    text_map_box(&map, vec3(500, 100, 0), vec3(560, 160, 80), "wall");
    text_map_box(&map, vec3(100, 350, 0), vec3(200, 400, 60), "wall");
    text_map_entity(&map, "func_brush", "origin \"420 300 50\"");
    text_map_box(&map, vec3(410, 290, 20), vec3(440, 320, 70), "wall");
    text_map_finish(&map, "64 64 40");
    const double floors[][4] = {{360, 320, 350, 300}, {530, 50, 560, 0}, {530, 250, 500, 160}};
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        const double *at = floors[i];
        int face = text_map_face_at(&map, vec3(at[0], at[1], 0), vec3(0, 0, 1));
        assert_true(face >= 0);
        assert_begins_at(map.bsp, face, vec3(at[2], at[3], 0));
    }
    assert_begins_at(map.bsp, face_of_model(map.bsp, 1, vec3(-1, 0, 0)), vec3(-10, 20, -30));
    text_map_free(&map);
}

/* Faces of detail brushes: compiled in memory, probed by position. */

static bool lists_face(const struct bsp *bsp, const struct bsp_leaf *leaf, int face)
{
    for (int i = 0; i < leaf->face_count; i++)
        if (bsp->leaf_faces[leaf->first_face + i] == face)
            return true;
    return false;
}

static void test_pillar_on_the_floor(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(112, 112, 0), vec3(144, 144, 64), "glass");
    text_map_finish(&map, "20 20 32");
    const struct bsp *bsp = map.bsp;
    double area;
    assert_int_equal(text_map_faces(&map, 0, "glass", &area), 5); /* none under it */
    assert_float_equal(area, 4 * 32 * 64 + 32 * 32, 0.1);
    assert_int_equal(text_map_faces(&map, 0, "floor", &area), 1); /* goes on below it */
    assert_float_equal(area, 256 * 256, 0.1);
    int leaf = bsp_leaf_at(bsp, 0, vec3(128, 128, 32));
    assert_int_equal(bsp->leaves[leaf].contents & CONTENTS_SOLID, 0);
    assert_true(bsp_brush_contents_at(bsp, leaf, vec3(128, 128, 32)) & CONTENTS_DETAIL);
    assert_int_equal(bsp_brush_contents_at(bsp, leaf, vec3(128, 128, 100)), 0);
    for (int i = 0; i < 5; i++) { /* first of all, in leaves only */
        assert_int_equal(bsp->faces[i].on_node, 0);
        assert_string_equal(bsp_texinfo_name(bsp, bsp->faces[i].texinfo), "glass");
        assert_true(lists_face(bsp, &bsp->leaves[leaf], i));
        for (size_t j = 0; j < arrlenu(bsp->nodes); j++)
            assert_true(i < bsp->nodes[j].first_face);
    }
    text_map_free(&map);
}

static void test_touching_sides_are_hidden(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 0), vec3(128, 128, 64), "grate");
    text_map_box(&map, vec3(128, 96, 0), vec3(160, 128, 64), "grate");
    text_map_finish(&map, "20 20 32");
    double area;
    assert_int_equal(text_map_faces(&map, 0, "grate", &area), 5); /* merged */
    assert_float_equal(area, 2 * 64 * 64 + 2 * 32 * 64 + 64 * 32, 0.1);
    text_map_free(&map);
}

static void test_partly_covered_sides_are_clipped(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 32), vec3(128, 128, 96), "wall");
    text_map_box(&map, vec3(128, 96, 32), vec3(160, 128, 64), "grate");
    text_map_finish(&map, "20 20 32");
    /* Glass hides no wall, but the wall hides what touches it. */
    assert_true(text_map_face_at(&map, vec3(128, 112, 80), vec3(1, 0, 0)) >= 0);
    assert_true(text_map_face_at(&map, vec3(128, 112, 48), vec3(1, 0, 0)) >= 0);
    assert_int_equal(text_map_face_at(&map, vec3(128, 112, 48), vec3(-1, 0, 0)), -1);
    text_map_free(&map);

    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 32), vec3(128, 128, 96), "grate");
    text_map_box(&map, vec3(128, 96, 32), vec3(160, 128, 64), "wall");
    text_map_finish(&map, "20 20 32");
    assert_true(text_map_face_at(&map, vec3(128, 112, 80), vec3(1, 0, 0)) >= 0);
    assert_int_equal(text_map_face_at(&map, vec3(128, 112, 48), vec3(1, 0, 0)), -1);
    text_map_free(&map);
}

static void test_a_side_that_would_fall_apart_is_whole(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 32), vec3(128, 128, 96), "grate");
    text_map_box(&map, vec3(128, 104, 56), vec3(160, 120, 72), "wall"); /* in its middle */
    text_map_finish(&map, "20 20 32");
    assert_true(text_map_face_at(&map, vec3(128, 112, 64), vec3(1, 0, 0)) >= 0);
    assert_true(text_map_face_at(&map, vec3(128, 100, 40), vec3(1, 0, 0)) >= 0);
    text_map_free(&map);
}

static void test_clips_hide_nothing(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(96, 96, 32), vec3(128, 128, 96), "grate");
    text_map_box(&map, vec3(128, 96, 32), vec3(160, 128, 96), "tools/toolsplayerclip");
    text_map_finish(&map, "20 20 32");
    assert_true(text_map_face_at(&map, vec3(128, 112, 64), vec3(1, 0, 0)) >= 0);
    assert_int_equal(text_map_faces(&map, 0, "tools/toolsplayerclip", NULL), 0);
    int leaf = bsp_leaf_at(map.bsp, 0, vec3(150, 112, 64));
    assert_true(bsp_brush_contents_at(map.bsp, leaf, vec3(150, 112, 64)) & CONTENTS_PLAYERCLIP);
    text_map_free(&map);
}

static void test_detail_in_two_leaves_is_in_both_lists(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    /* A wall with a doorway makes leaves; a beam goes through it. */
    text_map_box(&map, vec3(120, 0, 0), vec3(136, 96, 128), "wall");
    text_map_box(&map, vec3(120, 160, 0), vec3(136, 256, 128), "wall");
    text_map_entity(&map, "func_detail", "");
    text_map_box(&map, vec3(32, 112, 32), vec3(224, 144, 64), "glass");
    text_map_finish(&map, "20 20 32");
    const struct bsp *bsp = map.bsp;
    int west = bsp_leaf_at(bsp, 0, vec3(64, 128, 48)),
        east = bsp_leaf_at(bsp, 0, vec3(200, 128, 48));
    assert_int_not_equal(west, east);
    int top = text_map_face_at(&map, vec3(128, 128, 64), vec3(0, 0, 1));
    assert_true(top >= 0); /* one face for all of it */
    assert_int_equal(top, text_map_face_at(&map, vec3(40, 128, 64), vec3(0, 0, 1)));
    assert_true(lists_face(bsp, &bsp->leaves[west], top));
    assert_true(lists_face(bsp, &bsp->leaves[east], top));
    assert_true(bsp_brush_contents_at(bsp, west, vec3(64, 128, 48)) & CONTENTS_DETAIL);
    assert_true(bsp_brush_contents_at(bsp, east, vec3(200, 128, 48)) & CONTENTS_DETAIL);
    text_map_free(&map);
}

static void test_detail_keeps_its_smoothing_groups(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    text_map_entity(&map, "func_detail", "");
    map.extra = "smoothing_groups 5";
    text_map_box(&map, vec3(112, 112, 0), vec3(144, 144, 64), "glass");
    text_map_finish(&map, "20 20 32");
    for (size_t i = 0; i < arrlenu(map.bsp->faces); i++)
        assert_int_equal(map.bsp->faces[i].smoothing_groups, map.bsp->faces[i].on_node ? 0 : 5);
    text_map_free(&map);
}

SUITE(test_faces)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_room),
        cmocka_unit_test(test_wall_with_a_window),
        cmocka_unit_test(test_glass_has_no_inside),
        cmocka_unit_test(test_sky_is_written_and_nodraw_is_not),
        cmocka_unit_test(test_water_from_above_and_below),
        cmocka_unit_test(test_slime_looks_the_same_from_below),
        cmocka_unit_test(test_water_without_a_bottom_material),
        cmocka_unit_test(test_bodies_of_water_are_reported_apart),
        cmocka_unit_test(test_wide_floor_is_cut_for_its_lightmap),
        cmocka_unit_test(test_a_portal_of_two_materials_is_cut),
        cmocka_unit_test(test_brush_model),
        cmocka_unit_test(test_first_corners),
        cmocka_unit_test(test_pillar_on_the_floor),
        cmocka_unit_test(test_touching_sides_are_hidden),
        cmocka_unit_test(test_partly_covered_sides_are_clipped),
        cmocka_unit_test(test_a_side_that_would_fall_apart_is_whole),
        cmocka_unit_test(test_clips_hide_nothing),
        cmocka_unit_test(test_detail_in_two_leaves_is_in_both_lists),
        cmocka_unit_test(test_detail_keeps_its_smoothing_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
