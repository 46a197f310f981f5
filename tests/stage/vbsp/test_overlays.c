/* Overlays: compiled in memory; their faces and records. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/water_overlay_records.h"
#include "common/diag/codes/overlays.def"
#include "tests/support/vbsp/compiled_map.h"
#include "tests/support/vbsp/text_map.h"

#define BASIS "BasisU \"1 0 0\" BasisV \"0 1 0\" BasisNormal \"0 0 1\" "
#define SMALL "uv0 \"-8 -8 0\" uv1 \"-8 8 0\" uv2 \"8 8 0\" uv3 \"8 -8 0\" "

/* A block on the floor; the id of its top. */
static int put_block(struct text_map *map, struct vec3 low, struct vec3 high)
{
    int first = map->ids;
    text_map_box(map, low, high, "wall");
    return first + 2;
}

static void put_overlay(struct text_map *map, const char *classname, const char *keys)
{
    text_map_entity(map, classname, keys);
}

static bool lists(const int32_t *faces, int count, int face)
{
    for (int i = 0; i < count; i++)
        if (faces[i] == face)
            return true;
    return false;
}

static bool entities_have(const struct text_map *map, const char *text)
{
    const char *all = map->bsp->entities;
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= arrlenu(all); i++)
        if (memcmp(all + i, text, length) == 0)
            return true;
    return false;
}

static void test_record(void **state)
{
    (void)state;
    struct text_map map;
    char keys[512];
    text_map_start_room(&map, vec3(512, 512, 128));
    int west = put_block(&map, vec3(64, 64, 0), vec3(128, 128, 8));
    int east = put_block(&map, vec3(144, 64, 0), vec3(192, 128, 8));
    snprintf(keys, sizeof keys,
             "material dev/red sides \"%d %d\" BasisOrigin \"136 96 8\" BasisU \"0 1 0\" "
             "BasisV \"1 0 0\" BasisNormal \"0 0 1\" " SMALL
             "StartU 0.25 EndU 0.75 StartV 1 EndV 0 RenderOrder 2 fademindist 200 fademaxdist 600",
             west, east);
    put_overlay(&map, "info_overlay", keys);
    text_map_finish(&map, "20 20 96");
    assert_int_equal(arrlen(map.bsp->overlays), 1);
    const struct bsp_overlay *overlay = &map.bsp->overlays[0];
    assert_int_equal(overlay->face_count, 2);
    struct vec3 up = vec3(0, 0, 1);
    assert_true(lists(overlay->faces, 2, text_map_face_at(&map, vec3(100, 100, 8), up)));
    assert_true(lists(overlay->faces, 2, text_map_face_at(&map, vec3(170, 100, 8), up)));
    assert_int_equal(overlay->render_order, 2);
    assert_true(overlay->u[0] == 0.25f && overlay->u[1] == 0.75f);
    assert_true(overlay->v[0] == 1.0f && overlay->v[1] == 0.0f);
    /* The unused fields hold the u axis, and that v = -(normal x u). */
    assert_true(overlay->corners[0][2] == 0 && overlay->corners[1][2] == 1);
    assert_true(overlay->corners[2][2] == 0 && overlay->corners[3][2] == 1);
    assert_true(overlay->corners[2][0] == 8 && overlay->corners[3][1] == -8);
    assert_true(overlay->origin[0] == 136 && overlay->normal[2] == 1);
    assert_true(bsp_rare(map.bsp)->overlay_fades[0].min_squared == 40000);
    assert_true(bsp_rare(map.bsp)->overlay_fades[0].max_squared == 360000);
    assert_string_equal(bsp_texinfo_name(map.bsp, overlay->texinfo), "dev/red");
    assert_true(map.bsp->texinfo[overlay->texinfo].texture[1][3] == -99999.0f);
    assert_false(entities_have(&map, "overlay"));
    text_map_free(&map);
}

/* Compiles a room with an overlay on a block. */
static void compile_overlay(struct text_map *map, const char *more)
{
    char keys[512];
    text_map_start_room(map, vec3(512, 512, 128));
    int top = put_block(map, vec3(64, 64, 0), vec3(128, 128, 8));
    snprintf(keys, sizeof keys,
             "material dev/red sides %d BasisOrigin \"96 96 8\" BasisU \"1 0 0\" "
             "BasisNormal \"0 0 1\" " SMALL "%s",
             top, more);
    put_overlay(map, "info_overlay", keys);
    text_map_finish(map, "20 20 96");
}

static void test_mirrored_v(void **state)
{
    (void)state;
    struct text_map map;
    compile_overlay(&map, "BasisV \"0 -1 0\" fademindist -1");
    assert_true(map.bsp->overlays[0].corners[3][2] == 1);
    assert_true(bsp_rare(map.bsp)->overlay_fades[0].min_squared == -1);
    assert_true(bsp_rare(map.bsp)->overlay_fades[0].max_squared == 0);
    text_map_free(&map);
}

static void test_no_fade(void **state)
{
    (void)state;
    struct text_map map;
    compile_overlay(&map, "BasisV \"0 1 0\"");
    assert_true(bsp_rare(map.bsp)->overlay_fades[0].min_squared == 0);
    assert_true(bsp_rare(map.bsp)->overlay_fades[0].max_squared == 0);
    text_map_free(&map);
}

/* Two sides that would be one face are not merged when an overlay names one of them. */
static void test_overlay_parts_faces(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        struct text_map map;
        char keys[512];
        text_map_start_room(&map, vec3(512, 512, 128));
        int west = put_block(&map, vec3(64, 64, 0), vec3(128, 128, 8));
        put_block(&map, vec3(128, 64, 0), vec3(192, 128, 8));
        snprintf(keys, sizeof keys,
                 "material dev/red sides %d BasisOrigin \"96 96 8\" " BASIS SMALL, west);
        if (with)
            put_overlay(&map, "info_overlay", keys);
        text_map_finish(&map, "20 20 96");
        struct vec3 up = vec3(0, 0, 1);
        int a = text_map_face_at(&map, vec3(100, 100, 8), up);
        int b = text_map_face_at(&map, vec3(170, 100, 8), up);
        assert_int_equal(a == b, !with);
        if (with) {
            assert_int_equal(map.bsp->overlays[0].face_count, 1);
            assert_int_equal(map.bsp->overlays[0].faces[0], a);
        }
        text_map_free(&map);
    }
}

static void test_name_keeps_an_accessor(void **state)
{
    (void)state;
    struct text_map map;
    char keys[512];
    text_map_start_room(&map, vec3(512, 512, 128));
    int top = put_block(&map, vec3(64, 64, 0), vec3(128, 128, 8));
    for (int i = 0; i < 2; i++) {
        snprintf(keys, sizeof keys,
                 "%s material dev/red sides %d BasisOrigin \"96 96 8\" " BASIS SMALL,
                 i ? "targetname sign" : "", top);
        put_overlay(&map, "info_overlay", keys);
    }
    text_map_finish(&map, "20 20 96");
    assert_int_equal(arrlen(map.bsp->overlays), 2);
    assert_int_equal(map.bsp->overlays[1].id, 1);
    assert_true(entities_have(&map, "\"classname\" \"info_overlay_accessor\""));
    assert_true(entities_have(&map, "\"OverlayID\" \"1\""));
    assert_false(entities_have(&map, "\"OverlayID\" \"0\""));
    text_map_free(&map);
}

static void test_sides_that_are_not_drawn(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_overlay(&map, "info_overlay",
                "material dev/red sides \"9999 0 x\" BasisOrigin \"96 96 8\" " BASIS SMALL);
    text_map_finish(&map, "20 20 96");
    assert_int_equal(map.bsp->overlays[0].face_count, 0);
    assert_int_equal(diag_count_code(map.diag, DIAG_OVERLAY_SIDES), 1);
    text_map_free(&map);
}

static void test_broken_keys(void **state)
{
    static const char *const broken[] = {
        "sides 3 BasisOrigin \"96 96 8\" " BASIS SMALL,
        "material dev/red sides 3 BasisOrigin \"96 96 8\" " SMALL,
        "material dev/red sides 3 BasisOrigin \"96 96 8\" " BASIS,
        "material dev/red sides 3 BasisOrigin \"1e30 96 8\" " BASIS SMALL,
        "material dev/red sides 3 BasisOrigin \"0 0 0\" BasisU \"0 0 0\" BasisV \"0 1 0\" "
        "BasisNormal \"0 0 1\" " SMALL,
    };
    enum { COUNT = sizeof broken / sizeof *broken };
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    for (int i = 0; i < COUNT; i++)
        put_overlay(&map, "info_overlay", broken[i]);
    text_map_finish(&map, "20 20 96");
    assert_int_equal(arrlen(map.bsp->overlays), 0);
    assert_int_equal(diag_count_code(map.diag, DIAG_OVERLAY_KEYS), COUNT);
    text_map_free(&map);
}

/* The floor is cut into hundreds of faces for its lightmaps. */
static void put_fine_floor(struct text_map *map, const char *corners)
{
    char keys[512];
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(512, 512, 128));
    map->luxel = 1;
    int top = put_block(map, vec3(0, 0, 0), vec3(512, 512, 8));
    map->luxel = 16;
    snprintf(keys, sizeof keys, "material dev/red sides %d BasisOrigin \"256 256 8\" " BASIS "%s",
             top, corners);
    put_overlay(map, "info_overlay", keys);
    text_map_finish(map, "20 20 96");
}

static void test_small_one_on_many_faces(void **state)
{
    (void)state;
    struct text_map map;
    put_fine_floor(&map, SMALL);
    assert_int_equal(diag_count_code(map.diag, DIAG_OVERLAY_FACES), 0);
    const struct bsp_overlay *overlay = &map.bsp->overlays[0];
    assert_in_range(overlay->face_count, 1, 9);
    for (int i = -1; i <= 1; i++) {
        int face = text_map_face_at(&map, vec3(256.5 + i * 7, 256.5 - i * 7, 8), vec3(0, 0, 1));
        assert_true(lists(overlay->faces, overlay->face_count, face));
    }
    text_map_free(&map);
}

static void test_too_many_faces(void **state)
{
    (void)state;
    struct text_map map;
    put_fine_floor(&map, "uv0 \"-250 -250 0\" uv1 \"-250 250 0\" uv2 \"250 250 0\" "
                         "uv3 \"250 -250 0\"");
    assert_int_equal(diag_count_code(map.diag, DIAG_OVERLAY_FACES), 1);
    assert_int_equal(map.bsp->overlays[0].face_count, OVERLAY_FACES);
    text_map_free(&map);
}

static void test_transition_is_a_water_overlay(void **state)
{
    (void)state;
    struct text_map map;
    char keys[768];
    text_map_start_room(&map, vec3(512, 512, 128));
    int top = put_block(&map, vec3(64, 64, 0), vec3(128, 128, 8));
    snprintf(keys, sizeof keys,
             "material dev/red sides %d overlaytransition { Width 3 overlaydata { "
             "material dev/green sides %d BasisOrigin \"96 96 8\" " BASIS SMALL "} "
             "overlaydata { material dev/green sides %d BasisOrigin \"100 96 8\" " BASIS SMALL
             "} }",
             top, top, top);
    put_overlay(&map, "info_overlay_transition", keys);
    text_map_finish(&map, "20 20 96");
    assert_int_equal(arrlen(map.bsp->overlays), 0);
    assert_int_equal(arrlen(map.bsp->water_overlays), 2);
    const struct bsp_water_overlay *overlay = &map.bsp->water_overlays[1];
    assert_int_equal(overlay->id, 514);
    assert_true(overlay->origin[0] == 100 && overlay->corners[2][1] == 8);
    assert_int_equal(overlay->face_count, 1);
    assert_int_equal(overlay->faces[0], text_map_face_at(&map, vec3(100, 100, 8), vec3(0, 0, 1)));
    assert_string_equal(bsp_texinfo_name(map.bsp, overlay->texinfo), "dev/green");
    text_map_free(&map);
}

static void test_no_dynamic_shadow(void **state)
{
    (void)state;
    struct text_map map;
    char keys[64];
    text_map_start_room(&map, vec3(512, 512, 128));
    int top = put_block(&map, vec3(64, 64, 0), vec3(128, 128, 8));
    snprintf(keys, sizeof keys, "origin \"96 96 32\" sides \"%d\"", top);
    put_overlay(&map, "info_no_dynamic_shadow", keys);
    text_map_finish(&map, "20 20 96");
    int count = 0;
    for (size_t i = 0; i < arrlenu(map.bsp->faces); i++)
        count += map.bsp->faces[i].no_dynamic_shadows;
    assert_int_equal(count, 1);
    int face = text_map_face_at(&map, vec3(100, 100, 8), vec3(0, 0, 1));
    assert_true(map.bsp->faces[face].no_dynamic_shadows);
    assert_false(entities_have(&map, "info_no_dynamic_shadow"));
    text_map_free(&map);
}

static void test_map_of_a_file(void **state)
{
    (void)state;
    struct compiled map;
    compiled_open(&map, "overlays.vmf", NULL);
    assert_int_equal(map.status, STATUS_OK);
    assert_int_equal(bsp_verify(map.out.bsp, "map", map.diag), STATUS_OK);
    const struct bsp *bsp = map.out.bsp;
    assert_int_equal(arrlen(bsp->overlays), 2);
    assert_int_equal(bsp->overlays[0].face_count, 2);
    assert_int_equal(bsp->overlays[1].face_count, 1);
    assert_int_equal(arrlen(bsp->water_overlays), 1);
    assert_int_equal(bsp->water_overlays[0].face_count, 2);
    int unshadowed = 0;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        unshadowed += bsp->faces[i].no_dynamic_shadows;
    assert_int_equal(unshadowed, 2);
    compiled_free(&map);
}

SUITE(test_overlays)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_mirrored_v),
        cmocka_unit_test(test_no_fade),
        cmocka_unit_test(test_overlay_parts_faces),
        cmocka_unit_test(test_name_keeps_an_accessor),
        cmocka_unit_test(test_sides_that_are_not_drawn),
        cmocka_unit_test(test_broken_keys),
        cmocka_unit_test(test_small_one_on_many_faces),
        cmocka_unit_test(test_too_many_faces),
        cmocka_unit_test(test_transition_is_a_water_overlay),
        cmocka_unit_test(test_no_dynamic_shadow),
        cmocka_unit_test(test_map_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
