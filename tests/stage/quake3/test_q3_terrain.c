/* Terrain: an image gives the corners of a group's brushes layers, and these the sides shaders. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/diag/codes/quake3_terrain.def"
#include "tests/support/near.h"
#include "tests/support/vbsp/q3_map.h"

static const char land[] =
    "textures/land/a_0to1\n{\nq3map_lightmapSampleSize 8\n{\nmap $lightmap\n}\n}\n"
    "textures/land/a_0to2\n{\n{\nmap $lightmap\n}\n}\n"
    "textures/land/a_2\n{\n{\nmap $lightmap\n}\n}\n"
    "textures/land/bare\n{\nq3map_indexed\n{\nmap $lightmap\n}\n}\n";

/* A TGA of two rows of grey, the top one first. */
static void put_image(struct text_map *map, const char *path, const uint8_t *grey, int width)
{
    struct bytes file = {0};
    const uint8_t head[18] = {[2] = 2, [12] = (uint8_t)width, [14] = 2, [16] = 24, [17] = 0x20};
    bytes_append(&file, head, sizeof head);
    for (int i = 0; i < 3 * 2 * width; i++)
        bytes_u8(&file, grey[i / 3]);
    assert_int_equal(map->fs->ops->write(map->fs, path, file.data, file.size), 0);
    bytes_free(&file);
}

static void start(struct text_map *map)
{
    const uint8_t slope[] = {0, 9, 100, 200, 0, 9, 85, 200}, high[] = {200, 255, 171, 200};
    q3_map_init(map);
    text_map_put(map, "game/scripts/land.shader", land);
    put_image(map, "game/maps/slope.tga", slope, 4);
    put_image(map, "game/maps/high.tga", high, 2);
    q3_map_room(map, vec3(0, 0, 0), vec3(512, 256, 128));
}

/* Only the top is of terrain. */
static void put_plate(struct text_map *map, double x, double y, const char *shader)
{
    const char *const shaders[Q3_SIDES] = {CAULK, CAULK, CAULK, CAULK, CAULK, shader};
    q3_map_box_of(map, vec3(x, y, 0), vec3(x + 64, y + 64, 16), shaders);
}

static void finish(struct text_map *map)
{
    q3_map_player(map, "480 32 32");
    q3_map_compile(map, STATUS_OK);
}

/* Alpha of the surface's vertex at x y. */
static int alpha_at(const struct text_map *map, const struct bsp_surface *surface, float x, float y)
{
    for (int i = 0; i < surface->vertex_count; i++) {
        const struct bsp_draw_vertex *vertex = &map->bsp->draw_vertices[surface->first_vertex + i];
        if (fabsf(vertex->p[0] - x) < 0.1f && fabsf(vertex->p[1] - y) < 0.1f)
            return vertex->colour[3];
    }
    return -1;
}

static const struct bsp_surface *top_at(const struct text_map *map, double x, double y)
{
    return q3_surface_at(map, vec3(x, y, 16), vec3(0, 0, 1));
}

/* Corners of the highest layer of a side show it; those in between are of the lowest. */
static void an_image_chooses_shaders_and_alpha(void **state)
{
    (void)state;
    struct text_map map;
    start(&map);
    q3_map_entity(&map, "func_group",
                  "\"_indexmap\" \"maps/slope.tga\"\n\"_layers\" \"3\"\n\"_shader\" \"land/a\"");
    put_plate(&map, 64, 64, "common/terrain");
    put_plate(&map, 128, 64, "common/terrain");
    q3_map_entity(&map, "func_group",
                  "\"alphamap\" \"maps/high\"\n\"layers\" \"3\"\n\"shader\" \"textures/land/a\"");
    put_plate(&map, 256, 64, "common/terrain");
    finish(&map);
    const struct bsp_surface *low = top_at(&map, 80, 80), *mixed = top_at(&map, 180, 80),
                             *high = top_at(&map, 280, 80);
    assert_true(low && mixed && high);
    assert_string_equal(q3_shader_name(&map, low), "textures/land/a_0to1");
    assert_string_equal(q3_shader_name(&map, mixed), "textures/land/a_0to2");
    assert_string_equal(q3_shader_name(&map, high), "textures/land/a_2");
    assert_int_equal(alpha_at(&map, low, 64, 64), 0);
    assert_int_equal(alpha_at(&map, low, 64, 128), 0);
    assert_int_equal(alpha_at(&map, low, 128, 128), 255);
    assert_int_equal(alpha_at(&map, low, 128, 64), 0);
    assert_int_equal(alpha_at(&map, mixed, 128, 64), 0);
    assert_int_equal(alpha_at(&map, mixed, 128, 128), 0);
    assert_int_equal(alpha_at(&map, mixed, 192, 64), 255);
    assert_int_equal(alpha_at(&map, mixed, 192, 128), 255);
    assert_int_equal(alpha_at(&map, high, 256, 64), 255);
    assert_near(map.out.notes.items[low - map.bsp->surfaces].sample_size, 8, 1e-9);
    assert_null(q3_report(&map, DIAG_Q3_TERRAIN));
    assert_null(q3_report(&map, DIAG_Q3_NO_INDEX_MAP));
    /* They collide as the shader of their sides. */
    assert_true(q3_leaf_has(&map, vec3(80, 80, 8), Q3_CONTENTS_SOLID));
    text_map_free(&map);
}

/* Without brushes, the image covers the patches. */
static void patches_are_terrain_too(void **state)
{
    (void)state;
    struct text_map map;
    start(&map);
    q3_map_entity(&map, "func_group",
                  "\"_indexmap\" \"maps/slope.tga\"\n\"_layers\" \"3\"\n\"_shader\" \"land/a\"");
    bytes_append_text(&map.text,
                      "{\npatchDef2\n{\ncommon/terrain\n( 3 3 0 0 0 )\n(\n"
                      "( ( 64 64 48 0 0 ) ( 64 80 48 0 1 ) ( 64 96 48 0 2 ) )\n"
                      "( ( 80 64 48 1 0 ) ( 80 80 56 1 1 ) ( 80 96 48 1 2 ) )\n"
                      "( ( 96 64 48 2 0 ) ( 96 80 48 2 1 ) ( 96 96 48 2 2 ) )\n)\n}\n}\n");
    finish(&map);
    const struct bsp_surface *patch = NULL;
    for (size_t i = 0; i < arrlenu(map.bsp->surfaces); i++)
        if (map.bsp->surfaces[i].type == SURFACE_PATCH)
            patch = &map.bsp->surfaces[i];
    assert_non_null(patch);
    assert_string_equal(q3_shader_name(&map, patch), "textures/land/a_0to2");
    assert_int_equal(alpha_at(&map, patch, 64, 64), 0);
    assert_int_equal(alpha_at(&map, patch, 80, 96), 0);
    assert_int_equal(alpha_at(&map, patch, 96, 80), 255);
    text_map_free(&map);
}

static void invalid_terrain_is_reported(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "\"_indexmap\" \"maps/none.tga\"\n\"_layers\" \"3\"\n\"_shader\" \"land/a\"",
        "\"_indexmap\" \"maps/high.tga\"\n\"_shader\" \"land/a\"",
        "\"_indexmap\" \"maps/high.tga\"\n\"_layers\" \"300\"\n\"_shader\" \"land/a\"",
        "\"_indexmap\" \"maps/high.tga\"\n\"_layers\" \"3\"",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct text_map map;
        start(&map);
        q3_map_entity(&map, "func_group", keys[i]);
        put_plate(&map, 64, 64, "land/bare");
        finish(&map);
        assert_int_equal(diag_count_code(map.diag, DIAG_Q3_TERRAIN), 1);
        assert_string_equal(q3_shader_name(&map, top_at(&map, 80, 80)), "textures/land/bare");
        text_map_free(&map);
    }
}

static void terrain_without_an_image_is_noted_once(void **state)
{
    (void)state;
    struct text_map map;
    start(&map);
    put_plate(&map, 64, 64, "common/terrain");
    put_plate(&map, 256, 64, "land/bare");
    finish(&map);
    assert_int_equal(diag_count_code(map.diag, DIAG_Q3_NO_INDEX_MAP), 1);
    assert_null(top_at(&map, 80, 80));
    assert_int_equal(alpha_at(&map, top_at(&map, 280, 80), 256, 64), 255);
    text_map_free(&map);
}

SUITE(test_q3_terrain)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_chooses_shaders_and_alpha),
        cmocka_unit_test(patches_are_terrain_too),
        cmocka_unit_test(invalid_terrain_is_reported),
        cmocka_unit_test(terrain_without_an_image_is_noted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
