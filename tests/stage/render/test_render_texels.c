/* Static props in pictures, lit by their texels. */
#include "tests/support/suite.h"

#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/lumps/static_props.h"
#include "scene/mesh/packed_light.h"
#include "tests/support/near.h"
#include "tests/support/render/render_room.h"
#include "tests/support/textured_box.h"
#include "vrad/props/ppl.h"

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

SUITE(test_render_texels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(props_have_texel_light),
        cmocka_unit_test(corners_lie_among_texels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
