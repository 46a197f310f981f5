/* Ray hits by the tree of the world equal those by the triangles. */
#include "tests/support/suite.h"

#include <math.h>
#include <unistd.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/random.h"
#include "tests/support/vbsp/compiled_map.h"
#include "vrad/scene/scene.h"

enum { PACKETS = 1500 };

struct stage {
    struct env env;
    const struct bsp *bsp;
    struct entity_view *entities;
    struct scene scene;
    int rays, met_by_tree, differ;
};

static void open_stage(struct stage *stage, const struct env *env, const struct bsp *bsp)
{
    *stage = (struct stage){.env = *env, .bsp = bsp};
    assert_int_equal(entity_view_parse(bsp->entities, arrlenu(bsp->entities), "map", env->diag,
                                       &stage->entities),
                     STATUS_OK);
    assert_int_equal(scene_build(env, bsp, stage->entities, true,
                                 &(struct scene_extras){NULL, NULL}, &stage->scene),
                     STATUS_OK);
    assert_false(scene_tree_is_empty(&stage->scene.world));
}

static void close_stage(struct stage *stage)
{
    scene_free(&stage->scene);
    entity_view_free(stage->entities);
}

/* A point outside of solids: in a random leaf's box. */
static bool random_place(const struct stage *stage, uint64_t seed, struct vec3 *out)
{
    size_t leaves = arrlenu(stage->bsp->leaves);
    for (uint64_t i = 0; i < 40; i++) {
        const struct bsp_leaf *leaf = &stage->bsp->leaves[hash_pair(seed, i) % leaves];
        if (leaf->cluster < 0)
            continue;
        for (int k = 0; k < 3; k++) {
            double low = leaf->mins[k], high = leaf->maxs[k];
            out->e[k] = low + (high - low) * random_unit(seed, 3 * i + (uint64_t)k + 100);
        }
        int at = leaf_tree_at(&stage->scene.tree, *out);
        bool flat = false; /* a point of its box is on its walls */
        for (int k = 0; k < 3; k++)
            flat |= leaf->mins[k] == leaf->maxs[k];
        if (!flat && stage->bsp->leaves[at].cluster >= 0 &&
            !scene_solid_at(&stage->scene, at, *out))
            return true;
    }
    return false;
}

/* Rays from one point, or from one each. */
static uint32_t random_packet(const struct stage *stage, uint64_t number,
                              struct trace_packet *packet)
{
    struct vec3 place = vec3(0, 0, 0);
    uint32_t valid = 0;
    for (uint64_t i = 0; i < TRACE_PACKET; i++) {
        uint64_t seed = hash_pair(number, i);
        if (i == 0 || number % 2)
            valid |= (uint32_t)random_place(stage, seed, &place) << i;
        else
            valid |= (valid & 1) << i;
        for (size_t k = 0; k < 3; k++) {
            packet->origin[k][i] = (float)place.e[k];
            packet->direction[k][i] = (float)(random_unit(seed, k) * 2 - 1);
        }
        packet->near[i] = 0;
        packet->far[i] = INFINITY;
    }
    return valid;
}

static bool same_hit(const struct scene_hit *a, const struct scene_hit *b)
{
    if (fabsf(a->distance - b->distance) > 0.05F + 1e-4F * fabsf(b->distance))
        return false;
    if (a->face != b->face) /* one at the border of the other */
        return a->face >= 0 && b->face >= 0;
    return a->face < 0 || (fabsf(a->s - b->s) < 0.05F && fabsf(a->t - b->t) < 0.05F);
}

static void compare(struct stage *stage)
{
    struct scene plain = stage->scene;
    plain.world = (struct scene_tree){0};
    for (uint64_t number = 0; number < PACKETS; number++) {
        struct trace_packet packet;
        struct scene_hit hits[TRACE_PACKET], by_triangles[TRACE_PACKET], known[TRACE_PACKET];
        uint32_t valid = random_packet(stage, number, &packet), loose;
        scene_hit16(&stage->scene, &packet, valid, false, hits);
        scene_hit16(&plain, &packet, valid, false, by_triangles);
        uint32_t by_tree = 0;
        if (!scene_tree_is_empty(&stage->scene.world))
            by_tree = scene_tree_hit16(&stage->scene.world, &packet, valid, &loose, known);
        uint32_t sky = scene_sky16(&stage->scene, &packet, valid, false, 0) ^
                       scene_sky16(&plain, &packet, valid, false, 0);
        for (int i = 0; i < TRACE_PACKET; i++) {
            if (!(valid >> i & 1))
                continue;
            stage->rays++;
            stage->met_by_tree += (int)(by_tree >> i & 1);
            stage->differ += !same_hit(&hits[i], &by_triangles[i]) || sky >> i & 1;
            packet.far[i] =
                (float)(random_unit(number, (uint64_t)i) * 2) * by_triangles[i].distance;
        }
        uint32_t blocked = scene_blocked16(&stage->scene, &packet, valid) ^
                           scene_blocked16(&plain, &packet, valid);
        stage->differ += __builtin_popcount(blocked & valid);
    }
}

/* Rays that graze an edge may hit either side. */
static void check(const struct stage *stage, const char *name, double min_by_tree)
{
    print_message("%s: %d rays, %d by the tree, %d differ\n", name, stage->rays, stage->met_by_tree,
                  stage->differ);
    assert_true(stage->rays > PACKETS);
    assert_true(stage->met_by_tree >= min_by_tree * stage->rays);
    assert_true(stage->differ <= stage->rays / 500);
}

static void own_maps_agree(void **state)
{
    static const struct {
        const char *name;
        double min_by_tree;
    } maps[] = {{"atrium.vmf", 0.95},       {"two_rooms.vmf", 0.99},  {"tilted.vmf", 0.95},
                {"displacements.vmf", 0.7}, {"sky_camera.vmf", 0.95}, {"brush_entities.vmf", 0.9},
                {"off_grid.vmf", 0.95},     {"thin.vmf", 0.95},       {"water.vmf", 0.95},
                {"detail.vmf", 0.95}};
    (void)state;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct compiled compiled;
        struct stage stage;
        compiled_open(&compiled, maps[i].name, NULL);
        assert_int_equal(compiled.status, STATUS_OK);
        open_stage(&stage, &compiled.env, compiled.out.bsp);
        compare(&stage);
        check(&stage, maps[i].name, maps[i].min_by_tree);
        close_stage(&stage);
        compiled_free(&compiled);
    }
}

static void maps_of_the_corpus_agree(void **state)
{
    static const char *const paths[] = {"generated/mid.bsp", "generated/big.bsp",
                                        "generated/pillars9.bsp", "generated/ents.bsp"};
    (void)state;
    if (access(SHARED_DIR "/corpus/generated", R_OK) != 0) {
        print_message("skipped: no corpus\n");
        skip();
    }
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char path[512];
        struct bytes file = {0};
        struct bsp *bsp;
        struct stage stage;
        struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_disk(), .threads = 1};
        snprintf(path, sizeof path, SHARED_DIR "/corpus/%s", paths[i]);
        assert_int_equal(fs_load(env.fs, env.diag, path, &file), STATUS_OK);
        assert_int_equal(bsp_decode(file.data, file.size, path, env.diag, &bsp), STATUS_OK);
        open_stage(&stage, &env, bsp);
        compare(&stage);
        check(&stage, paths[i], 0.9);
        close_stage(&stage);
        bsp_free(bsp);
        bytes_free(&file);
        diag_free(env.diag);
    }
}

SUITE(test_scene_tree)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_maps_agree),
        cmocka_unit_test(maps_of_the_corpus_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
