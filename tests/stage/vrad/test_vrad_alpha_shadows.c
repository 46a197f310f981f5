/* Alpha shadows: a sheet hangs in a room whose ceiling is sky. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/diag/codes/texture_shadows.def"
#include "tests/support/near.h"
#include "tests/support/room_bsp.h"
#include "tests/support/vrad/prop_room.h"
#include "tests/support/vrad/vrad_run.h"
#include "vrad/scene/prop_scene_options.h"
#include "vrad/vrad.h"

/* Props cast shadows of their render meshes. */
static const struct prop_scene_options with_triangles = {.triangles = true};

enum { SHEET_HEIGHT = 64 };

static const int sky_ceiling[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};

static const char sun[] = "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                          "\"angles\" \"-90 0 0\"\n\"pitch\" \"-90\"\n"
                          "\"_light\" \"255 255 255 200\"\n\"_ambient\" \"0 0 0 0\"\n}\n";
static const char sky[] = "{\n\"classname\" \"light_environment\"\n\"origin\" \"9 9 9\"\n"
                          "\"_light\" \"0 0 0 0\"\n\"_ambient\" \"255 255 255 100\"\n}\n";

/* The sheet reaches from low to high along x and from near to end along y; its texture repeats
 * every `repeat` units. It faces up. */
static void add_part(struct bsp *bsp, double low, double high, double near, double end,
                     double repeat)
{
    const double x[4] = {low, low, high, high}, y[4] = {near, end, end, near};
    struct bsp_texdata texdata = {.name = 1, .width = 512, .height = 512};
    texdata.reflectivity[0] = 1;
    texdata.reflectivity[1] = 0.5f;
    arrput(bsp->texdata, texdata);
    char *name = memory_zalloc(16, 1);
    strcpy(name, "test/fence");
    arrput(bsp->texture_names, name);
    struct bsp_face face = bsp->faces[ROOM_FLOOR];
    face.first_edge = (int32_t)arrlen(bsp->surfedges);
    face.plane = room_plane(bsp, 2, 1, SHEET_HEIGHT);
    face.texinfo = room_texinfo(bsp, 2, 0);
    face.lightmap_mins[0] = (int)(low / (double)ROOM_LUXEL);
    face.lightmap_size[0] = (int)((high - low) / (double)ROOM_LUXEL);
    struct bsp_texinfo *texinfo = &bsp->texinfo[face.texinfo];
    texinfo->texdata = 1;
    texinfo->texture[0][0] = (float)(512 / repeat);
    for (int i = 0; i < 4; i++)
        room_edge(bsp, vec3(x[i], y[i], SHEET_HEIGHT));
    arrput(bsp->leaf_faces, (int)arrlen(bsp->faces));
    arrput(bsp->faces, face);
    bsp->leaves[1].face_count++;
    bsp->models[0].face_count++;
}

/* Over all of y. */
static void add_sheet(struct bsp *bsp, double low, double high, double repeat)
{
    add_part(bsp, low, high, 0, 256, repeat);
}

struct sheet {
    double low, high, repeat;
    unsigned char left, right;
    const char *keys;
    bool no_file;
    const char *rad; /* or NULL */
};

/* Small sheets, each with its shadow on one luxel of a row. */
struct small {
    int spacing, phase; /* in luxels: between the sheets, and of the first */
    double grows;       /* the size of a shadow relative to its sheet's */
};

enum { MIDDLE = 128, ROW = 7 };

static bool has_shadow(const struct small *small, int s, int t)
{
    return t == ROW && s >= 2 && s < 15 && s % small->spacing == small->phase % small->spacing;
}

static void add_small(struct bsp *bsp, const struct small *small)
{
    const double half = 7 / small->grows, y = MIDDLE + (ROOM_LUXEL * ROW - MIDDLE) / small->grows;
    for (int s = 0; s < 16; s++) {
        const double x = MIDDLE + (ROOM_LUXEL * s - MIDDLE) / small->grows;
        if (has_shadow(small, s, ROW))
            add_part(bsp, x - half, x + half, y - half, y + half, 64);
    }
}

/* `small`: in place of the sheet; or NULL. */
static struct bsp *lit_by(const struct sheet *sheet, const struct small *small, const char *lights,
                          struct vrad_options options, size_t *told)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .threads = 1, .fs = fs_memory_new()};
    static const char *const paths[] = {"game"};
    const struct assets_options with = {.search_paths = paths, .search_path_count = 1};
    struct bsp *bsp = room_new(vec3(256, 256, 128), 0, sky_ceiling);
    char vmt[200];
    snprintf(vmt, sizeof vmt, "LightmappedGeneric\n{\n$basetexture test/sheet\n%s\n}\n",
             sheet->keys);
    assert_int_equal(env.fs->ops->write(env.fs, "game/materials/test/fence.vmt", vmt, strlen(vmt)),
                     0);
    if (!sheet->no_file)
        put_alpha_texture(env.fs, "game/materials/test/sheet.vtf", sheet->left, sheet->right);
    if (sheet->rad) {
        assert_int_equal(env.fs->ops->write(env.fs, "a.rad", sheet->rad, strlen(sheet->rad)), 0);
        options.lights_file = "a.rad";
    }
    if (small)
        add_small(bsp, small);
    else
        add_sheet(bsp, sheet->low, sheet->high, sheet->repeat);
    options.texture_shadows = true;
    vrad_run_on(&env, &options, &with, lights, bsp);
    *told = diag_count_code(diag, DIAG_TEXTURE_SHADOW);
    fs_memory_free(env.fs);
    diag_free(diag);
    return bsp;
}

static struct bsp *lit(const struct sheet *sheet, const char *lights, struct vrad_options options,
                       size_t *told)
{
    return lit_by(sheet, NULL, lights, options, told);
}

/* From x = 64 to 128 the sheet has a hole, from 128 to 192 it blocks the sun. */
static void grates_cast_the_shadow_of_their_texture(void **state)
{
    const struct sheet sheet = {64, 192, 128, 200, 100, "$alphatest 1", false, NULL};
    size_t told;
    (void)state;
    struct bsp *bsp = lit(&sheet, sun, vrad_direct_only(), &told);
    for (int s = 0; s <= 16; s++) {
        double part = s == 8 || s == 12 ? 0.5 : s > 8 && s < 12 ? 0 : 1;
        assert_near(room_grey(bsp, ROOM_FLOOR, s, 7), 200 * part, 200 * 1.1 / 32);
    }
    assert_int_equal(told, 0);
    bsp_free(bsp);
}

/* 200 of 255 is over 0.9 no more. */
static void the_reference_decides_what_is_a_hole(void **state)
{
    const struct sheet sheet = {64,    192, 128, 200, 255, "$alphatest 1\n$alphatestreference 0.9",
                                false, NULL};
    size_t told;
    (void)state;
    struct bsp *bsp = lit(&sheet, sun, vrad_direct_only(), &told);
    assert_near(room_grey(bsp, ROOM_FLOOR, 10, 7), 200, 0.5);
    assert_near(room_grey(bsp, ROOM_FLOOR, 6, 7), 0, 0);
    bsp_free(bsp);
}

/* Alpha 102 is 0.4: red passes fully, green loses 0.2 and blue 0.4. */
static void panes_tint(void **state)
{
    const struct sheet sheet = {64, 192, 128, 102, 102, "$translucent 1", false, NULL};
    static const char *const lights[] = {sun,
                                         "{\n\"classname\" \"light\"\n\"origin\" \"128 128 110\"\n"
                                         "\"_light\" \"255 255 255 200\"\n}\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        size_t told;
        double rgb[3];
        struct bsp *bsp = lit(&sheet, lights[i], vrad_direct_only(), &told);
        room_luxel(bsp, ROOM_FLOOR, 0, 0, 8, 8, rgb);
        assert_true(rgb[0] > 100);
        assert_near(rgb[1] / rgb[0], 0.8, 0.01);
        assert_near(rgb[2] / rgb[0], 0.6, 0.01);
        if (i == 0)
            assert_near(rgb[0], 200, 0.5);
        bsp_free(bsp);
    }
}

/* A sheet from wall to wall, half of it holes: half of the sky light is left, by sky rays and by
 * those of the bounces. */
static void the_sky_shines_through_holes(void **state)
{
    (void)state;
    for (int bounces = 0; bounces < 2; bounces++) {
        struct sheet sheet = {0, 256, 8, 255, 0, "$alphatest 1", false, NULL};
        struct vrad_options options = vrad_defaults;
        double sum[2] = {0, 0};
        size_t told;
        options.bounce = bounces;
        for (int open = 0; open < 2; open++) {
            sheet.left = open ? 0 : 255;
            struct bsp *bsp = lit(&sheet, sky, options, &told);
            for (int i = 0; i < 15 * 15; i++)
                sum[open] += room_grey(bsp, ROOM_FLOOR, 1 + i % 15, 1 + i / 15);
            bsp_free(bsp);
        }
        assert_near(sum[0] / sum[1], 0.5, 0.02);
    }
}

static void what_casts_none(void **state)
{
    static const struct sheet sheets[] = {
        {64, 192, 128, 255, 255, "", false, NULL}, /* opaque */
        {64, 192, 128, 255, 255, "$translucent 1\n$additive 1", false, NULL} /* it only adds */,
        {64, 192, 128, 255, 255, "$alphatest 1", false, "noshadow Test\\Fence"},
        {64, 192, 128, 255, 255, "$alphatest 1", true, NULL}, /* not there */
    };
    (void)state;
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        size_t told;
        struct bsp *bsp = lit(&sheets[i], sun, vrad_direct_only(), &told);
        assert_near(room_grey(bsp, ROOM_FLOOR, 10, 7), 200, 0.5);
        assert_int_equal(told, sheets[i].no_file);
        bsp_free(bsp);
    }
}

/* Alpha shadows of static props: a box over a floor, whose texture has a hole on one side. */

/* Luxels of the floor under the two halves of the box's shadow, and outside of it. */
enum { LOW_X = 14, HIGH_X = 18, BESIDE = 25, MIDDLE_Y = 16 };

enum { UV_OFFSET = 64 + 40, VERTEX_SIZE = 48 };

/* Texture coordinate u runs from 0.25 to 0.75 along x. */
static void put_textured_box(struct fixture *f, int flags)
{
    const double sides[3] = {40, 40, 8};
    struct model_files files = model_files_box(48, flags, sides);
    for (int i = 0; i < BOX_VERTICES; i++) {
        const float u = i & 1 ? 0.75f : 0.25f;
        uint32_t bits;
        memcpy(&bits, &u, sizeof bits);
        model_files_put(&files.vvd, UV_OFFSET + (size_t)i * VERTEX_SIZE, bits);
    }
    put_file(f, "leaves", ".mdl", &files.mdl);
    put_file(f, "leaves", ".vvd", &files.vvd);
    put_file(f, "leaves", ".dx90.vtx", &files.vtx);
    model_files_free(&files);
}

/* Two texels: one opaque, one transparent. */
static void put_texture(struct fixture *f, const char *keys)
{
    char vmt[200];
    struct fs *fs = f->env.fs;
    put_alpha_texture(fs, "game/materials/props/leaf.vtf", 255, 0);
    snprintf(vmt, sizeof vmt, "VertexLitGeneric\n{\n$basetexture props/leaf\n%s\n}\n", keys);
    assert_int_equal(fs->ops->write(fs, "game/materials/props/box.vmt", vmt, strlen(vmt)), 0);
}

struct look {
    int flags;
    const char *keys, *rad;
    bool off; /* without -textureshadows */
};

static void light_box(struct fixture *f, const struct look *look)
{
    begin(f);
    f->options.prop_scene = &with_triangles;
    f->options.texture_shadows = !look->off;
    put_textured_box(f, MDL_STATIC_PROP | look->flags);
    put_texture(f, look->keys);
    if (look->rad) {
        struct fs *fs = f->env.fs;
        assert_int_equal(fs->ops->write(fs, "a.rad", look->rad, strlen(look->rad)), 0);
        f->options.lights_file = "a.rad";
    }
    put_prop(f, "leaves", vec3(256, 256, 100));
}

static void expect_floor(const struct fixture *f, bool low_lit, bool high_lit)
{
    double at = direct_light_at(32, 0, 0);
    assert_near(room_grey(f->bsp, ROOM_FLOOR, LOW_X, MIDDLE_Y), low_lit ? at : 0, 0.5);
    assert_near(room_grey(f->bsp, ROOM_FLOOR, HIGH_X, MIDDLE_Y), high_lit ? at : 0, 0.5);
    assert_near(room_grey(f->bsp, ROOM_FLOOR, BESIDE, MIDDLE_Y), direct_light_at(144, 0, 0), 0.5);
}

static void holes_of_a_model_let_light_through(void **state)
{
    static const struct look looks[] = {
        {MDL_TEXTURE_SHADOWS, "$alphatest 1", NULL, false},
        {0, "$alphatest 1", "forcetextureshadow models/Leaves.mdl", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct fixture f;
        light_box(&f, &looks[i]);
        light(&f, light_entity);
        expect_floor(&f, false, true);
        assert_int_equal(diag_entries(f.diag), 0);
        end(&f);
    }
}

static void what_is_not_asked_for_is_solid(void **state)
{
    static const struct look looks[] = {
        {0, "$alphatest 1", NULL, false},                      /* the model is not listed */
        {MDL_TEXTURE_SHADOWS, "$alphatest 1", NULL, true},     /* not in this run */
        {MDL_TEXTURE_SHADOWS, "$basetexture2 x", NULL, false}, /* its alpha is not used */
    };
    (void)state;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct fixture f;
        light_box(&f, &looks[i]);
        light(&f, light_entity);
        expect_floor(&f, false, false);
        end(&f);
    }
}

/* Green of a vertex of prop `number`. */
static int vertex_green(const struct fixture *f, int number, int vertex)
{
    struct pakfile pakfile;
    struct bytes data = {0};
    char name[40];
    snprintf(name, sizeof name, "sp_%d.vhv", number);
    assert_int_equal(pakfile_decode(&f->bsp->pakfile, NULL, f->diag, &pakfile), STATUS_OK);
    const struct pakfile_file *file = pakfile_find(&pakfile, name);
    assert_non_null(file);
    assert_int_equal(pakfile_extract(file, NULL, f->diag, &data), STATUS_OK);
    int green = data.data[512 + 4 * vertex + 1];
    bytes_free(&data);
    pakfile_free(&pakfile);
    return green;
}

/* Two props that cast no shadows stand under the halves of the box; the box itself shadows those of
 * its own vertices that lie behind the opaque half of its texture. */
static void vertices_of_props_lie_in_the_shadow(void **state)
{
    static const struct look look = {MDL_TEXTURE_SHADOWS, "$alphatest 1", NULL, false};
    (void)state;
    for (int own = 0; own < 2; own++) {
        struct fixture f;
        light_box(&f, &look);
        put_model(&f, "low", MDL_STATIC_PROP, 2, 0);
        put_prop(&f, "low", vec3(224, 256, 20))->flags = STATIC_PROP_NO_SHADOW;
        put_prop(&f, "low", vec3(288, 256, 20))->flags = STATIC_PROP_NO_SHADOW;
        if (own)
            f.props.props[0].flags = STATIC_PROP_NO_SELF_SHADOWING;
        light(&f, light_entity);
        for (int i = 0; i < BOX_VERTICES; i++) {
            assert_int_equal(vertex_green(&f, 1, i), 0);
            assert_true(vertex_green(&f, 2, i) > 60);
        }
        /* A lower corner, on the opaque side of the box. */
        assert_true((vertex_green(&f, 0, 0) > 0) == own);
        assert_true(vertex_green(&f, 0, 1) > 0);
        end(&f);
    }
}

static void assert_small_shadows(const struct small *small, const char *light, int quality)
{
    const struct sheet sheet = {0, 0, 0, 255, 255, "$alphatest 1", false, NULL};
    const struct small none = {99, 98, small->grows};
    struct vrad_options options = vrad_direct_only();
    size_t told;
    options.fast = quality == 0;
    options.final = quality == 2;
    struct bsp *bsp = lit_by(&sheet, small, light, options, &told);
    struct bsp *clear = lit_by(&sheet, &none, light, options, &told);
    for (int s = 1; s < 16; s++)
        for (int t = ROW - 2; t <= ROW + 2; t++) {
            double left = room_grey(bsp, ROOM_FLOOR, s, t) / room_grey(clear, ROOM_FLOOR, s, t);
            assert_near(left, has_shadow(small, s, t) ? 1 - 14.0 * 14 / (16 * 16) : 1, 0.12);
        }
    bsp_free(bsp);
    bsp_free(clear);
}

/* Whatever their distance, from a luxel on, and where the first of them hangs. */
static void small_sheets_are_found(void **state)
{
    static const char point_light[] = "{\n\"classname\" \"light\"\n\"origin\" \"128 128 96\"\n"
                                      "\"_light\" \"255 255 255 200\"\n}\n";
    (void)state;
    for (int spacing = 2; spacing <= 6; spacing++)
        for (int phase = 0; phase < 3; phase++)
            for (int quality = 0; quality < 3; quality++) {
                const struct small hung = {spacing, phase, 1}, near_light = {spacing, phase, 3};
                assert_small_shadows(&hung, sun, quality);
                assert_small_shadows(&near_light, point_light, quality);
            }
}

SUITE(test_vrad_alpha_shadows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grates_cast_the_shadow_of_their_texture),
        cmocka_unit_test(the_reference_decides_what_is_a_hole),
        cmocka_unit_test(panes_tint),
        cmocka_unit_test(the_sky_shines_through_holes),
        cmocka_unit_test(what_casts_none),
        cmocka_unit_test(holes_of_a_model_let_light_through),
        cmocka_unit_test(what_is_not_asked_for_is_solid),
        cmocka_unit_test(vertices_of_props_lie_in_the_shadow),
        cmocka_unit_test(small_sheets_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
