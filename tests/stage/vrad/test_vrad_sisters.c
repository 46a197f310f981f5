/* Lighting of maps for games that have light of styles in their BSP. */
#include "tests/support/suite.h"

#include "common/assets/assets.h"
#include "common/bsp/engine.h"
#include "common/diag/codes/lightmap_pages.def"
#include "tests/support/vrad/quake3_room.h"
#include "vrad/vrad.h"

static const char lights[] = "{\n\"classname\" \"light\"\n\"origin\" \"40 16 40\"\n"
                             "\"light\" \"60\"\n}\n"
                             "{\n\"classname\" \"light\"\n\"origin\" \"-40 16 40\"\n"
                             "\"light\" \"30\"\n\"_color\" \"1 0.5 0.25\"\n\"style\" \"3\"\n}\n";

static struct quake3_room room_of(const char *target, const char *entities)
{
    struct quake3_room room = open_room("", entities);
    const bool of_raven = bsp_format_find(target)->engine->dialect != NULL;
    room.bsp->format = bsp_format_find(target);
    room.bsp->engine = room.bsp->format->engine;
    room.bsp->shaders[2].surface_flags = of_raven ? 0x200000 : Q3_SURFACE_NODRAW;
    return room;
}

/* The luxel of a page below a place of the floor: coordinates of the surface's own luxels. */
static const uint8_t *texel(const struct bsp *bsp, int page, const struct bsp_surface *surface,
                            int s, int t)
{
    const int side = bsp_page_side(bsp);
    assert_true(page >= 0 && (size_t)page < bsp_page_count(bsp));
    return bsp->ldr.lighting.data + (size_t)page * bsp_page_bytes(bsp) +
           3 * (size_t)((surface->lightmap_start[1] + t) * side + surface->lightmap_start[0] + s);
}

static void each_style_has_a_page(void **state)
{
    (void)state;
    static const char *const targets[] = {"ja", "warsow"};
    for (size_t i = 0; i < 2; i++) {
        struct quake3_room room = room_of(targets[i], lights);
        light_room(&room);
        const struct bsp *bsp = room.bsp;
        const struct bsp_surface *floor = &bsp->surfaces[FLOOR];
        assert_int_equal(diag_count_code(room.env.diag, DIAG_STYLE_UNSEEN), 0);
        assert_int_equal(bsp->ldr.lighting.size % bsp_page_bytes(bsp), 0);
        assert_int_equal(floor->light_styles[0], 0);
        assert_int_equal(floor->light_styles[1], 3);
        assert_int_equal(floor->vertex_styles[1], 3);
        assert_int_equal(floor->light_styles[2], BSP_STYLE_NONE);
        assert_int_equal(floor->more_lightmap[1], -3);
        assert_int_not_equal(floor->more_lightmap[0], floor->lightmap);
        assert_int_equal(floor->more_start[0][0], floor->lightmap_start[0]);
        /* Below each light its own page is the brighter one, and the other's colour is there. */
        const int near_plain = 10, near_styled = 5;
        const uint8_t *plain = texel(bsp, floor->lightmap, floor, near_plain, 8);
        const uint8_t *styled = texel(bsp, floor->more_lightmap[0], floor, near_styled, 8);
        assert_true(plain[0] > *texel(bsp, floor->lightmap, floor, near_styled, 8));
        assert_true(*texel(bsp, floor->more_lightmap[0], floor, near_plain, 8) < styled[0]);
        assert_int_equal(plain[0], plain[2]);
        assert_true(styled[0] > styled[1] && styled[1] > styled[2]);
        const struct bsp_draw_vertex *vertex = &bsp->draw_vertices[floor->first_vertex];
        assert_memory_equal(vertex->lightmap, vertex->more_lightmap[0], sizeof vertex->lightmap);
        assert_true(vertex->more_colour[0][0] > vertex->more_colour[0][2]);
        assert_int_equal(vertex->more_colour[1][0], 0);
        close_room(&room);
    }
}

static void without_styles_there_is_one_page(void **state)
{
    (void)state;
    static const char plain[] = "{\n\"classname\" \"light\"\n\"origin\" \"40 16 40\"\n"
                                "\"light\" \"60\"\n}\n";
    struct quake3_room room = room_of("warsow", plain);
    light_room(&room);
    const struct bsp_surface *floor = &room.bsp->surfaces[FLOOR];
    assert_int_equal(floor->light_styles[1], BSP_STYLE_NONE);
    assert_int_equal(floor->vertex_styles[0], 0);
    assert_int_equal(floor->more_lightmap[0], -3);
    for (ptrdiff_t i = 0; i < arrlen(room.bsp->light_grid); i++) {
        assert_int_equal(room.bsp->light_grid[i].styles[0], 0);
        assert_int_equal(room.bsp->light_grid[i].styles[1], BSP_STYLE_NONE);
    }
    close_room(&room);
}

/* Luxels and bytes are those of Quake 3, as far as both have them. */
static void light_of_style_0_is_that_of_quake3(void **state)
{
    (void)state;
    struct quake3_room one = open_room("", lights), other = room_of("ja", lights);
    light_room(&one);
    light_room(&other);
    for (int wall = 0; wall < ROOM_WALLS; wall++) {
        const struct bsp_surface *a = &one.bsp->surfaces[wall], *b = &other.bsp->surfaces[wall];
        assert_memory_equal(a->lightmap_size, b->lightmap_size, sizeof a->lightmap_size);
        for (int t = 0; t < a->lightmap_size[1]; t++)
            assert_memory_equal(luxel(one.bsp, wall, 0, t), luxel(other.bsp, wall, 0, t),
                                3 * (size_t)a->lightmap_size[0]);
    }
    close_room(&one);
    close_room(&other);
}

SUITE(test_vrad_sisters)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_style_has_a_page),
        cmocka_unit_test(without_styles_there_is_one_page),
        cmocka_unit_test(light_of_style_0_is_that_of_quake3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
