#include "tests/support/suite.h"

#include "ballance/bmx/material_table.h"
#include "tests/support/bmx_files.h"

static enum status parse(struct material_table *table, const char *text)
{
    struct diag *diag = diag_new(NULL, NULL);
    *table = (struct material_table){0};
    enum status status = material_table_parse(table, text, strlen(text), "x.materials", diag);
    assert_int_equal(diag_entries(diag), status == STATUS_OK ? 0 : 1);
    diag_free(diag);
    return status;
}

static const char two_materials[] = "texture \"Grass\"\n"
                                    "  file \"grass.png\"\n"
                                    "  external 0\n"
                                    "  path \"../pictures/grass.png\"\n"
                                    "  size 256 64\n"
                                    "\n"
                                    "# comment\n"
                                    "material \"Meadow\"\n"
                                    "  ambient 0.5 0.25 0\n"
                                    "  diffuse 1 1 1\n"
                                    "  specular 0 0 0\n"
                                    "  emissive 0 0.1 0\n"
                                    "  power 7\n"
                                    "  alpha_test 1\n"
                                    "  alpha_blend 0\n"
                                    "  z_buffer 1\n"
                                    "  two_sided 1\n"
                                    "  use_texture 1\n"
                                    "  texture \"Grass\"\n"
                                    "  face \"bmx/level/meadow\"\n"
                                    "  face \"Green\\\\Field\"\n"
                                    "material \"plain/Grey\"\n"
                                    "  ambient 0 0 0\n"
                                    "  diffuse 0.5 0.5 0.5\n"
                                    "  specular 0 0 0\n"
                                    "  emissive 0 0 0\n"
                                    "  power 0\n"
                                    "  alpha_test 0\n"
                                    "  alpha_blend 0\n"
                                    "  z_buffer 1\n"
                                    "  two_sided 0\n"
                                    "  use_texture 0\n";

static void faces_stand_for_materials(void **state)
{
    (void)state;
    struct material_table table;
    assert_int_equal(parse(&table, two_materials), STATUS_OK);
    assert_int_equal(material_table_find(&table, "bmx/level/MEADOW"), 0);
    assert_int_equal(material_table_find(&table, "green/field"), 0);
    assert_int_equal(material_table_find(&table, "Meadow"), -1);
    assert_int_equal(material_table_find(&table, "PLAIN\\grey"), 1);
    assert_int_equal(table.materials[0].two_sided, 1);
    assert_true(table.materials[0].power == 7.0f && table.materials[0].ambient[1] == 0.25f);
    assert_string_equal(table.images[table.materials[0].texture].path, "../pictures/grass.png");
    assert_int_equal(table.images[0].size[1], 64);
    material_table_free(&table);
}

static void a_written_table_reads_as_the_same(void **state)
{
    (void)state;
    struct material_table table, again;
    struct bytes first = {0}, second = {0};
    assert_int_equal(parse(&table, two_materials), STATUS_OK);
    material_table_add_stock(&table);
    material_table_write(&table, &first);
    bytes_u8(&first, 0);
    assert_int_equal(parse(&again, (const char *)first.data), STATUS_OK);
    material_table_write(&again, &second);
    bytes_u8(&second, 0);
    assert_string_equal((const char *)first.data, (const char *)second.data);
    assert_int_equal(arrlenu(table.faces), arrlenu(again.faces));
    bytes_free(&first);
    bytes_free(&second);
    material_table_free(&table);
    material_table_free(&again);
}

static void the_stock_walls_are_emissive(void **state)
{
    (void)state;
    struct material_table table = {0};
    material_table_add_stock(&table);
    int side = material_table_find(&table, "ballance/floor_side");
    int top = material_table_find(&table, "ballance/Floor_Top_Flat");
    int fade = material_table_find(&table, "ballance/Column_beige_fade");
    assert_true(side >= 0 && top >= 0 && fade >= 0);
    assert_true(table.materials[side].emissive[2] == 1.0f);
    assert_true(table.materials[top].emissive[0] == 0.0f);
    assert_true(table.materials[fade].alpha_blend && !table.materials[top].alpha_blend);
    assert_int_equal(table.textures[table.materials[side].texture].is_external, 1);
    assert_int_equal(material_table_find(&table, "ballance/atari"), /* the .bmp, not the .avi */
                     material_table_find(&table, "ballance/ATARI"));
    material_table_free(&table);
}

static void mistakes_fail(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "mesh \"x\"\n", "texture \"x\"\n  file \"a.bmp\"\n", "texture x\n",
        "texture \"x\"\n  file \"a.bmp\"\n  external 1\n  size 0 4\n",
        "material \"x\"\n  ambient 0 0 0\n  diffuse 1 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct material_table table;
        assert_int_equal(parse(&table, texts[i]), STATUS_FAILED);
        material_table_free(&table);
    }
}

SUITE(test_material_table)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_stand_for_materials),
        cmocka_unit_test(a_written_table_reads_as_the_same),
        cmocka_unit_test(the_stock_walls_are_emissive),
        cmocka_unit_test(mistakes_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
