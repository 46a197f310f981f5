/* Texture coordinates and vertex colours of Quake 3 surfaces. */
#include "tests/support/suite.h"

#include "common/assets/shaders/shader.h"
#include "common/diag/codes/quake3_models.def"
#include "common/diag/codes/sides.def"
#include "tests/support/vbsp/q3_map.h"
#include "vbsp/options.h"

/* Images are 64 x 64 and boxes use a scale of 0.5: an image is 32 units wide. */
static const char scripts[] =
    "textures/test/pad { surfaceparm nolightmap { clampMap textures/test/pad.tga } }\n"
    "textures/test/rotor { surfaceparm nolightmap\n"
    "{ map textures/test/pad.tga\ntcMod rotate 30 } }\n"
    "textures/test/global { q3map_globalTexture { map $lightmap } }\n"
    "textures/test/ivector { q3map_tcGen ivector ( 256 0 0 ) ( 0 -128 0 ) { map $lightmap } }\n"
    "textures/test/moved { q3map_tcGen vector ( 0.03125 0 0 ) ( 0 0.03125 0 )\n"
    "q3map_tcMod scale 2 1\nq3map_tcMod rotate 90\nq3map_tcMod translate 0.25 0.5\n"
    "{ map $lightmap } }\n"
    "textures/test/dot { q3map_alphaMod dotProduct ( 0.5 0 0.7 ) { map $lightmap } }\n"
    "textures/test/dot2 { q3map_alphaMod dotProduct2 ( 0 0 0.95 )\nq3map_alphaMod scale 0.5\n"
    "q3map_rgbMod set ( 1 0.5 0 ) { map $lightmap } }\n"
    "textures/test/part { q3map_alphaMod dotProductScale ( 0 0 0.75 0.5 1 ) { map $lightmap } }\n"
    "textures/test/half { surfaceparm nodraw\nsurfaceparm nonsolid\nsurfaceparm trans\n"
    "q3map_alphaMod volume\nq3map_alphaMod scale 0.5 }\n"
    "textures/test/shell { surfaceparm nonsolid\nq3map_invert\nq3map_offset -2 }\n"
    "textures/test/drawn { q3map_cloneShader textures/test/shell { map $lightmap } }\n"
    "textures/test/sprite { surfaceparm nolightmap\ndeformVertexes autosprite2\n"
    "{ map textures/test/pad.tga } }\n"
    "textures/test/vertex { surfaceparm nolightmap { map textures/test/pad.tga } }\n";

static void put_room(struct text_map *map)
{
    q3_map_init(map);
    text_map_put(map, "game/scripts/textures.shader", scripts);
    q3_map_room(map, vec3(8192, 0, 0), vec3(9216, 512, 128));
}

/* A plate of 32 x 32 units whose top has the shader. */
static void put_plate(struct text_map *map, double x, double y, const char *shader)
{
    const char *const sides[Q3_SIDES] = {CAULK, CAULK, CAULK, CAULK, CAULK, shader};
    q3_map_box_of(map, vec3(x, y, 0), vec3(x + 32, y + 32, 1), sides);
}

static void compile(struct text_map *map)
{
    q3_map_player(map, "8600 400 32");
    q3_map_compile(map, STATUS_OK);
}

/* The lowest and highest coordinate of the surface's vertices over the square. */
static void extent(const struct text_map *map, double x, double y, double size, int axis,
                   double out[2])
{
    const struct bsp_surface *surface = q3_surface_at(map, vec3(x + 1, y + 1, 1), vec3(0, 0, 1));
    assert_non_null(surface);
    out[0] = 1e9;
    out[1] = -1e9;
    for (int i = 0; i < surface->vertex_count; i++) {
        const struct bsp_draw_vertex *v = &map->bsp->draw_vertices[surface->first_vertex + i];
        bool inside = (double)v->p[0] >= x - 0.1 && (double)v->p[0] <= x + size + 0.1 &&
                      (double)v->p[1] >= y - 0.1 && (double)v->p[1] <= y + size + 0.1;
        bool high = axis ? (double)v->p[1] < y + 0.1 : (double)v->p[0] > x + size - 0.1;
        if (inside && high)
            out[1] = fmax(out[1], (double)v->texture[axis]);
        else if (inside)
            out[0] = fmin(out[0], (double)v->texture[axis]);
    }
}

static void assert_extent(const struct text_map *map, double x, double y, double size, double low,
                          double high)
{
    for (int axis = 0; axis < 2; axis++) {
        double got[2];
        extent(map, x, y, size, axis, got);
        assert_float_equal((float)got[0], (float)low, 1e-4F);
        assert_float_equal((float)got[1], (float)high, 1e-4F);
    }
}

/* Of a plate of 32 units, an image of which is as wide. */
static void assert_extent_of_world(const struct text_map *map, double x)
{
    double got[2];
    extent(map, x, 64, 32, 0, got);
    assert_float_equal((float)got[0], (float)(x / 32), 1e-3F);
    assert_float_equal((float)got[1], (float)(x / 32 + 1), 1e-3F);
    extent(map, x, 64, 32, 1, got);
    assert_float_equal((float)got[0], -3, 1e-3F);
    assert_float_equal((float)got[1], -2, 1e-3F);
}

static void assert_plates_show_their_image_once(const char *shader, const int *x, int count)
{
    struct text_map map;
    put_room(&map);
    for (int i = 0; i < count; i++)
        put_plate(&map, x[i], 64, shader);
    compile(&map);
    for (int i = 0; i < count; i++)
        assert_extent(&map, x[i], 64, 32, 0, 1);
    text_map_free(&map);
}

/* Each pad shows its image once, wherever it lies, and beside another too. */
static void pads_show_their_image(void **state)
{
    (void)state;
    assert_plates_show_their_image_once("test/pad", (const int[]){8256, 8384, 8416}, 3);
}

static void images_turn_about_the_middle_of_their_surface(void **state)
{
    (void)state;
    assert_plates_show_their_image_once("test/rotor", (const int[]){8256, 8384}, 2);
}

static void merged_faces_move_together(void **state)
{
    (void)state;
    struct text_map map;
    double got[2];
    put_room(&map);
    for (int i = 0; i < 4; i++)
        put_plate(&map, 8256 + 32 * i, 64, "test/wall");
    compile(&map);
    int count;
    assert_float_equal(q3_area(&map, 0, "test/wall", &count),
                       4 * 32.0F * 32 + 1024 * 512 + 2 * 128 * (1024 + 512), 1);
    assert_int_equal(count, 6); /* four walls, the roof and the plates */
    extent(&map, 8256, 64, 128, 0, got);
    assert_float_equal((float)got[0], -2.0F, 1e-4F);
    assert_float_equal((float)got[1], 2.0F, 1e-4F);
    text_map_free(&map);
}

static void global_textures_stay(void **state)
{
    (void)state;
    struct text_map map;
    double got[2];
    put_room(&map);
    put_plate(&map, 8256, 64, "test/global");
    compile(&map);
    extent(&map, 8256, 64, 32, 0, got);
    assert_float_equal((float)got[0], 8256.0F / 32, 1e-3F);
    text_map_free(&map);
}

static void coordinates_come_from_positions(void **state)
{
    (void)state;
    struct text_map map;
    double got[2];
    put_room(&map);
    put_plate(&map, 8256, 64, "test/ivector");
    put_plate(&map, 8384, 64, "test/moved");
    compile(&map);
    extent(&map, 8256, 64, 32, 0, got);
    assert_float_equal((float)got[0], 0.25F, 1e-4F);
    assert_float_equal((float)got[1], 0.375F, 1e-4F);
    extent(&map, 8256, 64, 32, 1, got); /* -0.5 to -0.75, moved by 1 */
    assert_float_equal((float)got[0], 0.25F, 1e-4F);
    assert_float_equal((float)got[1], 0.5F, 1e-4F);
    /* A quarter turn: s is -y / 32 + 0.25, t is x / 16 + 0.5. */
    const struct bsp_surface *moved = q3_surface_at(&map, vec3(8390, 70, 1), vec3(0, 0, 1));
    for (int i = 0; i < moved->vertex_count; i++) {
        const struct bsp_draw_vertex *v = &map.bsp->draw_vertices[moved->first_vertex + i];
        double s = -(double)v->p[1] / 32 + 0.25, t = (double)v->p[0] / 16 + 0.5;
        assert_float_equal((float)(s - (double)v->texture[0]), -3.0F, 1e-4F);
        assert_float_equal((float)(t - (double)v->texture[1]), 525.0F, 1e-4F);
    }
    text_map_free(&map);
}

static const uint8_t *colour_at(const struct text_map *map, double x, double y)
{
    const struct bsp_surface *surface = q3_surface_at(map, vec3(x + 1, y + 1, 1), vec3(0, 0, 1));
    assert_non_null(surface);
    return map->bsp->draw_vertices[surface->first_vertex].colour;
}

static void alpha_follows_normals_and_volumes(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    put_plate(&map, 8256, 64, "test/dot");
    put_plate(&map, 8320, 64, "test/dot2");
    put_plate(&map, 8384, 64, "test/part");
    put_plate(&map, 8448, 64, "test/global");
    q3_map_detail_box(&map, vec3(8440, 50, 0), vec3(8500, 110, 32), "test/half");
    compile(&map);
    assert_int_equal(colour_at(&map, 8256, 64)[3], 178); /* 255 * 0.7 */
    const uint8_t *both = colour_at(&map, 8320, 64);
    assert_int_equal(both[3], 115); /* 255 * 0.95 * 0.95 / 2 */
    assert_true(both[0] == 255 && both[1] == 127 && both[2] == 0);
    assert_int_equal(colour_at(&map, 8384, 64)[3], 127); /* midway from 0.5 to 1 */
    assert_int_equal(colour_at(&map, 8448, 64)[3], 127);
    assert_int_equal(colour_at(&map, 8448, 64)[0], 255);
    /* The volume is no brush of the map. */
    assert_int_equal(arrlen(map.bsp->brushes), 6 + 4);
    text_map_free(&map);
}

/* A shell: the clone faces inwards and is 2 units outside. */
static void clones_are_inverted_and_moved_out(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    put_plate(&map, 8256, 64, "test/drawn");
    compile(&map);
    assert_non_null(q3_surface_at(&map, vec3(8270, 80, 1), vec3(0, 0, 1)));
    const struct bsp_surface *shell = q3_surface_at(&map, vec3(8270, 80, 3), vec3(0, 0, -1));
    assert_non_null(shell);
    assert_string_equal(q3_shader_name(&map, shell), "textures/test/shell");
    text_map_free(&map);
}

static void patches_are_moved_too(void **state)
{
    (void)state;
    struct text_map map;
    put_room(&map);
    bytes_append_text(&map.text, "{\npatchDef2\n{\ntest/vertex\n( 3 3 0 0 0 )\n(\n");
    for (int i = 0; i < 3; i++)
        bytes_append_text(
            &map.text, "( ( %d 64 16 %g 9 ) ( %d 96 16 %g 9.5 ) ( %d 128 16 %g 10 ) )\n",
            8256 + 32 * i, -7 + i * 0.5, 8256 + 32 * i, -7 + i * 0.5, 8256 + 32 * i, -7 + i * 0.5);
    bytes_append_text(&map.text, ")\n}\n}\n");
    compile(&map);
    const struct bsp_surface *patch = NULL;
    for (int i = 0; i < (int)arrlen(map.bsp->surfaces) && !patch; i++)
        if (map.bsp->surfaces[i].type == SURFACE_PATCH)
            patch = &map.bsp->surfaces[i];
    assert_non_null(patch);
    for (int i = 0; i < patch->vertex_count; i++) {
        const struct bsp_draw_vertex *v = &map.bsp->draw_vertices[patch->first_vertex + i];
        for (int k = 0; k < 2; k++)
            assert_in_range((int)((double)v->texture[k] * 2 + 0.01), 0, 2);
    }
    text_map_free(&map);
}

/* A plate whose top has the axes of Valve's form. */
static void put_axes(struct text_map *map, double x, const char *shader, const char *u,
                     const char *v)
{
    const struct vec3 low = vec3(x, 64, 0), high = vec3(x + 32, 96, 1);
    bytes_append_text(&map->text, "{\n");
    for (int side = 0; side < Q3_TOP; side++)
        q3_map_side(map, low, high, side, CAULK);
    bytes_append_text(
        &map->text, "( %g 96 1 ) ( %g 96 1 ) ( %g 97 1 ) %s [ %s 0 ] [ %s 0 ] 0 0.5 0.5 0 0 0\n}\n",
        x + 33, x + 32, x + 32, shader, u, v);
}

/* The coordinates that are written are those of the message; sound ones stay. */
static void axes_without_extent_are_those_of_the_world(void **state)
{
    (void)state;
    static const struct {
        const char *u, *v;
        int told;
    } cases[] = {{"0 0 0", "0 0 0", 1},
                 {"1 0 0", "1 0 0", 1},
                 {"1 0 0", "0 0 1", 1},
                 {"1 0 0", "0 -1 0", 0},
                 {"0.0000001 0 0", "0 -1 0", 0}};
    static const char *const shaders[] = {"test/global", "test/pad", CAULK};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            struct text_map map;
            put_room(&map);
            put_axes(&map, 8256, shaders[k], cases[i].u, cases[i].v);
            compile(&map);
            assert_int_equal(diag_count_code(map.diag, DIAG_SIDE_AXES), k < 2 ? cases[i].told : 0);
            if (k == 0 && i < 4)
                assert_extent_of_world(&map, 8256);
            text_map_free(&map);
        }
}

/* The engine turns four vertices at a time: other shapes are told, and are no part of the others.
 */
static void sprites_without_four_corners_are_apart(void **state)
{
    (void)state;
    for (int odd = 0; odd < 2; odd++) {
        struct text_map map;
        int count = 0;
        put_room(&map);
        put_plate(&map, 8256, 64, "test/sprite");
        put_plate(&map, 8320, 64, "test/sprite");
        if (odd)
            bytes_append_text(
                &map.text,
                "{\n( 8400 64 1 ) ( 8384 64 1 ) ( 8384 80 1 ) test/sprite 0 0 0 1 1 0 0 0\n"
                "( 8384 64 0 ) ( 8400 64 0 ) ( 8384 80 0 ) " CAULK " 0 0 0 1 1 0 0 0\n"
                "( 8384 64 0 ) ( 8384 80 0 ) ( 8384 64 1 ) " CAULK " 0 0 0 1 1 0 0 0\n"
                "( 8400 64 0 ) ( 8384 64 0 ) ( 8400 64 1 ) " CAULK " 0 0 0 1 1 0 0 0\n"
                "( 8384 80 0 ) ( 8400 64 0 ) ( 8384 80 1 ) " CAULK " 0 0 0 1 1 0 0 0\n}\n");
        compile(&map);
        assert_int_equal(diag_count_code(map.diag, DIAG_SPRITE_SHAPE), odd);
        (void)q3_area(&map, 0, "test/sprite", &count);
        assert_int_equal(count, 1 + odd);
        text_map_free(&map);
    }
}

SUITE(test_q3_textures)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pads_show_their_image),
        cmocka_unit_test(images_turn_about_the_middle_of_their_surface),
        cmocka_unit_test(merged_faces_move_together),
        cmocka_unit_test(global_textures_stay),
        cmocka_unit_test(patches_are_moved_too),
        cmocka_unit_test(coordinates_come_from_positions),
        cmocka_unit_test(alpha_follows_normals_and_volumes),
        cmocka_unit_test(clones_are_inverted_and_moved_out),
        cmocka_unit_test(axes_without_extent_are_those_of_the_world),
        cmocka_unit_test(sprites_without_four_corners_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
