/* Pictures of small rooms, checked by pixel colours. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/worldlight.h"
#include "common/diag/codes/pictures.def"
#include "common/geom/angle.h"
#include "tests/support/render/render_room.h"
#include "tests/support/texture_files.h"
#include "vrad/vrad.h"

static void walls_have_their_colours(void **state)
{
    (void)state;
    static const char *const views[6] = {"128 128 128 0 180", "128 128 128 0 0",
                                         "128 128 128 0 -90", "128 128 128 0 90",
                                         "128 128 128 90 0",  "128 128 128 -90 0"};
    struct shot shot = shot_of(plain_room(NULL));
    for (int i = 0; i < 6; i++)
        paint(shot.bsp, i, "a", 0.1f * (float)(i + 1), 0.9f - 0.1f * (float)i, 0.5f);
    light_evenly(shot.bsp, 128);
    prepare(&shot);
    for (int i = 0; i < 6; i++) {
        draw(&shot, views[i]);
        assert_pixel(&shot, MIDDLE, MIDDLE, 0.05 * (i + 1), 0.45 - 0.05 * i, 0.25);
    }
    shot_free(&shot);
}

/* To the east, north is on the left and the floor below; rolled to the right, the floor is on the
 * right. */
static void the_picture_is_the_right_way_up(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    shot.options.fov = 120;
    paint(shot.bsp, ROOM_HIGH_Y, "a", 1, 0, 0);
    paint(shot.bsp, ROOM_FLOOR, "b", 0, 1, 0);
    light_evenly(shot.bsp, 255);
    prepare(&shot);
    draw(&shot, "128 128 128 0 0");
    assert_pixel(&shot, 1, MIDDLE, 1, 0, 0);
    assert_pixel(&shot, MIDDLE, PICTURE - 2, 0, 1, 0);
    assert_pixel(&shot, PICTURE - 2, MIDDLE, 0.5, 0.5, 0.5);
    assert_pixel(&shot, MIDDLE, 1, 0.5, 0.5, 0.5);
    draw(&shot, "setpos 128 128 128;setang 0 0 90");
    assert_pixel(&shot, PICTURE - 2, MIDDLE, 0, 1, 0);
    assert_pixel(&shot, MIDDLE, PICTURE - 2, 1, 0, 0);
    shot_free(&shot);
}

/* One luxel is lit: its centre is white, halfway to the next luxel half as bright, beyond that
 * black. */
static void light_lies_between_luxels(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    light_evenly(shot.bsp, 0);
    const struct bsp_face *floor = &shot.bsp->faces[ROOM_FLOOR];
    const float white[3] = {255, 255, 255};
    struct bsp_colour colour = colour_encode(white);
    memcpy(shot.bsp->ldr.lighting.data + floor->light_offset + 4 * (17 * 8 + 8), &colour, 4);
    shot.options.fov = 1;
    prepare(&shot);
    draw(&shot, "128 128 100 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
    draw(&shot, "136 128 100 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.25, 0.25, 0.25);
    draw(&shot, "136 136 100 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.125, 0.125, 0.125);
    draw(&shot, "144 128 100 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0, 0);
    shot_free(&shot);
}

/* A spotlight pointing down, without bounces. */
static void a_spotlight_lights_the_floor(void **state)
{
    (void)state;
    struct bsp *bsp = ungridded_room(NULL);
    struct shot shot = shot_of(bsp);
    struct vrad_options options = vrad_defaults;
    options.bounce = 0;
    room_set_entities(bsp, "{\n\"classname\" \"light_spot\"\n\"origin\" \"64 192 200\"\n"
                           "\"pitch\" \"-90\"\n\"_light\" \"255 128 64 200\"\n\"_cone\" \"25\"\n"
                           "\"_inner_cone\" \"20\"\n}\n");
    assert_int_equal(assets_open(&shot.env, &(struct assets_options){0}, &shot.assets), STATUS_OK);
    assert_int_equal(vrad_run(&shot.env, &options, NULL, shot.assets, bsp), STATUS_OK);
    assets_free(shot.assets);
    prepare(&shot);
    draw(&shot, "128 128 250 90 90"); /* north up, east on the right */
    /* 500 units across: the spot is 64 west and north of the middle. */
    int offset = (int)(64 * PICTURE / 500.0);
    const unsigned char *bright = pixel(&shot, MIDDLE - offset, MIDDLE - offset);
    double wanted[3];
    room_luxel(bsp, ROOM_FLOOR, 0, 0, 4, 12, wanted);
    for (int k = 0; k < 3; k++)
        assert_near(bright[k], shown(0.5 * wanted[k] / 255), 2);
    assert_true(bright[0] > 60 && bright[0] > bright[1] && bright[1] > bright[2]);
    for (int i = 0; i < PICTURE * PICTURE; i++)
        assert_true(shot.pixels[3 * i] <= bright[0] + 2);
    assert_pixel(&shot, MIDDLE + 12, MIDDLE + 12, 0, 0, 0);
    draw(&shot, "64 192 128 -90 0"); /* no light goes up */
    assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0, 0);
    shot_free(&shot);
}

static const char vmt[] = "\"LightmappedGeneric\"\n{\n\"$basetexture\" \"dev/two\"\n}\n";

/* Four pixels in a row: red, green, blue and transparent half white. */
static void put_texture(struct fs *fs, const char *material, const char *text)
{
    static const uint8_t texels[] = {0,   0, 255, 255, 0,   255, 0,   255,
                                     255, 0, 0,   255, 255, 255, 255, 0};
    put_vtf(fs, "mod/materials/dev/two.vtf", 4, 1, TEXTURE_BGRA, texels);
    assert_int_equal(fs->ops->write(fs, material, text, strlen(text)), 0);
}

/* Texels are a quarter unit, a texture has 512: it repeats every 128 units along y. */
static void textures_are_positioned(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    paint(shot.bsp, ROOM_HIGH_X, "dev/Wall", 0.5f, 0.5f, 0.5f);
    light_evenly(shot.bsp, 128);
    shot.options.fov = 1;
    put_texture(shot.env.fs, "mod/materials/dev/wall.vmt", vmt);
    prepare(&shot);
    draw(&shot, "250 144 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0, 0);
    draw(&shot, "250 176 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0.5, 0);
    draw(&shot, "250 80 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0, 0.5);
    assert_int_equal(diag_count_code(shot.diag, DIAG_PICTURE_PLAIN), 1); /* the other walls */
    shot_free(&shot);
    shot = shot_of(plain_room(NULL));
    paint(shot.bsp, ROOM_HIGH_X, "dev/Wall", 0.5f, 0.5f, 0.5f);
    light_evenly(shot.bsp, 128);
    shot.options.scene.lightmap_only = true;
    put_texture(shot.env.fs, "mod/materials/dev/wall.vmt", vmt);
    prepare(&shot);
    draw(&shot, "250 144 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
    shot_free(&shot);
}

static void a_damaged_texture_is_told_of_once(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct fs *fs = shot.env.fs;
    paint(shot.bsp, ROOM_HIGH_X, "brick/wall", 0.25f, 0.5f, 1);
    paint(shot.bsp, ROOM_LOW_X, "brick/wall", 0.25f, 0.5f, 1);
    light_evenly(shot.bsp, 255);
    put_texture(fs, "mod/materials/brick/wall.vmt", vmt);
    assert_int_equal(fs->ops->write(fs, "mod/materials/dev/two.vtf", "VTF", 3), 0);
    prepare(&shot);
    assert_int_equal(diag_count_code(shot.diag, DIAG_PICTURE_TEXTURE), 1);
    draw(&shot, "128 128 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.25, 0.5, 1);
    shot_free(&shot);
}

/* A packed texture of the map overrides the game's. */
static void packed_textures_come_first(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct pakfile pakfile = {0};
    struct bytes texture = {0};
    struct fs *fs = shot.env.fs;
    paint(shot.bsp, ROOM_HIGH_X, "dev/Wall", 0.5f, 0.5f, 0.5f);
    light_evenly(shot.bsp, 128);
    put_texture(fs, "mod/materials/dev/wall.vmt", vmt);
    assert_int_equal(fs->ops->read(fs, "mod/materials/dev/two.vtf", &texture), 0);
    memcpy(texture.data + 80, "\xff\xff\x00\xff", 4);
    pakfile_put(&pakfile, "materials/dev/two.vtf", texture.data, texture.size);
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, shot.diag, &shot.bsp->pakfile),
                     STATUS_OK);
    pakfile_free(&pakfile);
    bytes_free(&texture);
    shot.options.fov = 1;
    prepare(&shot);
    draw(&shot, "250 144 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0, 0.5, 0.5);
    shot_free(&shot);
}

/* A bumped face with two styles has eight lightmaps; the flat one of style 0 is the fifth. */
static void the_flat_lightmap_of_style_0_is_shown(void **state)
{
    (void)state;
    const int flags[6] = {[ROOM_FLOOR] = SURFACE_BUMPLIGHT};
    struct shot shot = shot_of(plain_room(flags));
    struct bsp_face *floor = &shot.bsp->faces[ROOM_FLOOR];
    light_evenly(shot.bsp, 0);
    floor->light_offset = (int32_t)shot.bsp->ldr.lighting.size;
    floor->styles[0] = 32;
    floor->styles[1] = 0;
    for (int map = 0; map < 8; map++) {
        float grey = map == 4 ? 128.0f : 255.0f;
        struct bsp_colour colour = colour_encode((const float[]){grey, grey, grey});
        for (int k = 0; k < 17 * 17; k++)
            bytes_append(&shot.bsp->ldr.lighting, &colour, 4);
    }
    prepare(&shot);
    draw(&shot, "128 128 128 90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.25, 0.25, 0.25);
    shot_free(&shot);
}

static void brush_entities_stand_where_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *from;
        double red, green;
    } cases[] = {
        {"", "64 128 128 0 0", 1, 0},
        {"", "192 128 128 0 180", 0.25, 0.25}, /* not from behind */
        {"\"origin\" \"32 0 0\"\n", "144 128 128 0 0", 1, 0},
        {"\"origin\" \"-96 0 0\"\n", "64 128 128 0 0", 0.25, 0.25},
        {"\"origin\" \"256 0 0\"\n\"angles\" \"0 90 0\"\n", "128 64 128 0 90", 1, 0},
        {"\"rendermode\" \"10\"\n", "64 128 128 0 0", 0.25, 0.25},
        {"\"StartDisabled\" \"1\"\n", "64 128 128 0 0", 0.25, 0.25},
        {"\"rendermode\" \"1\"\n\"renderamt\" \"51\"\n", "64 128 128 0 0", 0.4, 0.2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shot shot = shot_of(plain_room(NULL));
        for (int face = 0; face < 6; face++)
            paint(shot.bsp, face, "a", 0.25f, 0.25f, 0.25f);
        add_screen(shot.bsp, cases[i].keys);
        paint(shot.bsp, 6, "b", 1, 0, 0);
        light_evenly(shot.bsp, 255);
        prepare(&shot);
        draw(&shot, cases[i].from);
        assert_pixel(&shot, MIDDLE, MIDDLE, cases[i].red, cases[i].green, cases[i].green);
        shot_free(&shot);
    }
}

/* A quarter of the texture is transparent: with alpha testing or blending the wall behind it is
 * visible. */
static void transparent_texels_are_see_through(void **state)
{
    (void)state;
    static const char *const keys[] = {"$alphatest", "$translucent", "$nocull"};
    for (int i = 0; i < 3; i++) {
        char text[128];
        struct shot shot = shot_of(plain_room(NULL));
        add_screen(shot.bsp, "");
        paint(shot.bsp, 6, "dev/grate", 1, 0, 0);
        light_evenly(shot.bsp, 255);
        snprintf(text, sizeof text,
                 "\"LightmappedGeneric\"\n{\n\"$basetexture\" \"dev/two\"\n\"%s\" \"1\"\n}\n",
                 keys[i]);
        put_texture(shot.env.fs, "mod/materials/dev/grate.vmt", text);
        shot.options.fov = 1;
        prepare(&shot);
        draw(&shot, "120 144 128 0 0");
        assert_pixel(&shot, MIDDLE, MIDDLE, 1, 0, 0);
        draw(&shot, "120 112 128 0 0");
        double light = i < 2 ? 0.5 : 1;
        assert_pixel(&shot, MIDDLE, MIDDLE, light, light, 1 - (i < 2) * 0.5);
        shot_free(&shot);
    }
}

/* The ambient light is red, and so is water, which has no lightmap; the wall behind shows
 * through. */
static void water_is_lit_by_ambient_light(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct bsp_ambient sample = {.position = {128, 128, 128}};
    add_screen(shot.bsp, "");
    light_evenly(shot.bsp, 255);
    shot.bsp->texinfo[shot.bsp->faces[6].texinfo].flags |= SURFACE_WARP;
    shot.bsp->faces[6].light_offset = -1;
    paint(shot.bsp, ROOM_HIGH_X, "wall", 0, 0, 1);
    for (int side = 0; side < 6; side++)
        sample.cube[side] = (struct bsp_colour){128, 0, 0, -8};
    arrput(shot.bsp->ldr.ambient, sample); /* of the solid leaf; without an index, one per leaf */
    arrput(shot.bsp->ldr.ambient, sample);
    prepare(&shot);
    draw(&shot, "64 128 128 0 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.75 * 0.5 * 0.5, 0, 0.25);
    draw(&shot, "192 128 128 0 180"); /* from below too */
    assert_true(pixel(&shot, MIDDLE, MIDDLE)[0] > pixel(&shot, MIDDLE, MIDDLE)[2]);
    shot_free(&shot);
}

static struct shot water_shot(const char *keys)
{
    char text[256];
    struct shot shot = shot_of(plain_room(NULL));
    add_screen(shot.bsp, "");
    paint(shot.bsp, 6, "pool/still", 0.5f, 0.5f, 0.5f);
    paint(shot.bsp, ROOM_HIGH_Y, "far", 1, 1, 1);
    light_evenly(shot.bsp, 255);
    snprintf(text, sizeof text, "\"Water\"\n{\n%s}\n", keys);
    put_texture(shot.env.fs, "mod/materials/pool/still.vmt", text);
    shot.options.fov = 1;
    return shot;
}

/* A quarter is the grey wall behind it. */
static void water_has_the_colours_of_its_texture_or_fog(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        double red, green;
    } cases[] = {{"$fogcolor \"{0 0 0}\"\n", 0, 0},
                 {"$basetexture dev/two\n", 1, 0},
                 {"$basetexture dev/two\n$fogcolor \"{0 0 0}\"\n", 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shot shot = water_shot(cases[i].keys);
        prepare(&shot);
        draw(&shot, "120 144 128 0 0");
        assert_pixel(&shot, MIDDLE, MIDDLE, 0.75 * cases[i].red + 0.125,
                     0.75 * cases[i].green + 0.125, 0.125);
        shot_free(&shot);
    }
}

/* Black water, looked at by 80 degrees from its normal: what it mirrors and what is behind it is
 * the white wall. Straight on it mirrors a fiftieth. */
static void water_mirrors_by_the_angle(void **state)
{
    (void)state;
    double part = 1 - cos(80 * PI / 180), share = 0.02 + 0.98 * pow(part, 5);
    for (int mirrors = 0; mirrors < 2; mirrors++) {
        struct shot shot = water_shot(mirrors ? "$fogcolor \"{0 0 0}\"\n$reflecttexture _rt_any\n"
                                              : "$fogcolor \"{0 0 0}\"\n");
        prepare(&shot);
        draw(&shot, "118 20 128 0 80");
        double oblique = mirrors ? share + (1 - share) * 0.25 : 0.25;
        assert_pixel(&shot, MIDDLE, MIDDLE, oblique, oblique, oblique);
        draw(&shot, "64 128 128 0 0");
        double straight = mirrors ? 0.02 * 0.5 + 0.98 * 0.125 : 0.125;
        assert_pixel(&shot, MIDDLE, MIDDLE, straight, straight, straight);
        shot_free(&shot);
    }
}

static void turn_last_face(struct bsp *bsp)
{
    struct bsp_face *face = &arrlast(bsp->faces);
    int32_t *edges = bsp->surfedges + face->first_edge;
    face->plane ^= 1;
    for (int i = 0; i < 2; i++) {
        int32_t edge = edges[i];
        edges[i] = edges[3 - i];
        edges[3 - i] = edge;
    }
}

/* Liquids have a face for each side in one place, and a ray meets either: it sees that which looks
 * at it. */
static void each_side_of_water_has_its_material(void **state)
{
    (void)state;
    struct shot shot = water_shot("$fogcolor \"{0 0 0}\"\n$reflecttexture _rt_any\n");
    room_face(shot.bsp, vec3(SIDE / 2, SIDE, SIDE), 0, true, 0);
    arrpop(shot.bsp->leaf_faces);
    turn_last_face(shot.bsp);
    arrlast(shot.bsp->models).face_count = 2;
    paint(shot.bsp, 7, "pool/below", 1, 0, 0);
    light_evenly(shot.bsp, 255);
    for (int face = 6; face < 8; face++)
        shot.bsp->texinfo[shot.bsp->faces[face].texinfo].flags |= SURFACE_WARP;
    prepare(&shot);
    draw(&shot, "64 128 128 0 0");
    for (int x = 0; x < PICTURE; x++)
        assert_pixel(&shot, x, MIDDLE, 0.1325, 0.1325, 0.1325);
    draw(&shot, "192 128 128 0 180");
    for (int x = 0; x < PICTURE; x++)
        assert_pixel(&shot, x, MIDDLE, 0.875, 0.125, 0.125);
    shot_free(&shot);
}

static void the_sky_has_the_colour_of_its_light(void **state)
{
    (void)state;
    const int flags[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_NOLIGHT};
    struct shot shot = shot_of(plain_room(flags));
    struct bsp_worldlight sky = {.type = WORLDLIGHT_SKY_AMBIENT, .intensity = {0.9f, 0.3f, 0.1f}};
    struct bsp_worldlight sun = {
        .type = WORLDLIGHT_SKY, .intensity = {2, 2, 2}, .normal = {0, 0, -1}};
    light_evenly(shot.bsp, 0);
    arrput(shot.bsp->ldr.worldlights, sky);
    arrput(shot.bsp->ldr.worldlights, sun);
    prepare(&shot);
    draw(&shot, "128 128 200 -45 0");
    const unsigned char *up = pixel(&shot, MIDDLE, MIDDLE);
    assert_true(up[0] > 150 && up[0] > up[1] + 20 && up[1] > up[2] + 20);
    draw(&shot, "128 128 200 -90 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 1, 1, 1);
    shot_free(&shot);
}

/* Through the sky of the room, a wall of the 3D skybox is visible. */
static void the_3d_skybox_is_seen_through_the_sky(void **state)
{
    (void)state;
    const int flags[6] = {[ROOM_CEILING] = SURFACE_SKY | SURFACE_NOLIGHT};
    for (int camera = 0; camera < 2; camera++) {
        struct shot shot = shot_of(plain_room(flags));
        room_face(shot.bsp, vec3(-900, SIDE, SIDE), 0, true, 0);
        arrpop(shot.bsp->leaf_faces);
        shot.bsp->models[0].face_count = 7;
        shot.bsp->leaves[1].area = 1;
        paint(shot.bsp, 6, "far", 1, 0, 0);
        light_evenly(shot.bsp, 255);
        if (camera)
            room_set_entities(shot.bsp, "{\n\"classname\" \"sky_camera\"\n"
                                        "\"origin\" \"-1000 128 128\"\n\"scale\" \"16\"\n}\n");
        prepare(&shot);
        draw(&shot, "128 128 200 -45 0");
        if (camera)
            assert_pixel(&shot, MIDDLE, MIDDLE, 1, 0, 0);
        else
            assert_true(pixel(&shot, MIDDLE, MIDDLE)[2] > 100);
        shot_free(&shot);
    }
}

/* A displacement floor raised by 64 hides the foot of a wall. */
static void displacements_are_raised(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct bsp_displacement info = {.power = 2, .face = ROOM_FLOOR};
    arrput(shot.bsp->displacements, info);
    for (int i = 0; i < 25; i++)
        arrput(shot.bsp->disp_vertices, ((struct bsp_disp_vertex){{0, 0, 1}, 64, 0}));
    shot.bsp->faces[ROOM_FLOOR].dispinfo = 0;
    paint(shot.bsp, ROOM_FLOOR, "ground", 0, 1, 0);
    light_evenly(shot.bsp, 255);
    prepare(&shot);
    draw(&shot, "128 128 164 45 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0, 1, 0);
    draw(&shot, "128 128 230 45 0");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
    shot_free(&shot);
}

/* The visible part of the first texture is red, the second texture is white. */
static void displacements_blend_two_textures(void **state)
{
    (void)state;
    for (int alpha = 0; alpha <= 255; alpha += 51) {
        struct shot shot = shot_of(plain_room(NULL));
        struct bsp_displacement info = {.power = 2, .face = ROOM_FLOOR};
        arrput(shot.bsp->displacements, info);
        for (int i = 0; i < 25; i++)
            arrput(shot.bsp->disp_vertices, ((struct bsp_disp_vertex){{0, 0, 1}, 0, (float)alpha}));
        shot.bsp->faces[ROOM_FLOOR].dispinfo = 0;
        paint(shot.bsp, ROOM_FLOOR, "dev/ground", 0.5f, 0.5f, 0.5f);
        light_evenly(shot.bsp, 255);
        put_texture(shot.env.fs, "mod/materials/dev/ground.vmt",
                    "\"WorldVertexTransition\"\n{\n\"$basetexture\" \"dev/two\"\n"
                    "\"$basetexture2\" \"dev/white\"\n}\n");
        struct bytes white = {0};
        assert_int_equal(shot.env.fs->ops->read(shot.env.fs, "mod/materials/dev/two.vtf", &white),
                         0);
        memset(white.data + 80, 255, 16);
        assert_int_equal(shot.env.fs->ops->write(shot.env.fs, "mod/materials/dev/white.vtf",
                                                 white.data, white.size),
                         0);
        bytes_free(&white);
        shot.options.fov = 1;
        prepare(&shot);
        draw(&shot, "144 128 128 90 0");
        assert_pixel(&shot, MIDDLE, MIDDLE, 1, alpha / 255.0, alpha / 255.0);
        shot_free(&shot);
    }
}

/* A tenth and ten times white are both distinguishable from black and white. */
static void hdr_light_is_tone_mapped(void **state)
{
    (void)state;
    for (int bright = 0; bright < 2; bright++) {
        struct shot shot = shot_of(plain_room(NULL));
        light_evenly(shot.bsp, bright ? 2550 : 25.5f);
        shot.bsp->hdr.lighting = shot.bsp->ldr.lighting;
        shot.bsp->ldr.lighting = (struct bytes){0};
        prepare(&shot);
        draw(&shot, "128 128 128 0 0");
        assert_true(pixel(&shot, MIDDLE, MIDDLE)[0] > 60 && pixel(&shot, MIDDLE, MIDDLE)[0] < 200);
        shot_free(&shot);
    }
}

static void a_map_without_light_is_told_of(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    prepare(&shot);
    assert_int_equal(diag_count_code(shot.diag, DIAG_PICTURE_UNLIT), 1);
    draw(&shot, "128 128 128 90 0");
    int floor = pixel(&shot, MIDDLE, MIDDLE)[0];
    draw(&shot, "128 128 128 0 0");
    assert_true(floor > pixel(&shot, MIDDLE, MIDDLE)[0]);
    shot_free(&shot);
}

static void an_empty_map_is_refused(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    shot.bsp->models[0].face_count = 0;
    assert_int_equal(assets_open(&shot.env, &(struct assets_options){0}, &shot.assets), STATUS_OK);
    assert_int_equal(render_open(&shot.env, shot.assets, shot.bsp, &shot.options, &shot.render),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(shot.diag, DIAG_PICTURE_EMPTY), 1);
    shot_free(&shot);
}

static void players_look_from_their_eyes(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct scene_view view;
    light_evenly(shot.bsp, 128);
    room_set_entities(shot.bsp, "{\n\"classname\" \"info_player_start\"\n\"origin\" \"10 20 30\"\n"
                                "\"angles\" \"5 90 0\"\n}\n");
    prepare(&shot);
    assert_true(scene_start_view(&shot.render->scene, &view));
    assert_near(view.eye.z, 94, 0);
    assert_near(view.angles.x, 5, 0);
    assert_near(view.angles.y, 90, 0);
    shot_free(&shot);
}

/* A wall is 10 units before the spawn: the view turns to the far corner. One in a wall is left
 * out. */
static void a_spawn_before_a_wall_turns(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct scene_view view, *views;
    light_evenly(shot.bsp, 128);
    room_set_entities(shot.bsp,
                      "{\n\"classname\" \"info_player_start\"\n\"origin\" \"-90 20 30\"\n}\n"
                      "{\n\"classname\" \"info_player_start\"\n\"origin\" \"10 20 30\"\n"
                      "\"angles\" \"0 -90 0\"\n}\n"
                      "{\n\"classname\" \"info_player_terrorist\"\n"
                      "\"origin\" \"20 128 30\"\n\"angles\" \"0 10 0\"\n}\n");
    prepare(&shot);
    assert_true(scene_start_view(&shot.render->scene, &view));
    assert_near(view.eye.x, 10, 0);
    assert_near(view.angles.y, 45, 16);
    views = scene_spawn_views(&shot.render->scene);
    assert_int_equal(arrlen(views), 2);
    assert_near(views[1].angles.y, 10, 0);
    arrfree(views);
    shot_free(&shot);
}

/* Before spawns, from where the entity is; its target or its angles say where to. One in a solid is
 * left out. */
static void the_view_of_the_end_of_a_game_comes_first(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct scene_view view;
    light_evenly(shot.bsp, 128);
    room_set_entities(shot.bsp,
                      "{\n\"classname\" \"info_player_start\"\n\"origin\" \"10 20 30\"\n}\n"
                      "{\n\"classname\" \"info_player_intermission\"\n"
                      "\"origin\" \"-500 40 50\"\n}\n"
                      "{\n\"classname\" \"info_player_intermission\"\n"
                      "\"origin\" \"30 40 50\"\n\"angles\" \"5 60 0\"\n"
                      "\"target\" \"there\"\n}\n"
                      "{\n\"classname\" \"info_notnull\"\n\"origin\" \"30 100 110\"\n"
                      "\"targetname\" \"There\"\n}\n");
    prepare(&shot);
    assert_true(scene_start_view(&shot.render->scene, &view));
    assert_near(view.eye.x, 30, 0);
    assert_near(view.eye.z, 50, 0);
    assert_near(view.angles.x, -45, 1e-9);
    assert_near(view.angles.y, 90, 1e-9);
    shot_free(&shot);
}

/* Without a spawn the view is inside of the room and sees its lit wall. With nothing to see there
 * is none. */
static void a_map_without_spawns_is_seen_from_inside(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    struct scene_view view;
    light_evenly(shot.bsp, 0);
    const struct bsp_face *wall = &shot.bsp->faces[ROOM_HIGH_Y];
    const float white[3] = {255, 255, 255};
    struct bsp_colour colour = colour_encode(white);
    int luxels = (wall->lightmap_size[0] + 1) * (wall->lightmap_size[1] + 1);
    for (int i = 0; i < luxels; i++)
        memcpy(shot.bsp->ldr.lighting.data + wall->light_offset + 4 * i, &colour, 4);
    prepare(&shot);
    assert_true(scene_start_view(&shot.render->scene, &view));
    for (int k = 0; k < 3; k++)
        assert_true(view.eye.e[k] > 0 && view.eye.e[k] < 256);
    assert_near(view.eye.z, 64, 1);
    assert_near(view.angles.y, 90, 0);
    shot_free(&shot);
}

/* One wall, without light, between sides of sky: it is what there is to see. */
static void a_view_of_sky_alone_is_the_last_choice(void **state)
{
    (void)state;
    int flags[6];
    for (int i = 0; i < 6; i++)
        flags[i] = i == ROOM_HIGH_Y ? 0 : SURFACE_SKY | SURFACE_NOLIGHT;
    struct shot shot = shot_of(plain_room(flags));
    struct scene_view view;
    light_evenly(shot.bsp, 0);
    prepare(&shot);
    assert_true(scene_start_view(&shot.render->scene, &view));
    assert_near(view.angles.y, 90, 80);
    shot_free(&shot);
}

static void places_are_read(void **state)
{
    (void)state;
    static const char *const bad[] = {"",          "1 2",       "1 2 3 4",  "1 2 3 4 5 6 7",
                                      "1 2 three", "1 2 3 4 x", "1e99 2 3", "north 1 2 3"};
    struct scene_view view;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(scene_view_read(bad[i], &view));
    assert_true(scene_view_read("-1.5 2e1 3", &view));
    assert_near(view.eye.x, -1.5, 0);
    assert_near(view.eye.y, 20, 0);
    assert_near(view.angles.y, 0, 0);
    assert_true(scene_view_read("setpos_exact 1 2 3;setang_exact 4.5 -5 6", &view));
    assert_near(view.eye.z, 3, 0);
    assert_near(view.angles.x, 4.5, 0);
    assert_near(view.angles.y, -5, 0);
    assert_near(view.angles.z, 6, 0);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    unsigned char *first = NULL;
    for (int threads = 1; threads <= 7; threads += 3) {
        struct shot shot = shot_of(plain_room(NULL));
        shot.env.threads = threads;
        shot.options.samples = 3;
        light_evenly(shot.bsp, 100);
        prepare(&shot);
        draw(&shot, "30 40 50 10 33");
        if (first)
            assert_memory_equal(first, shot.pixels, 3 * PICTURE * PICTURE);
        else
            memcpy(first = memory_alloc(3 * PICTURE * PICTURE), shot.pixels, 3 * PICTURE * PICTURE);
        shot_free(&shot);
    }
    memory_free(first);
}

SUITE(test_render)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_have_their_colours),
        cmocka_unit_test(the_picture_is_the_right_way_up),
        cmocka_unit_test(light_lies_between_luxels),
        cmocka_unit_test(a_spotlight_lights_the_floor),
        cmocka_unit_test(textures_are_positioned),
        cmocka_unit_test(a_damaged_texture_is_told_of_once),
        cmocka_unit_test(packed_textures_come_first),
        cmocka_unit_test(the_flat_lightmap_of_style_0_is_shown),
        cmocka_unit_test(brush_entities_stand_where_they_are),
        cmocka_unit_test(transparent_texels_are_see_through),
        cmocka_unit_test(water_is_lit_by_ambient_light),
        cmocka_unit_test(water_has_the_colours_of_its_texture_or_fog),
        cmocka_unit_test(water_mirrors_by_the_angle),
        cmocka_unit_test(each_side_of_water_has_its_material),
        cmocka_unit_test(the_sky_has_the_colour_of_its_light),
        cmocka_unit_test(the_3d_skybox_is_seen_through_the_sky),
        cmocka_unit_test(displacements_are_raised),
        cmocka_unit_test(displacements_blend_two_textures),
        cmocka_unit_test(hdr_light_is_tone_mapped),
        cmocka_unit_test(a_map_without_light_is_told_of),
        cmocka_unit_test(an_empty_map_is_refused),
        cmocka_unit_test(players_look_from_their_eyes),
        cmocka_unit_test(a_spawn_before_a_wall_turns),
        cmocka_unit_test(the_view_of_the_end_of_a_game_comes_first),
        cmocka_unit_test(a_map_without_spawns_is_seen_from_inside),
        cmocka_unit_test(a_view_of_sky_alone_is_the_last_choice),
        cmocka_unit_test(places_are_read),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
