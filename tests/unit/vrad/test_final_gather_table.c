/* Tables of directions: even, by sixteenths, and unbiased. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "vrad/bounce/final_gather.h"

static void means(const struct gather_table *table, double mean[3])
{
    int count = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (int i = 0; i < table->rays * table->variants; i++) {
        for (int k = 0; k < 3; k++)
            mean[k] += (double)table->set[i].direction[k];
        count++;
    }
    for (int k = 0; k < 3; k++)
        mean[k] /= count;
}

static void directions_are_units(void **state)
{
    const enum gather_kind kinds[] = {GATHER_PLAIN, GATHER_BUMPED, GATHER_SPHERE};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct gather_table table;
        gather_table_init(&table, 64, kinds[kind]);
        assert_int_equal(table.rays, 64);
        for (int i = 0; i < table.rays * table.variants; i++) {
            const float *d = table.set[i].direction;
            assert_near(sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 1, 1e-5);
            assert_true(kinds[kind] == GATHER_SPHERE || d[2] >= 0);
            assert_true(fabsf(table.set[i].jitter[0]) <= 0.5f);
        }
        gather_table_free(&table);
    }
}

/* The mean height of cosine-weighted directions is 2/3, of uniform ones on a hemisphere 1/2. */
static void heights_are_right(void **state)
{
    static const struct {
        enum gather_kind kind;
        double height;
    } cases[] = {{GATHER_PLAIN, 2.0 / 3}, {GATHER_BUMPED, 7.0 / 12}, {GATHER_SPHERE, 0}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct gather_table table;
        double mean[3];
        gather_table_init(&table, 64, cases[i].kind);
        means(&table, mean);
        assert_near(mean[0], 0, 0.02);
        assert_near(mean[1], 0, 0.02);
        assert_near(mean[2], cases[i].height, 0.02);
        gather_table_free(&table);
    }
}

/* Each part of a plain set covers its own sixteenth of the disk: no two parts of a quarter mix. */
static void parts_follow_each_other(void **state)
{
    struct gather_table table;
    (void)state;
    gather_table_init(&table, 256, GATHER_PLAIN);
    for (int variant = 0; variant < table.variants; variant++) {
        for (int part = 0; part < GATHER_PARTS; part++) {
            const struct gather_ray *rays =
                table.set + variant * table.rays + part * table.rays / GATHER_PARTS;
            double low[2] = {2, 2}, high[2] = {-2, -2};
            for (int i = 0; i < table.rays / GATHER_PARTS; i++)
                for (int k = 0; k < 2; k++) {
                    low[k] = fmin(low[k], (double)rays[i].direction[k]);
                    high[k] = fmax(high[k], (double)rays[i].direction[k]);
                }
            /* A sixteenth of the disk is nowhere wider than half of it. */
            assert_true(high[0] - low[0] < 1 && high[1] - low[1] < 1);
        }
    }
    gather_table_free(&table);
}

/* Ray i of 64 lies in the same sixty-fourth of the disk in all sets. */
static void sets_run_alike(void **state)
{
    struct gather_table table;
    (void)state;
    gather_table_init(&table, 64, GATHER_PLAIN);
    for (int ray = 0; ray < table.rays; ray++) {
        double low[2] = {2, 2}, high[2] = {-2, -2};
        for (int variant = 0; variant < table.variants; variant++)
            for (int k = 0; k < 2; k++) {
                double place = (double)table.set[variant * table.rays + ray].direction[k];
                low[k] = fmin(low[k], place);
                high[k] = fmax(high[k], place);
            }
        assert_true(high[0] - low[0] < 0.5 && high[1] - low[1] < 0.5);
    }
    gather_table_free(&table);
}

SUITE(test_final_gather_table)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_units),
        cmocka_unit_test(heights_are_right),
        cmocka_unit_test(parts_follow_each_other),
        cmocka_unit_test(sets_run_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
