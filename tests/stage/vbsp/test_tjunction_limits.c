/* Points of T-junctions give way where a map would pass a limit by them. */
#include "tests/support/suite.h"

#include <stdlib.h>

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/diag/codes/bsp_limits.def"
#include "common/diag/codes/level_changes.def"
#include "tests/support/near.h"
#include "tests/support/vbsp/text_map.h"
#include "tests/support/vbsp/tight_format.h"

/* Columns of many heights that touch, and a beam that crosses in front of them. */
static void put_columns(struct text_map *map, const struct bsp_format *format, int columns)
{
    text_map_init(map);
    map->options.format = format;
    text_map_room(map, vec3(0, 0, 0), vec3(1024, 512, 256));
    text_map_entity(map, "info_player_start", "origin \"64 64 16\"");
    text_map_entity(map, "func_detail", "");
    for (int i = 0; i < columns; i++)
        text_map_box(map, vec3(64 + 16 * i, 256, 0), vec3(80 + 16 * i, 288, 40 + i * 37 % 101),
                     "wall");
    text_map_box(map, vec3(64, 240, 0), vec3(64 + 16 * columns, 256, 16), "wall");
}

static void compile_columns(struct text_map *map, const struct bsp_format *format, bool tjunctions)
{
    put_columns(map, format, 40);
    map->options.no_tjunc = !tjunctions;
    text_map_compile(map, STATUS_OK);
}

static int64_t use_of(const struct bsp *bsp, const char *name)
{
    struct tight plain;
    tight_init(&plain, "sdk2013");
    return tight_use(&plain, bsp, name);
}

static const struct diag_entry *find_report(const struct text_map *map)
{
    for (size_t i = 0; i < diag_entries(map->diag); i++)
        if (diag_entry(map->diag, i)->code == DIAG_TJUNCTIONS_LEFT_OUT)
            return diag_entry(map->diag, i);
    fail_msg("not reported");
    return NULL;
}

static double area_of(const struct bsp *bsp)
{
    double sum = 0;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        for (int k = 2; k < bsp->faces[i].edge_count; k++) {
            const struct bsp_face *face = &bsp->faces[i];
            struct vec3 a = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, 0));
            struct vec3 b = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k - 1));
            struct vec3 c = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k));
            sum += vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 2;
        }
    return sum;
}

static void expect_whole(const struct text_map *map, const struct text_map *whole)
{
    assert_int_equal(bsp_verify(map->out.bsp, "map", map->diag), STATUS_OK);
    assert_int_equal(diag_count(map->diag, DIAG_ERROR), 0);
    assert_int_equal(arrlen(map->out.bsp->faces), arrlen(whole->out.bsp->faces));
    assert_float_equal(area_of(map->out.bsp), area_of(whole->out.bsp), 1e-2);
}

/* Of each kind of record that points add to: with the limit at a few less than the map needs. */
static void points_give_way(void **state)
{
    (void)state;
    static const struct {
        const char *limit;
        int64_t less;
    } cases[] = {{"surfedges", 1},
                 {"surfedges", 40},
                 {"vertex normal indices", 12},
                 {"primitives", 1},
                 {"primitive indices", 20}};
    struct text_map whole, bare;
    struct tight loose;
    tight_init(&loose, "sdk2013");
    compile_columns(&whole, &loose.format, true);
    compile_columns(&bare, &loose.format, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_map map;
        struct tight tight;
        int64_t max = use_of(whole.out.bsp, cases[i].limit) - cases[i].less;
        assert_true(max >= use_of(bare.out.bsp, cases[i].limit));
        tight_init(&tight, "sdk2013");
        tighten(&tight, cases[i].limit, max);
        compile_columns(&map, &tight.format, true);
        assert_in_range(use_of(map.out.bsp, cases[i].limit), 1, max);
        expect_whole(&map, &whole);
        assert_int_equal(diag_count_code(map.diag, DIAG_TJUNCTIONS_LEFT_OUT), 1);
        assert_true(find_report(&map)->where.has_point);
        text_map_free(&map);
    }
    text_map_free(&bare);
    text_map_free(&whole);
}

static int compare_numbers(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

/* The lengths of all edges that a point on them divides, in order; free with arrfree. */
static double *gaps_of(const struct bsp *bsp)
{
    double *gaps = NULL;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        const struct bsp_face *face = &bsp->faces[i];
        int count = face->edge_count;
        for (int k = 0; k < count; k++) {
            struct vec3 before =
                bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, (k + count - 1) % count));
            struct vec3 at = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k));
            struct vec3 after = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, (k + 1) % count));
            double length = vec3_length(vec3_sub(after, before));
            if (vec3_length(vec3_cross(vec3_sub(at, before), vec3_sub(after, at))) < 1e-3 * length)
                arrput(gaps, length);
        }
    }
    assert_true(arrlen(gaps) > 10);
    qsort(gaps, arrlenu(gaps), sizeof *gaps, compare_numbers);
    return gaps;
}

/* As many as are too many, and the shortest gaps. */
static void only_the_least_visible_do(void **state)
{
    (void)state;
    struct text_map whole, map;
    struct tight tight;
    tight_init(&tight, "sdk2013");
    compile_columns(&whole, &tight.format, true);
    int64_t max = use_of(whole.out.bsp, "surfedges") - 7;
    tighten(&tight, "surfedges", max);
    compile_columns(&map, &tight.format, true);
    assert_int_equal(use_of(map.out.bsp, "surfedges"), max);
    assert_non_null(strstr(find_report(&map)->message,
                           "7 points are left out to stay within the limits of sdk2013; the most "
                           "visible gap is "));
    double length = atof(strstr(find_report(&map)->message, "gap is ") + 7);
    double *gaps = gaps_of(whole.out.bsp);
    assert_true(length >= gaps[0] && length <= 1.5 * gaps[6]);
    arrfree(gaps);
    text_map_free(&map);
    text_map_free(&whole);
}

/* Faces on both sides of an edge share it, so that a point makes an edge more only where they do
 * not. */
static void edges_that_are_not_shared_give_way(void **state)
{
    (void)state;
    struct text_map whole, map;
    struct tight tight;
    tight_init(&tight, "sdk2013");
    for (int i = 0; i < 2; i++) {
        struct text_map *now = i ? &map : &whole;
        put_columns(now, &tight.format, 40);
        now->options.no_share = true;
        text_map_compile(now, STATUS_OK);
        if (!i)
            tighten(&tight, "edges", use_of(whole.out.bsp, "edges") - 9);
    }
    assert_int_equal(arrlen(map.out.bsp->edges), arrlen(whole.out.bsp->edges) - 9);
    expect_whole(&map, &whole);
    text_map_free(&map);
    text_map_free(&whole);
}

static void a_map_that_is_too_large_without_them_fails(void **state)
{
    (void)state;
    struct text_map bare, map;
    struct tight tight;
    tight_init(&tight, "sdk2013");
    compile_columns(&bare, &tight.format, false);
    tighten(&tight, "surfedges", use_of(bare.out.bsp, "surfedges") / 2);
    put_columns(&map, &tight.format, 40);
    bytes_append_text(&map.text, "}\n");
    text_map_put(&map, "catalogue.tsv", text_map_catalogue);
    text_map_run(&map,
                 &(struct assets_options){.texdata = (const char *const[]){"catalogue.tsv"},
                                          .texdata_count = 1},
                 vmf_parse, "maps/test.vmf", STATUS_FAILED);
    assert_null(map.out.bsp);
    assert_int_equal(diag_count_code(map.diag, DIAG_BSP_LIMIT), 1);
    text_map_free(&map);
    text_map_free(&bare);
}

static void maps_that_fit_are_left_alone(void **state)
{
    (void)state;
    struct text_map whole, map;
    struct tight tight;
    tight_init(&tight, "sdk2013");
    compile_columns(&whole, &tight.format, true);
    tighten(&tight, "surfedges", use_of(whole.out.bsp, "surfedges"));
    tighten(&tight, "edges", use_of(whole.out.bsp, "edges"));
    compile_columns(&map, &tight.format, true);
    assert_int_equal(diag_count_code(map.diag, DIAG_TJUNCTIONS_LEFT_OUT), 0);
    assert_int_equal(arrlen(map.out.bsp->surfedges), arrlen(whole.out.bsp->surfedges));
    assert_memory_equal(map.out.bsp->surfedges, whole.out.bsp->surfedges,
                        arrlenu(whole.out.bsp->surfedges) * sizeof *whole.out.bsp->surfedges);
    text_map_free(&map);
    text_map_free(&whole);
}

SUITE(test_tjunction_limits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_give_way),
        cmocka_unit_test(edges_that_are_not_shared_give_way),
        cmocka_unit_test(only_the_least_visible_do),
        cmocka_unit_test(a_map_that_is_too_large_without_them_fails),
        cmocka_unit_test(maps_that_fit_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
