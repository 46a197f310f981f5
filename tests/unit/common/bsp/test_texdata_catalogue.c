#include "tests/support/suite.h"

#include <string.h>

#include "common/assets/textures/texdata.h"
#include "common/bsp/catalogue/texdata_catalogue.h"
#include "common/bsp/face_records.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/core/array.h"
#include "common/diag/codes/packed_files.def"

/* A map under construction, and the catalogue that it goes into. */
struct fixture {
    struct bsp *bsp;
    struct texdata_catalogue catalogue;
    struct diag *diag;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->bsp = bsp_new();
    fixture->diag = diag_new(NULL, NULL);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    texdata_catalogue_free(&fixture->catalogue);
    bsp_free(fixture->bsp);
    diag_free(fixture->diag);
    memory_free(fixture);
    return 0;
}

/* Adds a texdata of that name with one texinfo, whose number is returned. */
static int32_t add_material(struct fixture *fixture, const char *name, int32_t flags)
{
    struct bsp *bsp = fixture->bsp;
    char *copy = memory_alloc(strlen(name) + 1);
    memcpy(copy, name, strlen(name) + 1);
    struct bsp_texdata texdata = {
        {0.25F, 0.5F, 1}, (int32_t)arrlen(bsp->texture_names), 64, 32, 16, 8};
    struct bsp_texinfo texinfo = {.flags = flags, .texdata = (int32_t)arrlen(bsp->texdata)};
    arrput(bsp->texture_names, copy);
    arrput(bsp->texdata, texdata);
    arrput(bsp->texinfo, texinfo);
    return (int32_t)arrlen(bsp->texinfo) - 1;
}

static void add_brush(struct fixture *fixture, int32_t contents, int32_t a, int32_t b)
{
    struct bsp *bsp = fixture->bsp;
    const int32_t sides[2] = {a, b};
    arrput(bsp->brushes, ((struct bsp_brush){(int32_t)arrlen(bsp->brush_sides), 2, contents, 0}));
    for (int i = 0; i < 2; i++)
        arrput(bsp->brush_sides, ((struct bsp_brush_side){.texinfo = sides[i]}));
}

/* The same, with faces on its sides. */
static void add_seen_brush(struct fixture *fixture, int32_t contents, int32_t a, int32_t b)
{
    add_brush(fixture, contents, a, b);
    arrput(fixture->bsp->faces, ((struct bsp_face){.texinfo = a}));
    arrput(fixture->bsp->faces, ((struct bsp_face){.texinfo = b}));
}

static void add_map(struct fixture *fixture)
{
    texdata_catalogue_add(&fixture->catalogue, fixture->bsp, "map.bsp", fixture->diag);
    bsp_free(fixture->bsp);
    fixture->bsp = bsp_new();
}

/* Compares the catalogue without its first line. */
static void is(const struct fixture *fixture, const char *expected)
{
    struct bytes text = {0};
    texdata_catalogue_write(&fixture->catalogue, &text);
    bytes_u8(&text, 0);
    const char *rows = strchr((const char *)text.data, '\n') + 1;
    assert_int_equal(text.data[0], '#');
    assert_string_equal(rows, expected);
    bytes_free(&text);
}

#define KNOWN "\t64\t32\t16\t8\t0.25\t0.5\t1\t"

static void a_row_tells_what_faces_and_brushes_show(void **state)
{
    struct fixture *fixture = *state;
    int32_t wall = add_material(fixture, "Brick/Wall01", 0x400);
    int32_t other = add_material(fixture, "tools/toolsnodraw", 0x480);
    add_seen_brush(fixture, CONTENTS_SOLID | CONTENTS_DETAIL, wall, wall);
    add_seen_brush(fixture, CONTENTS_GRATE, wall, other);
    struct bsp_face face = {.texinfo = other};
    arrput(fixture->bsp->faces, face);
    add_map(fixture);
    is(fixture, "Brick/Wall01" KNOWN "0x400\t0x1\t0\t-\t0x400\t0x8,0x8000001\n"
                "tools/toolsnodraw" KNOWN "0x480\t0x8\t0\t-\t0x480\t0x8\n");
}

/* The texinfo of a side without a face is any of those with its flags: it tells of the flags. */
static void hidden_sides_tell_of_flags_alone(void **state)
{
    struct fixture *fixture = *state;
    int32_t truss = add_material(fixture, "truss", 0), hull = add_material(fixture, "hull", 0),
            clip = add_material(fixture, "clip", 0x480);
    add_brush(fixture, CONTENTS_GRATE, truss, hull);
    add_brush(fixture, CONTENTS_PLAYERCLIP, clip, clip);
    arrput(fixture->bsp->faces, ((struct bsp_face){.texinfo = truss}));
    arrput(fixture->bsp->faces, ((struct bsp_face){.texinfo = hull, .plane = 2}));
    add_map(fixture);
    is(fixture, "truss" KNOWN "0x0\t0x8\t0\t-\t0x0\t0x8\n"
                "hull" KNOWN "0x0\t-\t0\t-\t0x0\t-\n"
                "clip" KNOWN "0x480\t-\t0\t-\t0x480\t-\n");
}

/* Of a brush that is seen through, what solid brushes show is not the cause. */
static void solid_brushes_clear_their_materials(void **state)
{
    struct fixture *fixture = *state;
    int32_t wall = add_material(fixture, "wall", 0), pane = add_material(fixture, "pane", 0),
            a = add_material(fixture, "a", 0), b = add_material(fixture, "b", 0);
    add_seen_brush(fixture, CONTENTS_WINDOW | CONTENTS_TRANSLUCENT, wall, pane);
    add_seen_brush(fixture, CONTENTS_SOLID, wall, a);
    add_seen_brush(fixture, CONTENTS_GRATE, b, pane);
    add_map(fixture);
    const struct texdata_entry *rows = fixture->catalogue.rows;
    assert_int_equal(rows[0].contents, CONTENTS_SOLID);
    assert_int_equal(rows[1].contents, CONTENTS_WINDOW);
    assert_int_equal(rows[2].contents, CONTENTS_SOLID);
    assert_int_equal(rows[3].contents, -1);
}

static void the_reader_takes_it(void **state)
{
    struct fixture *fixture = *state;
    struct texdata set = {0};
    struct bytes text = {0};
    int32_t wall = add_material(fixture, "Brick/Wall01", 0x400);
    add_seen_brush(fixture, CONTENTS_WINDOW, wall, wall);
    add_map(fixture);
    texdata_catalogue_write(&fixture->catalogue, &text);
    texdata_parse(&set, (const char *)text.data, text.size, "catalogue", fixture->diag);
    const struct texdata_row *row = texdata_find(&set, "brick/wall01");
    assert_non_null(row);
    assert_int_equal(row->flags, 0x400);
    assert_int_equal(row->contents, CONTENTS_WINDOW);
    assert_int_equal(row->size[1], 32);
    assert_true(row->reflectivity[1] == 0.5);
    assert_int_equal(diag_entries(fixture->diag), 0);
    bytes_free(&text);
    texdata_free(&set);
}

static void copies_count_as_their_source(void **state)
{
    struct fixture *fixture = *state;
    (void)add_material(fixture, "maps/m/Metal/plate_-1_20_-300", 1);
    (void)add_material(fixture, "metal/PLATE", 2);
    (void)add_material(fixture, "maps/m/nature/grass_wvt_patch", 1);
    (void)add_material(fixture, "MAPS/m/nature/water_depth_40", 1);
    (void)add_material(fixture, "maps/m/two_1_2", 1);
    (void)add_material(fixture, "maps/m/sea_depth_8_1_2_3", 1);
    (void)add_material(fixture, "maps/alone", 1);
    add_map(fixture);
    is(fixture, "Metal/plate" KNOWN "-\t-\t1\t-\t-\t-\n"
                "nature/grass" KNOWN "-\t-\t0\t-\t-\t-\n"
                "nature/water" KNOWN "-\t-\t0\t-\t-\t-\n"
                "two_1_2" KNOWN "-\t-\t0\t-\t-\t-\n"
                "sea" KNOWN "-\t-\t1\t-\t-\t-\n"
                "maps/alone" KNOWN "-\t-\t0\t-\t-\t-\n");
}

/* The copy of a blend for flat sides is a material of its own, in the pakfile. */
static void copies_tell_their_texture(void **state)
{
    struct fixture *fixture = *state;
    struct pakfile pakfile = {0};
    static const char text[] = "\"LightmappedGeneric\"\r\n{\r\n\t\"$basetexture\"\t\t\"dirt\"\r\n}";
    pakfile_put(&pakfile, "materials/maps/m/Grass_wvt_patch.vmt", text, sizeof text - 1);
    pakfile_put(&pakfile, "materials/maps/m/bare_wvt_patch.vmt", "\"x\" {}", 6);
    pakfile_put(&pakfile, "materials/maps/m/plain.vmt", text, sizeof text - 1);
    assert_int_equal(
        pakfile_encode(&pakfile, ZIP_STORED, NULL, fixture->diag, &fixture->bsp->pakfile),
        STATUS_OK);
    (void)add_material(fixture, "grass", 1);
    (void)add_material(fixture, "maps/m/grass_wvt_patch_1_2_-3", 1);
    (void)add_material(fixture, "maps/m/bare_wvt_patch", 1);
    (void)add_material(fixture, "maps/m/plain", 1);
    add_map(fixture);
    is(fixture, "grass" KNOWN "-\t-\t1\t-\t-\t-\tdirt\t-\n"
                "bare" KNOWN "-\t-\t0\t-\t-\t-\t-\t-\n"
                "plain" KNOWN "-\t-\t0\t-\t-\t-\t-\t-\n");
    struct bytes rows = {0};
    struct texdata set = {0};
    texdata_catalogue_write(&fixture->catalogue, &rows);
    texdata_parse(&set, (const char *)rows.data, rows.size, "catalogue", fixture->diag);
    assert_string_equal(texdata_find(&set, "grass")->flat, "dirt");
    assert_null(texdata_find(&set, "bare")->flat);
    assert_int_equal(diag_entries(fixture->diag), 0);
    texdata_free(&set);
    bytes_free(&rows);
    pakfile_free(&pakfile);
}

static void undersides_are_found(void **state)
{
    struct fixture *fixture = *state;
    (void)add_material(fixture, "a/water", 1);
    (void)add_material(fixture, "a/water_beneath", 1);
    (void)add_material(fixture, "b/sea02", 1);
    (void)add_material(fixture, "b/sea_beneath02", 1);
    int32_t lake = add_material(fixture, "c/lake_2f", 1);
    (void)add_material(fixture, "c/lake_2b_beneath", 1);
    add_seen_brush(fixture, CONTENTS_WATER, lake, lake);
    add_map(fixture);
    const struct texdata_entry *rows = fixture->catalogue.rows;
    assert_string_equal(rows[0].bottom, "a/water_beneath");
    assert_string_equal(rows[2].bottom, "b/sea_beneath02");
    assert_string_equal(rows[4].bottom, "c/lake_2b_beneath");
    assert_null(rows[1].bottom);
}

static void the_first_map_is_believed(void **state)
{
    struct fixture *fixture = *state;
    int32_t wall = add_material(fixture, "wall", 1);
    (void)add_material(fixture, "unused", 1);
    add_seen_brush(fixture, CONTENTS_SOLID, wall, wall);
    add_map(fixture);
    int32_t unused = add_material(fixture, "UNUSED", 4);
    wall = add_material(fixture, "wall", 2);
    int32_t third = add_material(fixture, "third", 8);
    add_seen_brush(fixture, CONTENTS_GRATE, unused, unused);
    add_seen_brush(fixture, CONTENTS_SOLID, wall, wall);
    add_seen_brush(fixture, CONTENTS_SLIME, third, third);
    add_map(fixture);
    is(fixture, "wall" KNOWN "0x1\t0x1\t0\t-\t0x1\t0x1\n"
                "unused" KNOWN "0x4\t0x8\t0\t-\t0x4\t0x8\n"
                "third" KNOWN "0x8\t0x10\t0\t-\t0x8\t0x10\n");
    assert_int_equal(diag_entries(fixture->diag), 1);
    assert_int_equal(diag_count_code(fixture->diag, DIAG_CATALOGUE_CONFLICT), 1);
}

static void shaders_tell_themselves(void **state)
{
    struct fixture *fixture = *state;
    struct bsp_shader wall = {"textures/base/wall", 0x10, 1}, full = {"", 0, 0x20};
    memset(full.name, 'a', sizeof full.name);
    arrput(fixture->bsp->shaders, wall);
    arrput(fixture->bsp->shaders, full);
    add_map(fixture);
    is(fixture, "textures/base/wall\t-\t-\t-\t-\t-\t-\t-\t0x10\t0x1\t0\t-\t0x10\t0x1\n"
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "\t-\t-\t-\t-\t-\t-\t-\t0x0\t0x20\t0\t-\t0x0\t0x20\n");
}

static void indices_that_point_nowhere_are_passed_over(void **state)
{
    struct fixture *fixture = *state;
    struct bsp *bsp = fixture->bsp;
    (void)add_material(fixture, "wall", 1);
    arrput(bsp->texdata, ((struct bsp_texdata){.name = 7}));
    arrput(bsp->texdata, ((struct bsp_texdata){.name = -7}));
    arrput(bsp->texinfo, ((struct bsp_texinfo){.texdata = 9}));
    arrput(bsp->texinfo, ((struct bsp_texinfo){.texdata = 1}));
    for (int32_t i = -2; i < 6; i++) {
        arrput(bsp->faces, ((struct bsp_face){.texinfo = i}));
        add_seen_brush(fixture, 1, i, i);
    }
    arrput(bsp->brushes, ((struct bsp_brush){-1, 3, 1, 0}));
    arrput(bsp->brushes, ((struct bsp_brush){INT32_MAX, INT32_MAX, 1, 0}));
    arrput(bsp->brushes, ((struct bsp_brush){0, -1, 1, 0}));
    add_map(fixture);
    is(fixture, "wall" KNOWN "0x1\t0x1\t0\t-\t0x1\t0x1\n");
}

static void names_that_fit_no_line_are_passed_over(void **state)
{
    struct fixture *fixture = *state;
    (void)add_material(fixture, "", 1);
    (void)add_material(fixture, "a\tb", 1);
    (void)add_material(fixture, "a\nb", 1);
    (void)add_material(fixture, "#a", 1);
    (void)add_material(fixture, "maps/m/_1_2_3", 1);
    (void)add_material(fixture, "maps/m/", 1);
    add_map(fixture);
    is(fixture, "");
}

SUITE(test_texdata_catalogue)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_row_tells_what_faces_and_brushes_show, setup, teardown),
        cmocka_unit_test_setup_teardown(hidden_sides_tell_of_flags_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(solid_brushes_clear_their_materials, setup, teardown),
        cmocka_unit_test_setup_teardown(the_reader_takes_it, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_count_as_their_source, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_tell_their_texture, setup, teardown),
        cmocka_unit_test_setup_teardown(undersides_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_map_is_believed, setup, teardown),
        cmocka_unit_test_setup_teardown(shaders_tell_themselves, setup, teardown),
        cmocka_unit_test_setup_teardown(indices_that_point_nowhere_are_passed_over, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(names_that_fit_no_line_are_passed_over, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
