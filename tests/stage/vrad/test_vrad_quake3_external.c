/* Lighting of Quake 3 maps that the format cannot hold: external pages, styles, and deluxemaps. */
#include "tests/support/suite.h"

#include "common/bsp/query.h"
#include "common/diag/codes/lightmap_pages.def"
#include "common/geom/vec.h"
#include "tests/support/near.h"
#include "tests/support/quake3_game.h"
#include "tests/support/vrad/quake3_room.h"

enum { HEAD = 18 };

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"-40 16 40\"\n"
                                   "\"light\" \"30\"\n\"_color\" \"1 0.5 0.25\"\n}\n";
static const char styled[] = "{\n\"classname\" \"light\"\n\"origin\" \"-40 16 40\"\n"
                             "\"light\" \"30\"\n\"_color\" \"1 0.5 0.25\"\n\"style\" \"3\"\n}\n";

static struct quake3_room outside_room(const char *keys, const char *entities)
{
    struct quake3_room room = open_room(keys, entities);
    room.options.quake3.no_grid = true;
    room.options.quake3.map_path = "game/maps/room.bsp";
    return room;
}

static struct bytes file_of(const struct quake3_room *room, const char *path)
{
    struct bytes out = {0};
    assert_int_equal(room->env.fs->ops->read(room->env.fs, path, &out), 0);
    bytes_u8(&out, 0);
    return out;
}

static bool is_there(const struct quake3_room *room, const char *path)
{
    return room->env.fs->ops->kind(room->env.fs, path) == FS_FILE;
}

static void has_text(const struct quake3_room *room, const char *path, const char *text,
                     bool wanted)
{
    struct bytes script = file_of(room, path);
    assert_int_equal(strstr((const char *)script.data, text) != NULL, wanted);
    bytes_free(&script);
}

/* Luxel (s, t) of the floor in an image that is stored bottom row first, in BGR order. */
static void image_luxel(const struct quake3_room *room, const struct bytes *image, int s, int t,
                        int out[3])
{
    const struct bsp_surface *floor = &room->bsp->surfaces[FLOOR];
    int side = image->data[12] | image->data[13] << 8;
    int row = side - 1 - floor->lightmap_start[1] - t, column = floor->lightmap_start[0] + s;
    for (int k = 0; k < 3; k++)
        out[k] = image->data[HEAD + 3 * (row * side + column) + 2 - k];
}

static const uint8_t *page_luxel(const struct bsp *bsp, int further, int s, int t)
{
    const struct bsp_surface *floor = &bsp->surfaces[FLOOR];
    return bsp->ldr.lighting.data + (size_t)(floor->lightmap + further) * bsp_page_bytes(bsp) +
           3 * (size_t)((floor->lightmap_start[1] + t) * PAGE + floor->lightmap_start[0] + s);
}

static const char *shader_of_floor(const struct quake3_room *room)
{
    return room->bsp->shaders[room->bsp->surfaces[FLOOR].shader].name;
}

/* An image includes the engine's overbright factor: four times the light, with channels clamped to
 * 255. */
static void same_light(const struct quake3_room *inside, const struct quake3_room *outside,
                       const struct bytes *image)
{
    for (int t = 1; t < 16; t++)
        for (int s = 1; s < 16; s++) {
            const uint8_t *page = page_luxel(inside->bsp, 0, s, t);
            int found[3], max = 4 * (page[0] > page[1] ? page[0] : page[1]);
            image_luxel(outside, image, s, t, found);
            assert_true(page[0] > 0);
            for (int k = 0; k < 3; k++)
                assert_near(found[k], 4.0 * page[k] * (max > 255 ? 255.0 / max : 1), 3);
        }
}

static void test_external(void **state)
{
    (void)state;
    struct quake3_room inside = outside_room("", light_entity),
                       room = outside_room("", light_entity);
    light_room(&inside);
    assert_false(is_there(&inside, "game/maps/room/lm_0000.tga"));
    /* Of an earlier run with more pages. */
    assert_int_equal(room.env.fs->ops->write(room.env.fs, "game/maps/room/lm_0001.tga", "x", 1), 0);
    room.options.quake3.external = true;
    light_room(&room);
    struct bytes image = file_of(&room, "game/maps/room/lm_0000.tga");
    assert_int_equal(image.size, HEAD + PAGE * PAGE * 3 + 1);
    assert_int_equal(image.data[17], 0);
    same_light(&inside, &room, &image);
    assert_false(is_there(&room, "game/maps/room/lm_0001.tga"));
    assert_int_equal(room.bsp->ldr.lighting.size, 0);
    assert_int_equal(room.bsp->surfaces[FLOOR].lightmap, -3);
    assert_string_equal(shader_of_floor(&room), "room/lm_0000_0");
    has_text(&room, "game/scripts/q3map2_room.shader",
             "room/lm_0000_0\n{\n\tqer_editorImage textures/base/wall\n\t{\n"
             "\t\tmap maps/room/lm_0000.tga\n\t\trgbGen identityLighting\n\t\ttcGen lightmap\n\t}\n"
             "\t{\n\t\tmap textures/base/wall\n\t\tblendFunc GL_DST_COLOR GL_ZERO\n"
             "\t\trgbGen identity\n\t}\n}\n",
             true);
    bytes_free(&image);
    close_room(&inside);
    close_room(&room);
}

/* Surfaces may have more luxels, and coordinates are fractions of the page. */
static void test_large_pages(void **state)
{
    (void)state;
    struct quake3_room room = outside_room("", light_entity);
    room.options.quake3.lightmap_size = 256;
    room.options.quake3.sample_size = 1;
    light_room(&room);
    struct bytes image = file_of(&room, "game/maps/room/lm_0000.tga");
    const struct bsp_surface *floor = &room.bsp->surfaces[FLOOR];
    assert_int_equal(image.size, HEAD + 256 * 256 * 3 + 1);
    assert_in_range(floor->lightmap_size[0], 129, 256);
    float min = 1, max = 0;
    for (int i = 0; i < floor->vertex_count; i++) {
        float at = room.bsp->draw_vertices[floor->first_vertex + i].lightmap[0];
        min = at < min ? at : min;
        max = at > max ? at : max;
    }
    assert_near((double)(max - min) * 256, floor->lightmap_size[0] - 1, 1);
    bytes_free(&image);
    close_room(&room);
}

static void refused(const char *path, int side, int code)
{
    struct quake3_room room = outside_room("", light_entity);
    room.options.quake3.external = true;
    room.options.quake3.map_path = path;
    room.options.quake3.lightmap_size = side;
    assert_int_not_equal(vrad_run(&room.env, &room.options, NULL, NULL, room.bsp), STATUS_OK);
    assert_int_equal(diag_count_code(room.env.diag, code), 1);
    close_room(&room);
}

static void test_refused(void **state)
{
    (void)state;
    refused("a.bsp", 300, DIAG_PAGE_SIDE);
    refused("a.bsp", 2048, DIAG_PAGE_SIDE);
    refused("-", 0, DIAG_PAGES_NOWHERE);
    refused(NULL, 256, DIAG_PAGES_NOWHERE);
    struct quake3_room room = outside_room("", light_entity);
    room.options.quake3.external = true;
    light_room(&room);
    assert_int_not_equal(vrad_run(&room.env, &room.options, NULL, NULL, room.bsp), STATUS_OK);
    assert_int_equal(diag_count_code(room.env.diag, DIAG_PAGES_TWICE), 1);
    close_room(&room);
}

/* Outside of a maps folder, and in the working directory. */
static void test_script_place(void **state)
{
    (void)state;
    static const char *const paths[][2] = {
        {"x/room.bsp", "x/scripts/q3map2_room.shader"},
        {"maps/room.bsp", "scripts/q3map2_room.shader"},
        {"a/mymaps/room.bsp", "a/mymaps/scripts/q3map2_room.shader"},
        {"room.bsp", "scripts/q3map2_room.shader"}};
    for (int i = 0; i < 4; i++) {
        struct quake3_room room = outside_room("", light_entity);
        room.options.quake3.external = true;
        room.options.quake3.map_path = paths[i][0];
        light_room(&room);
        assert_true(is_there(&room, paths[i][1]));
        close_room(&room);
    }
}

static void test_styles(void **state)
{
    (void)state;
    struct quake3_room steady = outside_room("", light_entity);
    struct quake3_room room = outside_room(
        "\"_style3rgbgen\" \"wave square 1 0 0 2\"\n\"_style3alphagen\" \"const 0.5\"\n", styled);
    light_room(&steady);
    light_room(&room);
    struct bytes image = file_of(&room, "game/maps/room/lm_0000.tga");
    same_light(&steady, &room, &image);
    /* Unstyled light is black, in a page of the file. */
    assert_true(room.bsp->surfaces[FLOOR].lightmap >= 0);
    for (int k = 0; k < 3; k++)
        assert_int_equal(page_luxel(room.bsp, 0, 8, 8)[k], 0);
    has_text(&room, "game/scripts/q3map2_room.shader",
             "\t{\n\t\tmap $lightmap\n\t\trgbGen identity\n\t}\n"
             "\t{\n\t\tmap maps/room/lm_0000.tga\n\t\tblendFunc GL_ONE GL_ONE\n"
             "\t\trgbGen wave square 1 0 0 2\n\t\talphaGen const 0.5\n\t\ttcGen lightmap\n\t}\n"
             "\t{\n\t\tmap textures/base/wall\n",
             true);
    assert_int_equal(diag_count(room.env.diag, DIAG_NOTE), 0);
    bytes_free(&image);
    close_room(&steady);
    close_room(&room);
}

/* The shader of the walls by a script. */
static void scripted(struct quake3_room *room, const char *stages)
{
    *room = outside_room("", styled);
    struct quake3_game game = {.env = room->env};
    const struct assets_options options = {.game = "q"};
    const uint8_t grey[4] = {99, 99, 99, 255};
    struct bytes text = {0};
    bytes_append_text(&text, "textures/base/wall\n{\n\tsurfaceparm dust\n%s}\n", stages);
    bytes_u8(&text, 0);
    quake3_add(&game, "q/baseq3/scripts/base.shader", (const char *)text.data);
    quake3_add_tga(&game, "q/baseq3/textures/base/wall.tga", 8, 8, grey);
    bytes_free(&text);
    assert_int_equal(assets_open(&room->env, &options, &room->assets), STATUS_OK);
}

static const char script[] = "game/scripts/q3map2_room.shader";

/* The lightmap stage comes first in one script and second in the other. */
static void test_scripts(void **state)
{
    (void)state;
    static const char before[] = "\t{\n\t\tmap $lightmap\n\t}\n"
                                 "\t{\n\t\tmap textures/base/wall.tga\n\t\tblendFunc filter\n\t}\n";
    static const char behind[] = "\t{\n\t\tmap textures/base/wall.tga\n\t\ttcMod scroll 1 0\n\t}\n"
                                 "\t{\n\t\tmap $lightmap\n\t\tblendFunc gl_dst_color gl_zero\n\t}\n"
                                 "\t{\n\t\tmap glow.tga\n\t\tblendFunc add\n\t}\n";
    struct quake3_room room;
    scripted(&room, before);
    light_room(&room);
    has_text(&room, script, "\tsurfaceparm dust\n", true);
    has_text(&room, script,
             "\t\ttcGen lightmap\n\t}\n\t{\n\t\tmap textures/base/wall.tga\n\t\tblendFunc filter\n",
             true);
    has_text(&room, script, "rgbGen wave noise", true);
    close_room(&room);
    scripted(&room, behind);
    light_room(&room);
    has_text(&room, script,
             "\tqer_editorImage textures/base/wall\n\t{\n\t\tmap $lightmap\n\t\trgbGen identity\n"
             "\t}\n",
             true);
    has_text(&room, script,
             "\t{\n\t\tmap textures/base/wall.tga\n\t\ttcMod scroll 1 0\n"
             "\t\tblendFunc GL_DST_COLOR GL_ZERO\n\t}\n\t{\n\t\tmap glow.tga\n",
             true);
    close_room(&room);
    /* Without styles the order stays. */
    scripted(&room, behind);
    room.options.quake3.external = true;
    arrsetlen(room.bsp->entities, 0);
    for (const char *c = light_entity; *c; c++)
        arrput(room.bsp->entities, *c);
    light_room(&room);
    has_text(&room, script,
             "tcMod scroll 1 0\n\t}\n\t{\n\t\tmap maps/room/lm_0000.tga\n"
             "\t\tblendFunc gl_dst_color gl_zero\n\t\trgbGen identityLighting\n",
             true);
    close_room(&room);
}

/* Emissive surfaces may have a style, too. */
static void test_emissive_style(void **state)
{
    (void)state;
    struct quake3_room room;
    scripted(&room, "\tq3map_surfacelight 300\n\tq3map_lightStyle 5\n"
                    "\t{\n\t\tmap $lightmap\n\t}\n"
                    "\t{\n\t\tmap textures/base/wall.tga\n\t\tblendFunc filter\n\t}\n");
    arrsetlen(room.bsp->entities, 0);
    for (const char *c = "{\n\"classname\" \"worldspawn\"\n}\n"; *c; c++)
        arrput(room.bsp->entities, *c);
    light_room(&room);
    struct bytes image = file_of(&room, "game/maps/room/lm_0000.tga");
    int found[3];
    image_luxel(&room, &image, 8, 8, found);
    assert_true(found[0] > 20);
    assert_int_equal(page_luxel(room.bsp, 0, 8, 8)[0], 0);
    has_text(&room, script, "q3map_lightStyle 5\n", true);
    bytes_free(&image);
    close_room(&room);
}

/* An alpha-tested stage must stay first. */
static void test_no_room_for_styles(void **state)
{
    (void)state;
    struct quake3_room room;
    scripted(&room, "\t{\n\t\tmap textures/base/wall.tga\n\t\talphaFunc GE128\n\t}\n"
                    "\t{\n\t\tmap $lightmap\n\t\tblendFunc filter\n\t\tdepthFunc equal\n\t}\n");
    light_room(&room);
    assert_true(diag_count_code(room.env.diag, DIAG_STYLE_UNSEEN) > 0);
    assert_string_equal(shader_of_floor(&room), "textures/base/wall");
    assert_true(room.bsp->surfaces[FLOOR].lightmap >= 0);
    close_room(&room);
}

/* The script says where styles go. */
static void test_style_markers(void **state)
{
    (void)state;
    struct quake3_room room;
    scripted(&room, "\t{\n\t\tmap glow.tga\n\t}\n"
                    "\t{\n\t\tmap $lightmap\n\t\tblendFunc add\n\t}\n\tq3map_styleMarker\n"
                    "\t{\n\t\tmap textures/base/wall.tga\n\t\tblendFunc filter\n\t}\n");
    light_room(&room);
    assert_int_equal(diag_count_code(room.env.diag, DIAG_STYLE_UNSEEN), 0);
    has_text(&room, script,
             "\t\tblendFunc add\n\t\trgbGen identity\n\t}\n\t{\n\t\tmap maps/room/lm_0000.tga\n"
             "\t\tblendFunc GL_ONE GL_ONE\n\t\trgbGen wave",
             true);
    has_text(&room, script, "\t\ttcGen lightmap\n\t}\n\t{\n\t\tmap textures/base/wall.tga\n", true);
    has_text(&room, script, "styleMarker", false);
    close_room(&room);
    scripted(&room, "\t{\n\t\tmap textures/base/wall.tga\n\t\talphaFunc GE128\n\t}\n"
                    "\t{\n\t\tmap $lightmap\n\t\tblendFunc filter\n\t\tdepthFunc equal\n\t}\n"
                    "\tq3map_styleMarker2\n");
    light_room(&room);
    assert_int_equal(diag_count_code(room.env.diag, DIAG_STYLE_UNSEEN), 0);
    has_text(&room, script, "\t\tblendFunc GL_ONE GL_ONE\n\t\tdepthFunc equal\n", true);
    close_room(&room);
}

/* Each page of light is followed by one of directions, which point at the light. */
static void test_deluxe(void **state)
{
    (void)state;
    struct quake3_room room = outside_room("", light_entity);
    room.options.quake3.deluxe = true;
    light_room(&room);
    assert_int_equal(room.bsp->ldr.lighting.size % (2 * bsp_page_bytes(room.bsp)), 0);
    for (int i = 0; i < 6; i++)
        assert_int_equal(room.bsp->surfaces[i].lightmap % 2, 0);
    for (int t = 1; t < 16; t++)
        for (int s = 1; s < 16; s++) {
            struct vec3 way =
                vec3_normalize(vec3_sub(vec3(-40, 16, 40), vec3(16 * (s - 8), 16 * (t - 8), -128)));
            const uint8_t *found = page_luxel(room.bsp, 1, s, t);
            for (int k = 0; k < 3; k++)
                assert_near(found[k] / 127.5 - 1, way.e[k], 0.02);
        }
    arrput(room.bsp->entities, 0);
    assert_non_null(strstr(room.bsp->entities, "\"deluxeMaps\" \"1\""));
    arrsetlen(room.bsp->entities, arrlenu(room.bsp->entities) - 1);
    /* Relit without deluxemaps. */
    room.options.quake3.deluxe = false;
    light_room(&room);
    arrput(room.bsp->entities, 0);
    assert_null(strstr(room.bsp->entities, "deluxeMaps"));
    close_room(&room);
}

/* Outside of the file, images of light and of directions take turns, and the number of a surface
 * is that of its image of light. */
static void test_deluxe_outside(void **state)
{
    (void)state;
    struct quake3_room inside = outside_room("", light_entity),
                       room = outside_room("", light_entity);
    inside.options.quake3.deluxe = room.options.quake3.deluxe = true;
    room.options.quake3.external = true;
    light_room(&inside);
    light_room(&room);
    struct bytes light = file_of(&room, "game/maps/room/lm_0000.tga");
    struct bytes towards = file_of(&room, "game/maps/room/lm_0001.tga");
    assert_int_equal(room.bsp->ldr.lighting.size, 0);
    assert_int_equal(room.bsp->surfaces[FLOOR].lightmap, 0);
    assert_false(is_there(&room, "game/maps/room/lm_0002.tga"));
    has_text(&room, script, "map maps/room/lm_0000.tga", true);
    has_text(&room, script, "lm_0001.tga", false);
    same_light(&inside, &room, &light);
    for (int i = 0; i < 15 * 15; i++) {
        int found[3], s = 1 + i % 15, t = 1 + i / 15;
        image_luxel(&room, &towards, s, t, found);
        for (int k = 0; k < 3; k++)
            assert_int_equal(found[k], page_luxel(inside.bsp, 1, s, t)[k]);
    }
    bytes_free(&light);
    bytes_free(&towards);
    close_room(&inside);
    close_room(&room);
}

/* Along the texture of the floor, which runs along -y and x, and up. */
static void test_deluxe_along_texture(void **state)
{
    (void)state;
    struct quake3_room room = outside_room("", light_entity);
    const struct bsp_surface *floor = &room.bsp->surfaces[FLOOR];
    for (int i = 0; i < floor->vertex_count; i++) {
        struct bsp_draw_vertex *vertex = &room.bsp->draw_vertices[floor->first_vertex + i];
        vertex->texture[0] = -vertex->p[1] / 64;
        vertex->texture[1] = vertex->p[0] / 32 + vertex->p[1] / 256;
    }
    room.options.quake3.deluxe = true;
    room.options.quake3.deluxe_mode = 1;
    light_room(&room);
    for (int t = 1; t < 16; t++)
        for (int s = 1; s < 16; s++) {
            struct vec3 way =
                vec3_normalize(vec3_sub(vec3(-40, 16, 40), vec3(16 * (s - 8), 16 * (t - 8), -128)));
            /* s grows towards -y and a bit of +x, t towards +x. */
            struct vec3 along = vec3_normalize(vec3(64 * 32 / 256.0, -64, 0));
            struct vec3 found = vec3_normalize(vec3(vec3_dot(way, along), way.x, way.z));
            const uint8_t *bytes = page_luxel(room.bsp, 1, s, t);
            for (int k = 0; k < 3; k++)
                assert_near(bytes[k] / 127.5 - 1, found.e[k], 0.02);
        }
    arrput(room.bsp->entities, 0);
    assert_non_null(strstr(room.bsp->entities, "\"deluxeMaps\" \"2\""));
    close_room(&room);
}

/* Light of styles does not bounce. */
static void test_bounces_have_no_style(void **state)
{
    (void)state;
    for (int only = 0; only < 2; only++) {
        struct quake3_room room = outside_room("", styled);
        room.options.quake3.bounce_only = only;
        light_room(&room);
        assert_int_equal(is_there(&room, "game/maps/room/lm_0000.tga"), !only);
        close_room(&room);
    }
}

static void test_folder_of_pages(void **state)
{
    (void)state;
    static const char *const bad[] = {"../up", "a/b", "", ".", "a b"};
    struct quake3_room room = outside_room("", light_entity);
    room.options.quake3.external = true;
    room.options.quake3.lightmap_folder = "other";
    light_room(&room);
    assert_true(is_there(&room, "game/maps/other/lm_0000.tga"));
    assert_false(is_there(&room, "game/maps/room/lm_0000.tga"));
    has_text(&room, "game/scripts/q3map2_room.shader", "maps/other/lm_0000.tga", true);
    close_room(&room);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        room = outside_room("", light_entity);
        room.options.quake3.external = true;
        room.options.quake3.lightmap_folder = bad[i];
        assert_int_equal(vrad_run(&room.env, &room.options, NULL, NULL, room.bsp), STATUS_FAILED);
        assert_int_equal(diag_count_code(room.env.diag, DIAG_PAGES_NOWHERE), 1);
        close_room(&room);
    }
}

/* The same files with any number of threads and ranks. */
static void test_threads_and_ranks(void **state)
{
    (void)state;
    struct bytes first = {0};
    for (int i = 0; i < 5; i++) {
        struct quake3_room room = outside_room("", styled);
        room.env.threads = (int[]){1, 2, 7, 1, 2}[i];
        room.ranks = (const int[]){0, 0, 0, 5, 3}[i];
        room.options.quake3.external = true;
        room.options.bounce = 2;
        light_room(&room);
        struct bytes image = file_of(&room, "game/maps/room/lm_0001.tga");
        struct bytes text = file_of(&room, script);
        bytes_append(&image, text.data, text.size);
        if (i == 0)
            bytes_append(&first, image.data, image.size);
        assert_int_equal(image.size, first.size);
        assert_memory_equal(image.data, first.data, first.size);
        bytes_free(&image);
        bytes_free(&text);
        close_room(&room);
    }
    bytes_free(&first);
}

SUITE(test_vrad_quake3_external)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_external),
        cmocka_unit_test(test_large_pages),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_script_place),
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_deluxe),
        cmocka_unit_test(test_deluxe_outside),
        cmocka_unit_test(test_deluxe_along_texture),
        cmocka_unit_test(test_bounces_have_no_style),
        cmocka_unit_test(test_folder_of_pages),
        cmocka_unit_test(test_no_room_for_styles),
        cmocka_unit_test(test_style_markers),
        cmocka_unit_test(test_threads_and_ranks),
        cmocka_unit_test(test_emissive_style),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
