/* A catalogue extracted from a map that was compiled here, from its records alone. */
#include "tests/support/suite.h"

#include "common/assets/textures/texdata.h"
#include "common/bsp/catalogue/texdata_catalogue.h"
#include "common/diag/codes/materials.def"
#include "tests/support/vbsp/text_map.h"

static void add_file(struct text_map *map, const char *name, const char *text)
{
    assert_int_equal(fs_store(map->fs, map->diag, name, text, strlen(text)), STATUS_OK);
}

/* A room with a block whose top is of another material than its sides. */
static void compile_room(struct text_map *map)
{
    static const char *const materials[BOX_SIDES] = {
        "crate", "tools/toolsnodraw", "grass", "wall", "wall", "wall"};
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_box_of(map, vec3(64, 64, 0), vec3(96, 96, 32), materials);
    text_map_entity(map, "info_player_start", "origin \"20 20 64\"");
    add_file(map, "mod/materials/crate.vmt",
             "LightmappedGeneric { $basetexture crate $surfaceprop wood_crate }");
    add_file(map, "mod/materials/grass.vmt",
             "WorldVertexTransition { $basetexture a $basetexture2 b $surfaceprop grass }");
    text_map_compile_game(map, STATUS_OK, "mod");
}

static void expect(const struct texdata *set, const char *name, const char *flat, const char *prop)
{
    const struct texdata_row *row = texdata_find(set, name);
    assert_non_null(row);
    assert_int_equal(row->flat != NULL, flat != NULL);
    if (flat)
        assert_string_equal(row->flat, flat);
    assert_string_equal(row->surface_prop, prop);
}

static void test_blends_and_surface_properties(void **state)
{
    (void)state;
    struct text_map map;
    struct texdata_catalogue catalogue = {0};
    struct texdata set = {0};
    struct bytes text = {0};
    compile_room(&map);
    texdata_catalogue_add(&catalogue, map.bsp, "test.bsp", map.diag);
    texdata_catalogue_write(&catalogue, &text);
    texdata_parse(&set, (const char *)text.data, text.size, "catalogue", map.diag);
    expect(&set, "crate", NULL, "wood_crate");
    expect(&set, "grass", "a", "grass");
    expect(&set, "wall", NULL, "default");
    assert_int_equal(diag_count_code(map.diag, DIAG_TEXDATA_ROW), 0);
    bytes_free(&text);
    texdata_free(&set);
    texdata_catalogue_free(&catalogue);
    text_map_free(&map);
}

/* Without collision the properties are unknown; the same with corrupt collision. */
static void test_without_collision(void **state)
{
    (void)state;
    for (int damaged = 0; damaged < 2; damaged++) {
        struct text_map map;
        struct texdata_catalogue catalogue = {0};
        compile_room(&map);
        if (damaged)
            map.bsp->physics.size /= 2;
        else
            bytes_free(&map.bsp->physics);
        texdata_catalogue_add(&catalogue, map.bsp, "test.bsp", map.diag);
        for (size_t i = 0; i < arrlenu(catalogue.rows); i++)
            assert_null(catalogue.rows[i].surface);
        texdata_catalogue_free(&catalogue);
        text_map_free(&map);
    }
}

SUITE(test_catalogue_of_map)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blends_and_surface_properties),
        cmocka_unit_test(test_without_collision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
