/* Skies of shaders and of Source's materials, by their directions. */
#include "tests/support/suite.h"

#include "common/assets/textures/tga.h"
#include "scene/materials/materials.h"
#include "tests/support/near.h"
#include "tests/support/quake3_game.h"
#include "tests/support/texture_files.h"

struct sky {
    struct diag *diag;
    struct env env;
    struct assets *assets;
    struct scene_materials materials;
    const struct sky_box *box;
};

enum { SIDE = 16 };

static const uint8_t colours[SKY_SIDES][4] = {{200, 0, 0, 255},   {0, 200, 0, 255},
                                              {0, 0, 200, 255},   {200, 200, 0, 255},
                                              {200, 0, 200, 255}, {0, 200, 200, 255}};

/* An image that is white in its upper left quarter. */
static void draw_side(uint8_t *pixels, int width, int height, const uint8_t colour[4])
{
    for (int i = 0; i < width * height; i++) {
        bool is_corner = i % width < width / 4 && i / width < SIDE / 4;
        for (int k = 0; k < 4; k++)
            pixels[4 * i + k] = is_corner ? 255 : colour[k];
    }
}

static void add_side(const struct quake3_game *game, const char *ending, const uint8_t colour[4])
{
    uint8_t pixels[SIDE * SIDE * 4];
    char name[64];
    draw_side(pixels, SIDE, SIDE, colour);
    snprintf(name, sizeof name, "q/baseq3/env/s_%s.tga", ending);
    struct bytes tga = {0};
    tga_encode(pixels, SIDE, SIDE, TGA_RGBA, &tga);
    assert_int_equal(game->env.fs->ops->write(game->env.fs, name, tga.data, tga.size), 0);
    bytes_free(&tga);
}

static void open_sky(struct sky *sky, const char *script, int side_count)
{
    static const uint8_t cloud[4] = {50, 100, 150, 255};
    *sky = (struct sky){.diag = diag_new(NULL, NULL)};
    sky->env = (struct env){.diag = sky->diag, .threads = 1, .fs = fs_memory_new()};
    struct quake3_game game = {.env = sky->env};
    quake3_add(&game, "q/baseq3/scripts/a.shader", script);
    for (int i = 0; i < side_count; i++)
        add_side(&game, sky_side_endings[i], colours[i]);
    quake3_add_tga(&game, "q/baseq3/env/cloud.tga", 4, 4, cloud);
    const struct assets_options look_up = {.game = "q"};
    assert_int_equal(assets_open(&sky->env, &look_up, &sky->assets), STATUS_OK);
    scene_materials_open(&sky->env, sky->assets, 0, &sky->materials);
    sky->box = scene_materials_sky_of_shader(&sky->materials, "textures/s/sky");
}

static void add_material(struct fs *fs, const char *ending, int width, int height,
                         const uint8_t colour[4])
{
    uint8_t pixels[2 * SIDE * SIDE * 4];
    char name[64], text[96];
    draw_side(pixels, width, height, colour);
    snprintf(name, sizeof name, "mod/materials/skybox/dusk%s.vtf", ending);
    put_vtf(fs, name, width, height, TEXTURE_RGBA, pixels);
    snprintf(name, sizeof name, "mod/materials/skybox/dusk%s.vmt", ending);
    snprintf(text, sizeof text, "sky\n{\n$basetexture skybox/dusk%s\n}\n", ending);
    assert_int_equal(fs->ops->write(fs, name, text, strlen(text)), 0);
}

/* Sides around are `height` high, of SIDE for a square. */
static void open_source_sky(struct sky *sky, int width, int height, int side_count)
{
    *sky = (struct sky){.diag = diag_new(NULL, NULL)};
    sky->env = (struct env){.diag = sky->diag, .threads = 1, .fs = fs_memory_new()};
    for (int i = 0; i < side_count; i++)
        add_material(sky->env.fs, sky_side_endings[i], width, i < 4 ? height : width, colours[i]);
    const char *paths[] = {"mod"};
    const struct assets_options look_up = {.search_paths = paths, .search_path_count = 1};
    assert_int_equal(assets_open(&sky->env, &look_up, &sky->assets), STATUS_OK);
    scene_materials_open(&sky->env, sky->assets, 0, &sky->materials);
    sky->box = scene_materials_sky(&sky->materials, "dusk");
}

static void close_sky(struct sky *sky)
{
    scene_materials_free(&sky->materials);
    assets_free(sky->assets);
    fs_memory_free(sky->env.fs);
    diag_free(sky->diag);
}

static void assert_seen(const struct sky *sky, double x, double y, double z, int r, int g, int b)
{
    float seen[3];
    const int expected[3] = {r, g, b};
    sky_box_at(sky->box, vec3_normalize(vec3(x, y, z)), 0.001, seen);
    for (int k = 0; k < 3; k++)
        assert_near((double)(255 * seen[k]), expected[k], 1.5);
}

/* The middles of the sides, and the corners that are white, as ioquake3 shows them. */
static void sides_have_their_directions(void **state)
{
    (void)state;
    struct sky sky;
    open_sky(&sky, "textures/s/sky\n{\nskyparms env/s - -\nsurfaceparm sky\n}\n", SKY_SIDES);
    assert_non_null(sky.box);
    assert_seen(&sky, 1, 0, 0, 200, 0, 0);
    assert_seen(&sky, -1, 0, 0, 0, 200, 0);
    assert_seen(&sky, 0, 1, 0, 0, 0, 200);
    assert_seen(&sky, 0, -1, 0, 200, 200, 0);
    assert_seen(&sky, 0, 0, 1, 200, 0, 200);
    assert_seen(&sky, 0, 0, -1, 0, 200, 200);
    assert_seen(&sky, 1, 0.9, 0.9, 255, 255, 255);
    assert_seen(&sky, 1, -0.9, 0.9, 200, 0, 0);
    assert_seen(&sky, 1, 0.9, -0.9, 200, 0, 0);
    assert_seen(&sky, -1, -0.9, 0.9, 255, 255, 255);
    assert_seen(&sky, -0.9, 1, 0.9, 255, 255, 255);
    assert_seen(&sky, 0.9, -1, 0.9, 255, 255, 255);
    assert_seen(&sky, -0.9, 0.9, 1, 255, 255, 255);
    assert_seen(&sky, 0.9, 0.9, 1, 200, 0, 200);
    assert_seen(&sky, 0.9, 0.9, -1, 255, 255, 255);
    assert_seen(&sky, -0.9, 0.9, -1, 0, 200, 200);
    close_sky(&sky);
}

static void clouds_are_drawn_over_the_box(void **state)
{
    (void)state;
    struct sky sky;
    open_sky(&sky,
             "textures/s/sky\n{\nskyparms env/s 256 -\nsurfaceparm sky\n{\nmap env/cloud.tga\n"
             "blendfunc add\n}\n}\n",
             SKY_SIDES);
    assert_seen(&sky, 1, 0, 0, 250, 100, 150);
    assert_seen(&sky, 0, 0, 1, 250, 100, 255);
    close_sky(&sky);
}

static void clouds_need_no_box(void **state)
{
    (void)state;
    struct sky sky;
    open_sky(&sky,
             "textures/s/sky\n{\nskyparms - 256 -\nsurfaceparm sky\n{\nmap env/cloud.tga\n}\n}\n",
             SKY_SIDES);
    assert_seen(&sky, 1, 0, 0.2, 50, 100, 150);
    assert_seen(&sky, -1, 2, 3, 50, 100, 150);
    close_sky(&sky);
}

/* A box that lacks an image is none, whatever its shader says. */
static void skies_without_images_are_none(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "textures/s/sky\n{\nskyparms env/s - -\n}\n", "textures/s/sky\n{\nskyparms\n}\n",
        "textures/s/sky\n{\nsurfaceparm sky\n}\n", "textures/other\n{\n}\n"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct sky sky;
        open_sky(&sky, scripts[i], SKY_SIDES - 1);
        assert_null(sky.box);
        close_sky(&sky);
    }
}

static void sides_are_materials_of_source(void **state)
{
    (void)state;
    struct sky sky;
    open_source_sky(&sky, SIDE, SIDE, SKY_SIDES);
    assert_non_null(sky.box);
    assert_seen(&sky, 1, 0, 0, 200, 0, 0);
    assert_seen(&sky, 0, -1, 0, 200, 200, 0);
    assert_seen(&sky, 0, 0, 1, 200, 0, 200);
    assert_seen(&sky, 1, 0.9, 0.9, 255, 255, 255);
    close_sky(&sky);
    open_source_sky(&sky, SIDE, SIDE, SKY_SIDES - 1);
    assert_null(sky.box);
    close_sky(&sky);
}

/* The white corner is half as high on the sphere, and below the horizon is the last row. */
static void sides_may_be_half_as_high(void **state)
{
    (void)state;
    struct sky sky;
    open_source_sky(&sky, SIDE, SIDE / 2, SKY_SIDES);
    assert_non_null(sky.box);
    assert_seen(&sky, 1, 0.9, 0.9, 255, 255, 255);
    assert_seen(&sky, 1, 0.9, 0.3, 200, 0, 0);
    assert_seen(&sky, 1, 0.9, -0.9, 200, 0, 0);
    close_sky(&sky);
}

SUITE(test_sky_box)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_have_their_directions),
        cmocka_unit_test(sides_are_materials_of_source),
        cmocka_unit_test(sides_may_be_half_as_high),
        cmocka_unit_test(clouds_are_drawn_over_the_box),
        cmocka_unit_test(clouds_need_no_box),
        cmocka_unit_test(skies_without_images_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
