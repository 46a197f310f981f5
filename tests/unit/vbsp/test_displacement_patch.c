/* Displacements of a VMF that is compiled for Quake 3: curves through all of their vertices. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/diag/codes/quake3_levels.def"
#include "tests/support/near.h"
#include "vbsp/level/adapt/adapt.h"

enum { MAX = 17 };

/* How high vertex (row, column) lies. */
static double height(int row, int column)
{
    return (double)((row * 7 + column * 13) % 11) * 3;
}

static void put_rows(struct bytes *text, const char *name, int count, const char *what)
{
    bytes_append_text(text, "%s\n{\n", name);
    for (int row = 0; row < count; row++) {
        bytes_append_text(text, "\"row%d\" \"", row);
        for (int column = 0; column < count; column++) {
            if (what)
                bytes_append_text(text, "%s ", what);
            else
                bytes_append_text(text, "%g ", height(row, column));
        }
        bytes_append_text(text, "\"\n");
    }
    bytes_append_text(text, "}\n");
}

/* A block of 128 x 128 x 64 units, whose top from 0 0 64 on is a displacement; `start` is a corner
 * of it. */
static void put_block(struct bytes *text, int power, const char *start)
{
    static const char *const planes[] = {
        "(0 128 64) (128 128 64) (128 0 64)", "(0 0 0) (128 0 0) (128 128 0)",
        "(0 128 64) (0 0 64) (0 0 0)",        "(128 128 0) (128 0 0) (128 0 64)",
        "(128 128 64) (0 128 64) (0 128 0)",  "(128 0 0) (0 0 0) (0 0 64)"};
    int count = (1 << power) + 1;
    bytes_append_text(text, "solid\n{\n\"id\" \"9\"\n");
    for (int i = 0; i < 6; i++) {
        bytes_append_text(
            text,
            "side\n{\n\"id\" \"%d\"\n\"plane\" \"%s\"\n\"material\" \"NATURE/GRASS\"\n"
            "\"uaxis\" \"[1 0 0 8] 0.25\"\n\"vaxis\" \"[0 -1 0 0] 0.5\"\n",
            i + 20, planes[i]);
        if (i == 0) {
            bytes_append_text(text, "dispinfo\n{\n\"power\" \"%d\"\n\"startposition\" \"%s\"\n",
                              power, start);
            put_rows(text, "normals", count, "0 0 1");
            put_rows(text, "distances", count, NULL);
            bytes_append_text(text, "}\n");
        }
        bytes_append_text(text, "}\n");
    }
    bytes_append_text(text, "}\n");
}

struct changed {
    struct diag *diag;
    struct level map;
};

static struct changed changed_block(int power, const char *start)
{
    struct changed out = {.diag = diag_new(NULL, NULL)};
    struct bytes text = {0};
    bytes_append_text(&text, "world\n{\n\"id\" \"1\"\n\"classname\" \"worldspawn\"\n");
    put_block(&text, power, start);
    bytes_append_text(&text, "}\n");
    assert_int_equal(vmf_parse((const char *)text.data, text.size, "m.vmf", out.diag, &out.map),
                     STATUS_OK);
    bytes_free(&text);
    adapt_to_quake3(&out.map, out.diag);
    return out;
}

static void free_changed(struct changed *changed)
{
    level_free(&changed->map);
    diag_free(changed->diag);
}

/* The point of the curve at a vertex: rows and columns of odd number lie halfway along a piece. */
static struct map_patch_point at_vertex(const struct map_patch *patch, int row, int column)
{
    struct map_patch_point sum = {.p = vec3(0, 0, 0)};
    for (int r = -1; r <= 1; r++)
        for (int c = -1; c <= 1; c++) {
            double weight =
                (row % 2 ? (r ? 0.25 : 0.5) : !r) * (column % 2 ? (c ? 0.25 : 0.5) : !c);
            if (!(weight > 0))
                continue;
            const struct map_patch_point *point =
                &patch->points[(row + r) * patch->columns + column + c];
            sum.p = vec3_mad(sum.p, point->p, weight);
            for (int k = 0; k < 2; k++)
                sum.texture[k] += weight * point->texture[k];
        }
    return sum;
}

static void test_curves_run_through_vertices(void **state)
{
    (void)state;
    for (int power = 2; power <= 4; power++) {
        struct changed changed = changed_block(power, "[0 0 64]");
        const struct map_entity *world = &changed.map.entities[0];
        int pieces = 1 << (power - 2), steps = 1 << power, met = 0;
        bool seen[MAX][MAX] = {{false}};
        assert_int_equal(arrlen(world->solids), 0);
        assert_int_equal(arrlen(world->patches), pieces * pieces);
        assert_int_equal(diag_count_code(changed.diag, DIAG_Q3_DISPLACEMENTS), 0);
        for (int i = 0; i < pieces * pieces; i++) {
            const struct map_patch *patch = &world->patches[i];
            assert_int_equal(patch->columns, 5);
            assert_int_equal(patch->rows, 5);
            assert_int_equal(patch->id, 9);
            assert_true(patch->mapped_in_texels);
            assert_string_equal(patch->material, "textures/NATURE/GRASS");
            for (int k = 0; k < 25; k++) {
                struct map_patch_point point = at_vertex(patch, k / 5, k % 5);
                /* The outline is clockwise from above: rows run along y, columns along x. */
                int row = (int)lround(point.p.y * steps / 128);
                int column = (int)lround(point.p.x * steps / 128);
                assert_near(point.p.z, 64 + height(row, column), 1e-9);
                assert_near(point.texture[0], point.p.x / 0.25 + 8, 1e-9);
                assert_near(point.texture[1], -point.p.y / 0.5, 1e-9);
                met += !seen[row][column];
                seen[row][column] = true;
            }
        }
        assert_int_equal(met, (steps + 1) * (steps + 1));
        free_changed(&changed);
    }
}

/* Wherever it starts, it looks up: along its columns, then its rows, turns left. */
static void test_it_looks_as_its_side(void **state)
{
    (void)state;
    static const char *const starts[] = {"[0 0 64]", "[128 0 64]", "[128 128 64]", "[0 128 64]"};
    for (int i = 0; i < 4; i++) {
        struct changed changed = changed_block(2, starts[i]);
        const struct map_patch *patch = &changed.map.entities[0].patches[0];
        struct vec3 along = vec3_sub(patch->points[4].p, patch->points[0].p);
        struct vec3 across = vec3_sub(patch->points[20].p, patch->points[0].p);
        assert_true(vec3_cross(along, across).z > 1000);
        free_changed(&changed);
    }
}

static void test_nonsense_stays_flat(void **state)
{
    (void)state;
    struct changed changed = changed_block(1, "[0 0 64]");
    assert_int_equal(arrlen(changed.map.entities[0].patches), 0);
    assert_int_equal(arrlen(changed.map.entities[0].solids), 1);
    assert_null(changed.map.entities[0].solids[0].sides[0].displacement);
    assert_int_equal(diag_count_code(changed.diag, DIAG_Q3_DISPLACEMENTS), 1);
    free_changed(&changed);
}

SUITE(test_displacement_patch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves_run_through_vertices),
        cmocka_unit_test(test_it_looks_as_its_side),
        cmocka_unit_test(test_nonsense_stays_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
