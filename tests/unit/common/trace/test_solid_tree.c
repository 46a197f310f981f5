#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/trace/solid_tree.h"
#include "tests/support/near.h"

enum { DEPTH = 8, NODES = (1 << DEPTH) - 1, LEAVES = NODES + 1, PACKETS = 2000 };

struct forest {
    struct leaf_tree_node nodes[NODES];
    int32_t kinds[LEAVES];
    struct solid_tree_box boxes[LEAVES];
    struct leaf_tree from;
    struct solid_tree tree;
};

static double between(uint64_t a, uint64_t b, double low, double high)
{
    return low + random_unit(a, b) * (high - low);
}

/* A full tree of planes, two of three along an axis, and of leaves of all kinds. */
static int set_up(void **state)
{
    struct forest *forest = memory_zalloc(1, sizeof *forest);
    for (int i = 0; i < NODES; i++) {
        struct leaf_tree_node *node = &forest->nodes[i];
        struct vec3 normal = vec3(i / 3 % 3 == 0, i / 3 % 3 == 1, i / 3 % 3 == 2);
        if (i % 3 == 0)
            normal =
                vec3_normalize(vec3(between((uint64_t)i, 0, -1, 1), between((uint64_t)i, 1, -1, 1),
                                    between((uint64_t)i, 2, -1, 1)));
        for (int k = 0; k < 3; k++)
            node->normal[k] = (float)normal.e[k];
        node->dist = (float)floor(between((uint64_t)i, 3, -300, 300));
        for (int k = 0; k < 2; k++) {
            int child = 2 * i + 1 + k;
            node->children[k] = child < NODES ? child : -1 - (child - NODES);
        }
    }
    for (int i = 0; i < LEAVES; i++) {
        uint64_t random = hash_u64((uint64_t)i + 77) % 16;
        forest->kinds[i] = random < 9    ? SOLID_TREE_OPEN
                           : random < 11 ? SOLID_TREE_LOOSE - i
                           : random < 12 ? SOLID_TREE_SKY
                                         : SOLID_TREE_SOLID;
        for (size_t k = 0; k < 3; k++) {
            double middle = between((uint64_t)i, 20 + k, -300, 300);
            double half = between((uint64_t)i, 30 + k, 20, 300);
            forest->boxes[i].mins[k] = (float)(middle - half);
            forest->boxes[i].maxs[k] = (float)(middle + half);
        }
    }
    forest->from = (struct leaf_tree){forest->nodes, 0};
    assert_true(solid_tree_make(&forest->from, NODES, forest->kinds, forest->boxes, &forest->tree));
    *state = forest;
    return 0;
}

static int tear_down(void **state)
{
    struct forest *forest = *state;
    solid_tree_free(&forest->tree);
    memory_free(forest);
    return 0;
}

/* Rays of all lengths; in every fourth packet they start on planes, in every third they run along
 * axes. */
static void random_packet(uint64_t number, struct trace_packet *packet)
{
    for (uint64_t i = 0; i < TRACE_PACKET; i++) {
        uint64_t seed = hash_pair(number, i);
        for (size_t k = 0; k < 3; k++) {
            double origin = between(seed, k, -350, 350), way = between(seed, 3 + k, -1, 1);
            packet->origin[k][i] = (float)(number % 4 ? origin : floor(origin));
            packet->direction[k][i] = (float)(number % 3 || k == seed % 3 ? way : 0);
        }
        packet->near[i] = number % 5 ? 0 : 10;
        packet->far[i] = number % 2 ? INFINITY : (float)between(seed, 6, 0, 600);
    }
}

static int32_t kind_at(const struct forest *forest, struct vec3 point)
{
    return forest->kinds[leaf_tree_at(&forest->from, point)];
}

struct walked {
    bool met, loose;
    double distance;
};

static bool is_in_box(const struct solid_tree_box *box, struct vec3 origin, struct vec3 way,
                      double from, double to)
{
    for (int k = 0; k < 3; k++) {
        double low = ((double)box->mins[k] - origin.e[k]) / way.e[k];
        double high = ((double)box->maxs[k] - origin.e[k]) / way.e[k];
        if (way.e[k] == 0) {
            if (origin.e[k] < (double)box->mins[k] || origin.e[k] > (double)box->maxs[k])
                return false;
            continue;
        }
        from = fmax(from, fmin(low, high));
        to = fmin(to, fmax(low, high));
    }
    return from < to;
}

/* One ray, plane by plane, in double precision. */
static void walk_slowly(const struct forest *forest, int node, struct vec3 origin, struct vec3 way,
                        double from, double to, struct walked *out)
{
    if (from >= to || out->met)
        return;
    if (node < 0) {
        int32_t kind = forest->kinds[-1 - node];
        out->loose |= kind <= SOLID_TREE_LOOSE &&
                      is_in_box(&forest->boxes[SOLID_TREE_LOOSE - kind], origin, way, from, to);
        out->met = kind == SOLID_TREE_SOLID || kind == SOLID_TREE_SKY;
        out->distance = from;
        return;
    }
    const struct leaf_tree_node *at = &forest->nodes[node];
    struct vec3 normal = vec3_from_floats(at->normal);
    double above = vec3_dot(normal, origin) - (double)at->dist, slope = vec3_dot(normal, way);
    double crossing = -above / slope;
    bool behind = above < 0 || (above == 0 && slope < 0);
    if (!(crossing > 0))
        crossing = (double)INFINITY;
    walk_slowly(forest, at->children[behind], origin, way, from, fmin(to, crossing), out);
    walk_slowly(forest, at->children[!behind], origin, way, fmax(from, crossing), to, out);
}

/* Returns a slightly moved origin: along the ray and, with `sideways`, also across. */
static struct vec3 moved(struct vec3 origin, struct vec3 way, int number, bool sideways)
{
    struct vec3 at = vec3_mad(origin, way, number * 1e-3);
    for (uint64_t k = 0; k < 3 && sideways && number; k++)
        at.e[k] += (random_unit((uint64_t)number, k) - 0.5) * 0.01;
    return at;
}

/* Returns true when neighbouring rays find the same: it does not graze an edge. */
static bool is_clear(const struct forest *forest, struct vec3 origin, struct vec3 way, double near,
                     double far, bool sideways, struct walked *out)
{
    enum { TRIES = 6 };
    struct walked slow[TRIES] = {{false, false, 0}};
    bool clear = true;
    for (int i = 0; i < TRIES; i++) {
        walk_slowly(forest, 0, moved(origin, way, i, sideways), way, near, far, &slow[i]);
        clear = clear && slow[i].met == slow[0].met && slow[i].loose == slow[0].loose &&
                fabs(slow[i].distance - slow[0].distance) < 0.1;
    }
    *out = slow[0];
    return clear;
}

/* Returns true unless the lane is skipped. */
static bool compare_lane(const struct forest *forest, const struct trace_packet *packet, int i,
                         bool sideways, const struct solid_lanes *lanes,
                         const struct solid_hits *hits)
{
    struct vec3 origin, way;
    struct walked slow;
    double near = (double)packet->near[i], far = (double)packet->far[i];
    bool met = lanes->met >> i & 1, unsure = lanes->unsure >> i & 1;
    for (int k = 0; k < 3; k++) {
        origin.e[k] = (double)packet->origin[k][i];
        way.e[k] = (double)packet->direction[k][i];
    }
    if (!is_clear(forest, origin, way, near, far, sideways, &slow))
        return false;
    assert_int_equal(met || unsure, slow.met);
    if (met)
        assert_near((double)hits->distance[i], slow.distance, 1e-2);
    if (unsure)
        assert_near(near, slow.distance, 1e-9);
    if (!met && !unsure)
        assert_int_equal(lanes->loose >> i & 1, slow.loose);
    return true;
}

static void finds_what_a_slow_walk_finds(void **state)
{
    const struct forest *forest = *state;
    const struct solid_walks *walks = solid_walks_of(simd_best());
    int met = 0, unsure = 0, compared = 0;
    for (uint64_t number = 0; number < PACKETS; number++) {
        struct trace_packet packet;
        struct solid_hits hits;
        random_packet(number, &packet);
        struct solid_lanes lanes = walks->closest(&forest->tree, &packet, 0xffff, &hits);
        struct solid_lanes blocked = walks->blocked(&forest->tree, &packet, 0xffff);
        assert_int_equal(lanes.met & lanes.unsure, 0);
        assert_int_equal((blocked.met | blocked.unsure) ^ (lanes.met | lanes.unsure), 0);
        assert_int_equal(lanes.unsure & ~(blocked.met | blocked.unsure), 0);
        met += __builtin_popcount(lanes.met);
        unsure += __builtin_popcount(lanes.unsure);
        for (int i = 0; i < TRACE_PACKET; i++)
            compared += compare_lane(forest, &packet, i, number % 4 != 0, &lanes, &hits);
    }
    const int all = PACKETS * TRACE_PACKET;
    assert_true(met > all / 4 && unsure > all / 10 && compared > all * 9 / 10);
}

/* At the returned plane the ray goes from open to solid. */
static void names_the_plane(void **state)
{
    const struct forest *forest = *state;
    const struct solid_walks *walks = solid_walks_of(simd_best());
    int off = 0, met = 0;
    for (uint64_t number = 0; number < PACKETS; number++) {
        struct trace_packet packet;
        struct solid_hits hits;
        random_packet(number, &packet);
        struct solid_lanes lanes = walks->closest(&forest->tree, &packet, 0xffff, &hits);
        for (int i = 0; i < TRACE_PACKET; i++) {
            if (!(lanes.met >> i & 1))
                continue;
            const struct solid_tree_node *node = &forest->tree.nodes[(int)hits.node[i]];
            struct vec3 place, behind;
            for (int k = 0; k < 3; k++) {
                double origin = (double)packet.origin[k][i], way = (double)packet.direction[k][i];
                place.e[k] = origin + (double)hits.distance[i] * way;
                behind.e[k] = origin + ((double)hits.distance[i] + 0.01) * way;
            }
            double above = vec3_dot(vec3_from_floats(node->normal), place) - (double)node->dist;
            int32_t kind = kind_at(forest, behind);
            assert_near(above, 0, 2e-2);
            off += kind == SOLID_TREE_OPEN || kind <= SOLID_TREE_LOOSE;
            met++;
        }
    }
    assert_true(met > PACKETS && off < met / 200); /* thin corners of leaves */
}

static void instruction_sets_agree(void **state)
{
    const struct forest *forest = *state;
    int count = (int)simd_best() + 1;
    for (uint64_t number = 0; number < PACKETS; number++) {
        struct trace_packet packet;
        struct solid_hits hits[SIMD_LEVELS];
        uint32_t valid = number % 7 ? 0xffff : (uint32_t)hash_u64(number) & 0xffff;
        random_packet(number, &packet);
        struct solid_lanes first =
            solid_walks_of(0)->closest(&forest->tree, &packet, valid, &hits[0]);
        struct solid_lanes first_blocked =
            solid_walks_of(0)->blocked(&forest->tree, &packet, valid);
        assert_int_equal((first.met | first.unsure) & ~valid, 0);
        for (int i = 1; i < count; i++) {
            struct solid_lanes lanes = solid_walks_of((enum simd_level)i)
                                           ->closest(&forest->tree, &packet, valid, &hits[i]);
            struct solid_lanes blocked =
                solid_walks_of((enum simd_level)i)->blocked(&forest->tree, &packet, valid);
            assert_memory_equal(&lanes, &first, sizeof lanes);
            assert_memory_equal(&blocked, &first_blocked, sizeof blocked);
            for (int k = 0; k < TRACE_PACKET; k++) {
                if (!(first.met >> k & 1))
                    continue;
                assert_memory_equal(&hits[i].distance[k], &hits[0].distance[k], sizeof(float));
                assert_memory_equal(&hits[i].node[k], &hits[0].node[k], sizeof(float));
            }
        }
    }
}

static void two_packets_are_each_alone(void **state)
{
    const struct forest *forest = *state;
    uint64_t count = simd_best() + 1;
    for (uint64_t number = 0; number < PACKETS; number++) {
        struct trace_packet packets[2];
        struct solid_hits alone[2], together[2];
        struct solid_lanes lanes[2], both;
        const uint32_t valid[2] = {0xffff, (uint32_t)hash_u64(number) & 0xffff};
        const struct solid_walks *walks = solid_walks_of((enum simd_level)(number % count));
        for (uint64_t i = 0; i < 2; i++) {
            random_packet(2 * number + i, &packets[i]);
            lanes[i] = walks->closest(&forest->tree, &packets[i], valid[i], &alone[i]);
        }
        both = walks->closest_two(&forest->tree, packets, valid[0] | valid[1] << 16, together);
        assert_int_equal(both.met, lanes[0].met | lanes[1].met << 16);
        assert_int_equal(both.unsure, lanes[0].unsure | lanes[1].unsure << 16);
        assert_int_equal(both.sky, lanes[0].sky | lanes[1].sky << 16);
        for (int i = 0; i < 2 * TRACE_PACKET; i++)
            if (both.met >> i & 1)
                assert_memory_equal(&together[i / 16].distance[i % 16],
                                    &alone[i / 16].distance[i % 16], sizeof(float));
    }
}

/* Rays that are not finite end, with any result. */
static void unsound_rays_end(void **state)
{
    const struct forest *forest = *state;
    const float bad[] = {NAN, INFINITY, -INFINITY, 1e30F, 0};
    int count = (int)simd_best() + 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad * 9; i++) {
        struct trace_packet packet;
        struct solid_hits hits;
        random_packet(i, &packet);
        for (int k = 0; k < TRACE_PACKET; k += 2) {
            float *numbers[] = {packet.origin[0],    packet.origin[1],    packet.origin[2],
                                packet.direction[0], packet.direction[1], packet.direction[2],
                                packet.near,         packet.far,          packet.far};
            numbers[i % 9][k] = bad[i / 9];
        }
        for (int k = 0; k < count; k++) {
            solid_walks_of((enum simd_level)k)->closest(&forest->tree, &packet, 0xffff, &hits);
            solid_walks_of((enum simd_level)k)->blocked(&forest->tree, &packet, 0xffff);
        }
    }
}

/* Slabs across x, ten units each, solid after the last. */
static void counts_the_steps_of_a_ray(void **state)
{
    enum { SLABS = 10 };
    (void)state;
    struct leaf_tree_node nodes[SLABS];
    const int32_t kinds[3] = {SOLID_TREE_OPEN, SOLID_TREE_SOLID, SOLID_TREE_LOOSE};
    const struct solid_tree_box box = {{-1, -1, -1}, {1, 1, 1}};
    struct leaf_tree from = {nodes, 0};
    struct solid_tree tree;
    for (int i = 0; i < SLABS; i++)
        nodes[i] = (struct leaf_tree_node){.normal = {1, 0, 0},
                                           .dist = (float)(100 - 10 * i),
                                           .children = {i % 2 ? -1 : -3, i + 1}};
    nodes[SLABS - 1].children[1] = -2;
    assert_true(solid_tree_make(&from, SLABS, kinds, &box, &tree));
    assert_int_equal(solid_tree_steps(&tree, vec3(95, 0, 0), vec3(-1, 0, 0)), SLABS);
    assert_int_equal(solid_tree_steps(&tree, vec3(200, 0, 0), vec3(-1, 0, 0)), SLABS);
    assert_int_equal(solid_tree_steps(&tree, vec3(200, 0, 0), vec3(1, 0, 0)), 1);
    assert_int_equal(solid_tree_steps(&tree, vec3(95, 0, 0), vec3(1, 0, 0)), 2);
    solid_tree_free(&tree);
}

static void refuses_what_is_no_tree(void **state)
{
    (void)state;
    struct leaf_tree_node nodes[200] = {{.normal = {1, 0, 0}}};
    const int32_t kinds[2] = {SOLID_TREE_OPEN, SOLID_TREE_SOLID};
    struct leaf_tree from = {nodes, 0};
    struct solid_tree tree;
    nodes[0].children[0] = nodes[0].children[1] = 0; /* its own child */
    assert_false(solid_tree_make(&from, 1, kinds, NULL, &tree));
    for (int i = 0; i < 200; i++) { /* both sides of each node lead to the next */
        nodes[i] = (struct leaf_tree_node){.normal = {1, 0, 0}, .children = {i + 1, i + 1}};
        if (i == 60)
            nodes[i].children[0] = -1, nodes[i].children[1] = -2;
    }
    assert_false(solid_tree_make(&from, 61, kinds, NULL, &tree));
    for (int i = 0; i < 200; i++) /* too deep */
        nodes[i] =
            (struct leaf_tree_node){.normal = {1, 0, 0}, .children = {i < 199 ? i + 1 : -2, -1}};
    assert_false(solid_tree_make(&from, 200, kinds, NULL, &tree));
    const int32_t open[2] = {SOLID_TREE_OPEN, SOLID_TREE_OPEN};
    nodes[0] = (struct leaf_tree_node){.normal = {1, 0, 0}, .children = {-1, -2}};
    assert_false(solid_tree_make(&from, 1, open, NULL, &tree));
    assert_true(solid_tree_make(&from, 1, kinds, NULL, &tree));
    solid_tree_free(&tree);
}

SUITE(test_solid_tree)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_what_a_slow_walk_finds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_the_plane, set_up, tear_down),
        cmocka_unit_test_setup_teardown(instruction_sets_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_packets_are_each_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unsound_rays_end, set_up, tear_down),
        cmocka_unit_test(counts_the_steps_of_a_ray),
        cmocka_unit_test(refuses_what_is_no_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
