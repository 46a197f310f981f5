/* The orientation of the portals of a file, with a map of two leaves that touch. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/diag/codes/clusters.def"
#include "common/diag/diag.h"
#include "vvis/graph/tree_portals.h"

/* Of many portals only a sample is tested, unless the sample is inconclusive. */
enum { FEW = 20, MANY = 5000 };

struct fixture {
    struct bsp *bsp;
    struct prt prt;
    struct env env;
};

/* The normal of a portal points into its first cluster: in front of x = 0 that is 0. */
static void setup(struct fixture *fixture, int threads)
{
    *fixture = (struct fixture){.bsp = bsp_new()};
    struct bsp *bsp = fixture->bsp;
    arrput(bsp->planes, ((struct bsp_plane){.normal = {1, 0, 0}}));
    arrput(bsp->nodes, ((struct bsp_node){.children = {-2, -3}}));
    arrput(bsp->models, (struct bsp_model){0});
    for (int i = 0; i < 3; i++)
        arrput(bsp->leaves, ((struct bsp_leaf){.cluster = i - 1}));
    fixture->prt.cluster_count = 2;
    fixture->env = (struct env){.diag = diag_new(NULL, NULL), .threads = threads};
}

static void teardown(struct fixture *fixture)
{
    bsp_free(fixture->bsp);
    prt_free(&fixture->prt);
    diag_free(fixture->env.diag);
}

enum orientation { CORRECT, REVERSED, ELSEWHERE };

static void add(struct fixture *fixture, enum orientation orientation)
{
    double x = orientation == ELSEWHERE ? 64 : 0;
    const struct vec3 points[] = {vec3(x, 0, 0), vec3(x, 0, 8), vec3(x, 8, 8), vec3(x, 8, 0)};
    struct prt_portal portal = {.winding = winding_new(&fixture->prt.arena, 4, points)};
    struct plane plane;
    assert_true(winding_plane(portal.winding, &plane));
    bool front = plane.normal.x > 0;
    portal.clusters[0] = (orientation == REVERSED) != front ? 0 : 1;
    portal.clusters[1] = 1 - portal.clusters[0];
    arrput(fixture->prt.portals, portal);
}

/* Adds portals; of each thousand this many are reversed or elsewhere, spread evenly. */
static void add_all(struct fixture *fixture, int count, int reversed, int elsewhere)
{
    for (int i = 0; i < count; i++) {
        int hash = i * 389 % 1000;
        enum orientation orientation = CORRECT;
        if (hash < reversed)
            orientation = REVERSED;
        else if (hash < reversed + elsewhere)
            orientation = ELSEWHERE;
        add(fixture, orientation);
    }
}

/* `turned`: the clusters of all portals are swapped. */
static void expect(int count, int reversed, int elsewhere, enum status status, bool turned)
{
    for (int threads = 1; threads < 4; threads++) {
        struct fixture before, after;
        setup(&before, threads);
        setup(&after, threads);
        add_all(&before, count, reversed, elsewhere);
        add_all(&after, count, reversed, elsewhere);
        assert_int_equal(portals_orient(&after.env, after.bsp, &after.prt), status);
        assert_int_equal(diag_count_code(after.env.diag, DIAG_VIS_CLUSTERS), status != STATUS_OK);
        for (int i = 0; i < count; i++)
            assert_int_equal(after.prt.portals[i].clusters[0],
                             before.prt.portals[i].clusters[turned]);
        teardown(&before);
        teardown(&after);
    }
}

static void correct_portals_stay(void **state)
{
    (void)state;
    expect(FEW, 0, 0, STATUS_OK, false);
    expect(MANY, 0, 0, STATUS_OK, false);
    expect(MANY, 50, 30, STATUS_OK, false);
    expect(MANY, 300, 100, STATUS_OK, false);
}

static void reversed_portals_are_turned(void **state)
{
    (void)state;
    expect(FEW, 1000, 0, STATUS_OK, true);
    expect(MANY, 1000, 0, STATUS_OK, true);
    expect(MANY, 550, 0, STATUS_OK, true);
    expect(MANY, 550, 100, STATUS_OK, true);
}

static void portals_of_another_map_are_rejected(void **state)
{
    (void)state;
    expect(FEW, 0, 1000, STATUS_FAILED, false);
    expect(MANY, 0, 1000, STATUS_FAILED, false);
    expect(MANY, 100, 520, STATUS_FAILED, false);
}

SUITE(test_vis_orient)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correct_portals_stay),
        cmocka_unit_test(reversed_portals_are_turned),
        cmocka_unit_test(portals_of_another_map_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
