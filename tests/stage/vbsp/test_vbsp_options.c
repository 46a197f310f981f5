/* The effect of single options, and that nothing else changes. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/diag/codes/updates.def"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/csg/brush_options.h"
#include "vbsp/csg/csg_options.h"

static const struct vec3 up = {.x = 0, .y = 0, .z = 1}, east = {.x = 1, .y = 0, .z = 0};

static const struct csg_options snapping = {.snap_axial = true};

static void put_loose_block(struct text_map *map, bool snap)
{
    text_map_start_room(map, vec3(256, 256, 128));
    if (snap)
        map->options.csg = &snapping;
    text_map_box(map, vec3(64.3, 64, 0), vec3(95.5, 96, 32.4), "wall");
    text_map_entity(map, "func_brush", "origin \"160.25 160 0\"");
    text_map_box(map, vec3(144.6, 144, 64), vec3(176, 176, 80), "wall");
    text_map_finish(map, "20 20 32");
}

static void axial_planes_snap(void **state)
{
    (void)state;
    struct text_map map;
    put_loose_block(&map, false);
    assert_true(text_map_face_at(&map, vec3(80, 80, 32.4), up) >= 0);
    text_map_free(&map);

    put_loose_block(&map, true);
    assert_int_equal(text_map_face_at(&map, vec3(80, 80, 32.4), up), -1);
    assert_true(text_map_face_at(&map, vec3(80, 80, 32), up) >= 0);
    assert_true(text_map_face_at(&map, vec3(96, 80, 16), east) >= 0); /* 95.5 */
    for (size_t i = 0; i < arrlenu(map.bsp->planes); i++)
        if (map.bsp->planes[i].type <= 2)
            assert_float_equal(map.bsp->planes[i].dist, roundf(map.bsp->planes[i].dist), 1e-6);
    text_map_free(&map);
}

static void opposite_sides_snap_alike(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        struct text_map map;
        text_map_start_room(&map, vec3(256, 256, 128));
        map.options.csg = &snapping;
        double y = 128 + sign * 0.5; /* two blocks that touch stay in touch */
        text_map_box(&map, vec3(64, 64, 0), vec3(96, y, 32), "wall");
        text_map_box(&map, vec3(64, y, 0), vec3(96, 160, 32), "wall");
        text_map_finish(&map, "20 20 32");
        double area;
        assert_int_equal(text_map_faces(&map, 0, "floor", &area), 4);
        assert_float_equal(area, 256 * 256 - 32 * 96, 0.1);
        int between = 0;
        for (size_t i = 0; i < arrlenu(map.bsp->planes); i++)
            between += map.bsp->planes[i].type == 1 && fabsf(map.bsp->planes[i].dist) > 120 &&
                       fabsf(map.bsp->planes[i].dist) < 136;
        assert_int_equal(between, 2); /* one pair: they share it */
        text_map_free(&map);
    }
}

static void put_detail_beside_wall(struct text_map *map, bool cracks)
{
    text_map_start_room(map, vec3(256, 256, 128));
    map->options.allow_detail_cracks = cracks;
    text_map_box(map, vec3(128, 0, 0), vec3(256, 256, 64), "wall");
    text_map_entity(map, "func_detail", "");
    text_map_box(map, vec3(96, 96, 48), vec3(128, 160, 64), "grate");
    text_map_finish(map, "20 20 32");
}

/* Points of the step's upper face that lie on its edge at x = 128. */
static int points_on_step(const struct text_map *map)
{
    int face = text_map_face_at(map, vec3(200, 128, 64), up), count = 0;
    assert_true(face >= 0);
    const struct bsp_face *record = &map->bsp->faces[face];
    for (int i = 0; i < record->edge_count; i++)
        count += fabs(bsp_vertex_at(map->bsp, bsp_face_vertex(map->bsp, record, i)).x - 128) < 0.1;
    return count;
}

static void detail_cracks(void **state)
{
    (void)state;
    struct text_map with, without;
    put_detail_beside_wall(&with, false);
    put_detail_beside_wall(&without, true);
    assert_int_equal(points_on_step(&with), 4);
    assert_int_equal(points_on_step(&without), 2);
    /* The same faces, nodes and brushes; only outlines are shorter. */
    assert_int_equal(arrlen(with.bsp->faces), arrlen(without.bsp->faces));
    assert_int_equal(arrlen(with.bsp->nodes), arrlen(without.bsp->nodes));
    assert_int_equal(arrlen(with.bsp->vertices), arrlen(without.bsp->vertices));
    assert_true(arrlen(with.bsp->surfedges) > arrlen(without.bsp->surfedges));
    for (size_t i = 0; i < arrlenu(with.bsp->faces); i++)
        assert_float_equal(with.bsp->faces[i].area, without.bsp->faces[i].area, 0.01);
    text_map_free(&with);
    text_map_free(&without);
}

static void detail_cracks_keep_structural_points(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    map.options.allow_detail_cracks = true;
    text_map_box(&map, vec3(128, 0, 0), vec3(256, 256, 64), "wall");
    text_map_box(&map, vec3(96, 96, 48), vec3(128, 160, 64), "mirror");
    text_map_finish(&map, "20 20 32");
    assert_int_equal(points_on_step(&map), 4);
    text_map_free(&map);
}

static void put_trigger_and_water(struct text_map *map)
{
    text_map_start_room(map, vec3(256, 256, 128));
    text_map_box(map, vec3(0, 0, 0), vec3(256, 256, 16), "litwater");
    text_map_entity(map, "trigger_once", "");
    text_map_box(map, vec3(64, 64, 32), vec3(96, 96, 64), "tools/toolstrigger");
    text_map_entity(map, "func_occluder", "");
    text_map_box(map, vec3(160, 160, 32), vec3(176, 176, 64), "tools/toolsoccluder");
}

/* True if the surface of the water has no lightmap. */
static bool water_is_unlit(const struct text_map *map)
{
    int face = text_map_face_at(map, vec3(200, 64, 16), up);
    assert_true(face >= 0);
    int texinfo = map->bsp->faces[face].texinfo;
    return map->bsp->texinfo[texinfo].flags & SURFACE_NOLIGHT;
}

static const char *const lit_water_game[] = {
    "game/materials/litwater.vmt",
    "\"Water\" { \"%compilewater\" 1 \"%compilekeeplight\" 1 \"$normalmap\" n }",
};

static void compile_with_water(struct text_map *map)
{
    assert_int_equal(map->fs->ops->write(map->fs, lit_water_game[0], lit_water_game[1],
                                         strlen(lit_water_game[1])),
                     0);
    text_map_entity(map, "info_player_start", "origin \"20 20 32\"");
    text_map_compile_game(map, STATUS_OK, "game");
}

static void triggers_and_water_of_consoles(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        struct text_map map;
        put_trigger_and_water(&map);
        struct brush_options brushes = brush_defaults;
        brushes.no_draw_triggers = round == 1;
        brushes.xbox = round == 2;
        map.options.brushes = &brushes;
        compile_with_water(&map);
        assert_int_equal(map.bsp->models[1].face_count, round ? 0 : 6);
        assert_int_equal(water_is_unlit(&map), round == 2);
        /* An occluder's sides are of a trigger's kind, and still hide. */
        assert_int_equal(arrlen(map.bsp->occluder_polygons), 6);
        text_map_free(&map);
    }
}

static bool has_entity(const struct text_map *map, const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "\"targetname\" \"%s\"", name);
    struct bytes lump = {0};
    bytes_append(&lump, map->bsp->entities, arrlenu(map->bsp->entities));
    bytes_append(&lump, "", 1);
    bool found = strstr((const char *)lump.data, text) != NULL;
    bytes_free(&lump);
    return found;
}

static void put_levels(struct text_map *map, int level)
{
    text_map_start_room(map, vec3(256, 256, 128));
    map->options.dx_level = level;
    map->options.bump_all = true;
    text_map_entity(map, "func_brush", "targetname new mindxlevel 81");
    text_map_box(map, vec3(64, 64, 32), vec3(96, 96, 64), "wall");
    text_map_entity(map, "func_brush", "targetname old maxdxlevel 80");
    text_map_box(map, vec3(128, 64, 32), vec3(160, 96, 64), "wall");
    text_map_entity(map, "info_target", "targetname any mindxlevel 0 maxdxlevel 0");
    text_map_entity(map, "env_cubemap", "origin \"100 200 64\"");
    text_map_finish(map, "20 20 32");
}

static void entities_of_other_levels_go(void **state)
{
    (void)state;
    static const struct {
        int level, models, cubemaps;
        bool new, old, bumped;
        double size; /* luxels along the room's floor */
    } rows[] = {
        {0, 3, 1, true, true, true, 16},   {95, 2, 1, true, false, true, 16},
        {80, 2, 1, false, true, true, 16}, {79, 2, 1, false, true, false, 16},
        {70, 2, 1, false, true, false, 4}, {60, 2, 0, false, true, false, 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text_map map;
        put_levels(&map, rows[i].level);
        assert_int_equal(arrlen(map.bsp->models), rows[i].models);
        assert_int_equal(arrlen(map.bsp->cubemaps), rows[i].cubemaps);
        assert_int_equal(has_entity(&map, "new"), rows[i].new);
        assert_int_equal(has_entity(&map, "old"), rows[i].old);
        assert_true(has_entity(&map, "any"));
        int face = text_map_face_at(&map, vec3(20, 20, 0), up);
        const struct bsp_face *floor = &map.bsp->faces[face];
        int flags = map.bsp->texinfo[floor->texinfo].flags;
        assert_int_equal((flags & SURFACE_BUMPLIGHT) != 0, rows[i].bumped);
        assert_float_equal(floor->lightmap_size[0], rows[i].size, 0.1);
        text_map_free(&map);
    }
}

static void a_luxel_scale_stands_above_the_level(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    map.options.dx_level = 70;
    map.options.luxel_scale = 2;
    text_map_finish(&map, "20 20 32");
    int face = text_map_face_at(&map, vec3(20, 20, 0), up);
    assert_int_equal(map.bsp->faces[face].lightmap_size[0], 8);
    text_map_free(&map);
}

/* Text of a packed file, or "" when there is none. */
static void packed_text(const struct text_map *map, const struct bytes *lump, const char *name,
                        char text[64])
{
    struct diag_where where = {.file = "test.bsp"};
    struct pakfile pakfile;
    struct bytes data = {0};
    assert_int_equal(pakfile_decode(lump, &where, map->diag, &pakfile), STATUS_OK);
    const struct pakfile_file *file = pakfile_find(&pakfile, name);
    if (file)
        assert_int_equal(pakfile_extract(file, &where, map->diag, &data), STATUS_OK);
    snprintf(text, 64, "%.*s", (int)data.size, data.data ? (const char *)data.data : "");
    bytes_free(&data);
    pakfile_free(&pakfile);
}

static void expect_packed(const struct text_map *map, const char *name, const char *expected)
{
    char text[64];
    packed_text(map, &map->bsp->pakfile, name, text);
    assert_string_equal(text, expected);
}

static void add_file(struct text_map *map, const char *name, const char *text)
{
    assert_int_equal(fs_store(map->fs, map->diag, name, text, strlen(text)), STATUS_OK);
}

static void a_folder_is_embedded(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    add_file(&map, "mine/Readme.txt", "hello");
    add_file(&map, "mine/materials/models/a.vmt", "a");
    add_file(&map, "mine2/other.txt", "not this");
    map.options.embed = "mine";
    text_map_finish(&map, "20 20 32");
    expect_packed(&map, "Readme.txt", "hello");
    expect_packed(&map, "materials/models/a.vmt", "a");
    expect_packed(&map, "other.txt", "");
    expect_packed(&map, "stale.txt", "");
    text_map_free(&map);
}

static void an_absent_folder_fails(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(256, 256, 128));
    map.options.embed = "nowhere";
    text_map_entity(&map, "info_player_start", "origin \"20 20 32\"");
    bytes_append_text(&map.text, "}\n");
    assert_int_equal(assets_open(&map.env, &(struct assets_options){0}, &map.assets), STATUS_OK);
    assert_int_equal(
        vmf_parse((const char *)map.text.data, map.text.size, "test.vmf", map.diag, &map.level),
        STATUS_OK);
    assert_int_equal(vbsp_run(&map.env, &map.options, map.assets, &map.level, NULL, &map.out),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(map.diag, DIAG_EMBED_FOLDER), 1);
    assert_null(map.out.bsp);
    text_map_free(&map);
}

static void make_old_pakfile(const struct text_map *map, struct bytes *lump)
{
    struct diag_where where = {.file = "old.bsp"};
    struct pakfile old = {0};
    pakfile_put(&old, "readme.txt", "old", 3);
    pakfile_put(&old, "maps/extra.nav", "nav", 3);
    pakfile_put(&old, "materials/maps/test/mirror_100_200_64.vmt", "old", 3);
    assert_int_equal(pakfile_encode(&old, ZIP_STORED, &where, map->diag, lump), STATUS_OK);
    pakfile_free(&old);
}

static void an_old_pakfile_is_kept(void **state)
{
    (void)state;
    struct text_map map;
    struct bytes lump = {0};
    char text[64];
    text_map_start_room(&map, vec3(256, 256, 128));
    make_old_pakfile(&map, &lump);
    add_file(&map, "mine/readme.txt", "new");
    map.options.embed = "mine";
    map.options.old_pakfile = lump;
    text_map_box(&map, vec3(192, 192, 0), vec3(208, 208, 32), "mirror");
    text_map_entity(&map, "env_cubemap", "origin \"100 200 64\"");
    text_map_finish(&map, "20 20 32");
    expect_packed(&map, "maps/extra.nav", "nav");
    expect_packed(&map, "readme.txt", "new");
    expect_packed(&map, "stale.txt", "stale");
    packed_text(&map, &map.bsp->pakfile, "materials/maps/test/mirror_100_200_64.vmt", text);
    assert_memory_equal(text, "\"patch\"", 7); /* materials made for the map are of this compile */
    text_map_free(&map);
    bytes_free(&lump);
}

SUITE(test_vbsp_options)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axial_planes_snap),
        cmocka_unit_test(opposite_sides_snap_alike),
        cmocka_unit_test(detail_cracks),
        cmocka_unit_test(detail_cracks_keep_structural_points),
        cmocka_unit_test(triggers_and_water_of_consoles),
        cmocka_unit_test(entities_of_other_levels_go),
        cmocka_unit_test(a_luxel_scale_stands_above_the_level),
        cmocka_unit_test(a_folder_is_embedded),
        cmocka_unit_test(an_absent_folder_fails),
        cmocka_unit_test(an_old_pakfile_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
