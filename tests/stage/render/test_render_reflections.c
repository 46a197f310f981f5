/* Reflections of the map's cubemaps in pictures: a black wall in the east, seen from
 * the west of it, shows the western face of the cubemap. */
#include "tests/support/suite.h"

#include "common/assets/textures/vtf_write.h"
#include "common/bsp/lumps/pakfile.h"
#include "tests/support/render/render_room.h"
#include "tests/support/texture_files.h"

#define FROM_WEST "100 128 128 0 0"
#define SIDE_WEST "maps/any/c128_128_128"

static const float west[3] = {0.5f, 0.25f, 0.125f};

/* Adds a cubemap's file to the packed ones: black but for its western face. */
static void pack_cube(struct pakfile *pakfile, const char *name, const float colour[3])
{
    float faces[6][4] = {{0}};
    const float *pictures[6];
    const struct vtf_source source = {1, 1, 1, 6, NULL, pictures};
    const struct vtf_write_options options = {
        .format = VTF_RGBA16F, .minor = 5, .mips = true, .bump_scale = 1};
    struct bytes file = {0};
    char path[96];
    memcpy(faces[1], colour, 3 * sizeof(float));
    for (int i = 0; i < 6; i++)
        pictures[i] = faces[i];
    assert_int_equal(vtf_write(&source, &options, 1, &file), VTF_WRITTEN);
    snprintf(path, sizeof path, "materials/%s", name);
    pakfile_put(pakfile, path, file.data, file.size);
    bytes_free(&file);
}

static void add_cubemap(struct bsp *bsp, int x)
{
    const struct bsp_cubemap cubemap = {.origin = {x, 128, 128}};
    arrput(bsp->cubemaps, cubemap);
}

static void pack(struct shot *shot, struct pakfile *pakfile)
{
    assert_int_equal(pakfile_encode(pakfile, ZIP_STORED, NULL, shot->diag, &shot->bsp->pakfile),
                     STATUS_OK);
    pakfile_free(pakfile);
}

/* A room whose eastern wall has this VMT. */
static struct shot shiny_room(const char *vmt)
{
    struct shot shot = shot_of(plain_room(NULL));
    paint(shot.bsp, ROOM_HIGH_X, "shiny", 1e-6f, 0, 0); /* 0 would be unknown */
    light_evenly(shot.bsp, 255);
    assert_int_equal(fs_store(shot.env.fs, shot.diag, "mod/materials/shiny.vmt", vmt, strlen(vmt)),
                     STATUS_OK);
    return shot;
}

static struct shot room_with_cubemap(const char *vmt)
{
    struct shot shot = shiny_room(vmt);
    struct pakfile pakfile = {0};
    add_cubemap(shot.bsp, 128);
    pack_cube(&pakfile, SIDE_WEST ".vtf", west);
    pack(&shot, &pakfile);
    return shot;
}

static void expect(struct shot *shot, double r, double g, double b)
{
    prepare(shot);
    draw(shot, FROM_WEST);
    assert_pixel(shot, MIDDLE, MIDDLE, r, g, b);
    shot_free(shot);
}

static void keys_of_materials(void **state)
{
    static const struct {
        const char *keys;
        double light[3];
    } rows[] = {
        {"LightmappedGeneric { $envmap env_cubemap }", {0.5, 0.25, 0.125}},
        {"LightmappedGeneric { $envmap " SIDE_WEST " }", {0.5, 0.25, 0.125}},
        {"LightmappedGeneric { $envmap other/cube }", {0, 0, 0}},
        {"LightmappedGeneric { $envmap env_cubemap $envmaptint \"[.5 1 2]\" }", {0.25, 0.25, 0.25}},
        {"LightmappedGeneric { $envmap env_cubemap $envmaptint .5 }", {0.25, 0.125, 0.0625}},
        {"LightmappedGeneric { $envmap env_cubemap $envmapcontrast 1 }", {0.25, 0.0625, 0.0156}},
        {"LightmappedGeneric { $envmap env_cubemap $envmapsaturation 0 }",
         {0.3105, 0.3105, 0.3105}},
        {"LightmappedGeneric { $envmap env_cubemap $fresnelreflection .5 }", {0.25, 0.125, 0.0625}},
        {"VertexLitGeneric { $envmap env_cubemap $envmapfresnel 1 }", {0, 0, 0}},
        {"VertexLitGeneric { $envmap env_cubemap }", {0.5, 0.25, 0.125}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct shot shot = room_with_cubemap(rows[i].keys);
        expect(&shot, rows[i].light[0], rows[i].light[1], rows[i].light[2]);
    }
}

static void masks(void **state)
{
    static const struct {
        const char *keys;
        double light[3];
    } rows[] = {
        {"$envmapmask mask", {0.5, 0, 0}},
        {"$bumpmap mask $normalmapalphaenvmapmask 1", {0.1, 0.05, 0.025}},
        {"$basetexture black $basealphaenvmapmask 1", {0.4, 0.2, 0.1}},
        {"$envmapmask missing", {0.5, 0.25, 0.125}},
    };
    const uint8_t red[4] = {255, 0, 0, 51}, black[4] = {0, 0, 0, 51};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char vmt[128];
        snprintf(vmt, sizeof vmt, "LightmappedGeneric { $envmap env_cubemap %s }", rows[i].keys);
        struct shot shot = room_with_cubemap(vmt);
        put_vtf(shot.env.fs, "mod/materials/mask.vtf", 1, 1, TEXTURE_RGBA, red);
        put_vtf(shot.env.fs, "mod/materials/black.vtf", 1, 1, TEXTURE_RGBA, black);
        expect(&shot, rows[i].light[0], rows[i].light[1], rows[i].light[2]);
    }
}

static void nothing_is_reflected(void **state)
{
    static const char vmt[] = "LightmappedGeneric { $envmap env_cubemap }";
    (void)state;
    struct shot shot = room_with_cubemap(vmt);
    shot.options.scene.dull = true;
    expect(&shot, 0, 0, 0);
    shot = room_with_cubemap(vmt);
    arrsetlen(shot.bsp->cubemaps, 0);
    expect(&shot, 0, 0, 0);
    shot = shiny_room(vmt);
    struct pakfile pakfile = {0};
    add_cubemap(shot.bsp, 128);
    pack_cube(&pakfile, SIDE_WEST ".vtf", west);
    pack_cube(&pakfile, "maps/any/cubemapdefault.vtf", west);
    pack(&shot, &pakfile);
    expect(&shot, 0, 0, 0);
}

/* The middle of the wall is at x = 256: of two cubemaps, the other is nearer. */
static void the_nearest_is_reflected(void **state)
{
    const float other[3] = {0, 1, 0};
    (void)state;
    struct shot shot = shiny_room("LightmappedGeneric { $envmap env_cubemap }");
    struct pakfile pakfile = {0};
    add_cubemap(shot.bsp, 128);
    add_cubemap(shot.bsp, 200);
    pack_cube(&pakfile, SIDE_WEST ".vtf", west);
    pack_cube(&pakfile, "maps/any/c200_128_128.vtf", other);
    pack(&shot, &pakfile);
    expect(&shot, 0, 1, 0);
}

SUITE(test_render_reflections)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_materials),
        cmocka_unit_test(masks),
        cmocka_unit_test(nothing_is_reflected),
        cmocka_unit_test(the_nearest_is_reflected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
