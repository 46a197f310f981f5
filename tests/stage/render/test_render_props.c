/* Static props in pictures: positions and lighting. */
#include "tests/support/suite.h"

#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/worldlight.h"
#include "common/diag/codes/pictures.def"
#include "scene/mesh/packed_light.h"
#include "tests/support/model_files.h"
#include "tests/support/near.h"
#include "tests/support/render/render_room.h"
#include "tests/support/textured_box.h"
#include "vrad/props/ppl.h"

static void add_prop(struct bsp *bsp, const char *name, double x)
{
    struct static_props props = {0};
    struct static_prop prop = static_prop_default();
    struct bsp_game_lump lump = {.id = STATIC_PROPS_ID, .version = 10};
    struct record_range_error range_error;
    char *copy = memory_zalloc(strlen(name) + 1, 1);
    arrput(props.models, strcpy(copy, name));
    prop.origin[0] = (float)x;
    prop.origin[1] = prop.origin[2] = SIDE / 2;
    arrput(props.props, prop);
    assert_true(
        static_props_encode(&props, STATIC_PROP_10, ORDER_LITTLE, &lump.data, &range_error));
    arrput(bsp->game_lumps, lump);
    static_props_free(&props);
}

/* A box of 32 units in the middle of the room. */
static void put_box(struct shot *shot)
{
    struct model_files files = model_files_box(48, 0x10, (const double[]){16, 16, 16});
    struct fs *fs = shot->env.fs;
    add_prop(shot->bsp, "models/box.mdl", SIDE / 2);
    assert_int_equal(fs->ops->write(fs, "mod/models/box.mdl", files.mdl.data, files.mdl.size), 0);
    assert_int_equal(fs->ops->write(fs, "mod/models/box.vvd", files.vvd.data, files.vvd.size), 0);
    assert_int_equal(fs->ops->write(fs, "mod/models/box.vtx", files.vtx.data, files.vtx.size), 0);
    model_files_free(&files);
}

/* Light from the west is red, from above green; the box's normals all point up. */
static void props_are_lit_by_ambient_light(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct bsp_ambient sample = {.position = {128, 128, 128}};
    sample.cube[1] = (struct bsp_colour){128, 0, 0, -7};
    sample.cube[4] = (struct bsp_colour){0, 128, 0, -7};
    light_evenly(shot.bsp, 255);
    arrput(shot.bsp->ldr.ambient_index, ((struct bsp_ambient_index){0, 1}));
    arrput(shot.bsp->ldr.ambient_index, ((struct bsp_ambient_index){1, 0}));
    arrput(shot.bsp->ldr.ambient, sample);
    put_box(&shot);
    prepare(&shot);
    assert_int_equal(diag_count_code(shot.diag, DIAG_PICTURE_PROPS), 0);
    draw(&shot, "64 128 128 0 0");
    draw(&shot, "64 128 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0.5, 0);
    draw(&shot, "64 100 128 0 0"); /* beside it */
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
    shot_free(&shot);
}

/* A light straight above, white at distance 64, and one below, where no normal points. A screen
 * between blocks it. */
static void props_are_lit_by_lights(void **state)
{
    (void)state;
    for (int screened = 0; screened < 2; screened++) {
        struct shot shot = shot_of(plain_room(NULL));
        struct bsp_worldlight light = {.type = WORLDLIGHT_POINT,
                                       .origin = {111, 128, 192},
                                       .intensity = {64 * 64, 0, 64 * 64},
                                       .quadratic = 1};
        put_box(&shot);
        light_evenly(shot.bsp, 255);
        arrput(shot.bsp->ldr.worldlights, light);
        light.origin[2] = 64;
        light.intensity[1] = 1e6f;
        arrput(shot.bsp->ldr.worldlights, light);
        if (screened) {
            add_screen(shot.bsp, "\"origin\" \"0 0 288\"\n\"angles\" \"90 0 0\"\n");
            light_evenly(shot.bsp, 255);
        }
        prepare(&shot);
        draw(&shot, "64 128 128 0 0");
        double shade = screened ? 0 : 0.5;
        assert_pixel(&shot, MIDDLE, MIDDLE, shade, 0, shade);
        shot_free(&shot);
    }
}

/* Vertex light of the box's eight vertices: half of white in red, which stands for white. */
static void pack_vertex_light(struct bsp *bsp, uint32_t checksum, struct diag *diag)
{
    struct pakfile pakfile = {0};
    struct bytes file = {0};
    const uint32_t words[] = {2, checksum, 4, 4, 8, 1, 0, 0, 0, 0, 0, 8, 512, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        bytes_u32(&file, words[i]);
    bytes_fill(&file, 0, 512 - file.size);
    for (int i = 0; i < 8; i++)
        bytes_append(&file, "\x00\x40\x80\xff", 4);
    bytes_fill(&file, 0, 480);
    pakfile_put(&pakfile, "sp_0.vhv", file.data, file.size);
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, diag, &bsp->pakfile), STATUS_OK);
    pakfile_free(&pakfile);
    bytes_free(&file);
}

/* Light of another model is ignored, and the ambient light, which is blue, is used. */
static void props_have_vertex_light(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct shot shot = shot_of(plain_room(NULL));
        struct bsp_ambient sample = {.position = {128, 128, 128}};
        for (int side = 0; side < 6; side++)
            sample.cube[side] = (struct bsp_colour){0, 0, 128, -7};
        put_box(&shot);
        light_evenly(shot.bsp, 255);
        arrput(shot.bsp->ldr.ambient, sample);
        arrput(shot.bsp->ldr.ambient, sample);
        pack_vertex_light(shot.bsp, BOX_CHECKSUM + (uint32_t)other, shot.diag);
        prepare(&shot);
        draw(&shot, "64 128 128 0 0");
        if (other)
            assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0, 0.5);
        else
            assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5 * pow(0.5, 2.2), 0);
        shot_free(&shot);
    }
}

/* Truncated anywhere, or with offsets outside the file or the model. */
static void damaged_vertex_light_is_ignored(void **state)
{
    (void)state;
    struct mdl_mesh mesh = {.vertex_count = {2}};
    const struct model model = {.mdl = {.checksum = 7, .meshes = &mesh, .mesh_count = 1},
                                .vvd = {.count = 2}};
    const uint32_t words[] = {2, 7, 4, 4, 2, 1, 0, 0, 0, 0, 0, 2, 68, 0, 0, 0, 0, 0x010203, 0};
    struct bytes file = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        bytes_u32(&file, words[i]);
    float(*light)[3] = packed_light_vertices(&file, &model);
    assert_non_null(light);
    assert_near(light[0][0], 255 * pow(2 / 255.0, 2.2), 1e-4);
    assert_near(light[1][0], 0, 0);
    memory_free(light);
    for (size_t size = 0; size < file.size; size++) {
        unsigned char *copy = memory_alloc(size); /* of exact size, for sanitizers */
        struct bytes part = {.data = memcpy(copy, file.data, size), .size = size};
        assert_null(packed_light_vertices(&part, &model));
        memory_free(copy);
    }
    static const int places[] = {0, 4, 12, 20, 44, 48};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint32_t before = load_u32(file.data + places[i]);
        store_u32(ORDER_LITTLE, file.data + places[i], UINT32_MAX);
        assert_null(packed_light_vertices(&file, &model));
        store_u32(ORDER_LITTLE, file.data + places[i], before);
    }
    mesh.first_vertex = 1;
    assert_null(packed_light_vertices(&file, &model));
    bytes_free(&file);
}

static void props_without_a_model_are_left_out(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    light_evenly(shot.bsp, 255);
    add_prop(shot.bsp, "models/none.mdl", SIDE / 2);
    prepare(&shot);
    assert_int_equal(diag_count_code(shot.diag, DIAG_PICTURE_PROPS), 1);
    draw(&shot, "64 128 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
    shot_free(&shot);
}

/* Static props in pictures, lit by their texels. */

enum { WIDTH = 6, HEIGHT = 4 };

static void add_box(struct shot *shot, double shift)
{
    struct box_atlas atlas = box_atlas;
    atlas.start[0] += shift;
    atlas.start[1] -= shift;
    struct model_files files = textured_box_files((const double[]){16, 16, 16}, &atlas);
    struct static_props props = {0};
    struct static_prop prop = static_prop_default();
    struct bsp_game_lump lump = {.id = STATIC_PROPS_ID, .version = 10};
    struct record_range_error range_error;
    static const char name[] = "models/box.mdl";
    arrput(props.models, strcpy(memory_zalloc(sizeof name, 1), name));
    for (int k = 0; k < 3; k++)
        prop.origin[k] = SIDE / 2;
    arrput(props.props, prop);
    assert_true(
        static_props_encode(&props, STATIC_PROP_SDK2013, ORDER_LITTLE, &lump.data, &range_error));
    arrput(shot->bsp->game_lumps, lump);
    static_props_free(&props);
    struct fs *fs = shot->env.fs;
    assert_int_equal(fs->ops->write(fs, "mod/models/box.mdl", files.mdl.data, files.mdl.size), 0);
    assert_int_equal(fs->ops->write(fs, "mod/models/box.vvd", files.vvd.data, files.vvd.size), 0);
    assert_int_equal(fs->ops->write(fs, "mod/models/box.vtx", files.vtx.data, files.vtx.size), 0);
    model_files_free(&files);
}

/* Each side has 2 x 2 texels: white on the west side, red on top, black on all others. */
static void pack_texels(struct bsp *bsp, uint32_t checksum, struct diag *diag)
{
    struct pakfile pakfile = {0};
    struct bytes file = {0};
    unsigned char pixels[3 * WIDTH * HEIGHT] = {0};
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            unsigned char *to = pixels + 3 * (y * WIDTH + x);
            if (x < 2 && y < 2)
                to[0] = to[1] = to[2] = 128;
            if (x >= 4 && y >= 2)
                to[0] = 128;
        }
    }
    struct ppl ppl = {.checksum = checksum};
    arrput(ppl.images, ((struct ppl_image){0, WIDTH, HEIGHT, pixels}));
    assert_true(ppl_encode(&ppl, &file));
    pakfile_put(&pakfile, "texelslighting_0.ppl", file.data, file.size);
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, diag, &bsp->pakfile), STATUS_OK);
    pakfile_free(&pakfile);
    bytes_free(&file);
    ppl_free(&ppl);
}

/* Also with texture coordinates in another repetition. Light of another model is ignored, and
 * the ambient light, which is blue, is used. */
static void props_have_texel_light(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct shot shot = shot_of(plain_room(NULL));
        struct bsp_ambient sample = {.position = {128, 128, 128}};
        for (int side = 0; side < 6; side++)
            sample.cube[side] = (struct bsp_colour){0, 0, 128, -7};
        add_box(&shot, i == 1 ? 2 : 0);
        light_evenly(shot.bsp, 255);
        arrput(shot.bsp->ldr.ambient, sample);
        arrput(shot.bsp->ldr.ambient, sample);
        pack_texels(shot.bsp, BOX_CHECKSUM + (i == 2), shot.diag);
        prepare(&shot);
        draw(&shot, "64 128 128 0 0");
        if (i == 2)
            assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0, 0.5);
        else
            assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
        draw(&shot, "128 128 200 90 0");
        if (i == 2)
            assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0, 0.5);
        else
            assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0, 0);
        shot_free(&shot);
    }
}

static void corners_lie_among_texels(void **state)
{
    (void)state;
    static const float uv[3][2] = {{2.25f, -1.5f}, {2.5f, -1.25f}, {3.25f, -1}};
    static const float want[3][2] = {{1.5f, 3.5f}, {3.5f, 5.5f}, {9.5f, 7.5f}};
    const struct surface surface = {.width = 8, .height = 8};
    float st[3][2];
    packed_light_st(uv, &surface, st);
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 2; n++)
            assert_near((double)st[k][n], (double)want[k][n], 1e-5);
}

SUITE(test_render_props)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(props_are_lit_by_ambient_light),
        cmocka_unit_test(props_are_lit_by_lights),
        cmocka_unit_test(props_have_vertex_light),
        cmocka_unit_test(damaged_vertex_light_is_ignored),
        cmocka_unit_test(props_without_a_model_are_left_out),
        cmocka_unit_test(props_have_texel_light),
        cmocka_unit_test(corners_lie_among_texels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
