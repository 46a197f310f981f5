/* Measures the rays per second that one core traces through a compiled map: ray_speed FILE.bsp
 * [PACKETS]. Millions of rays per CPU second, through the triangles alone (the ray library) and as
 * vrad traces them (the tree of the map, and triangles for the rest), for 16 parallel rays, 16 rays
 * to one light, and 16 rays from one point in all directions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/core/random.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/scene/scene.h"

enum kind { SIDE_BY_SIDE, IN_PAIRS, TO_A_LIGHT, ALL_AROUND, KINDS };

static const char *const names[KINDS] = {"side by side", "the same, 32", "to a light",
                                         "all around"};

struct bench {
    struct scene scene, triangles; /* the second is the first without its tree */
    struct trace_packet *packets;
    size_t count;
};

/* Returns a point in the open. */
static bool random_place(const struct scene *scene, uint64_t seed, struct vec3 *out)
{
    const struct bsp *bsp = scene->bsp;
    for (uint64_t i = 0; i < 100; i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[hash_pair(seed, i) % arrlenu(bsp->leaves)];
        for (size_t k = 0; k < 3; k++)
            out->e[k] =
                leaf->mins[k] + (leaf->maxs[k] - leaf->mins[k]) * random_unit(seed, 3 * i + k);
        int at = leaf_tree_at(&scene->tree, *out);
        if (leaf->cluster >= 0 && bsp->leaves[at].cluster >= 0 && !scene_solid_at(scene, at, *out))
            return true;
    }
    return false;
}

static struct trace_packet make_packet(const struct scene *scene, enum kind kind, uint64_t number)
{
    struct trace_packet packet = {.near = {0}};
    struct vec3 place = vec3(0, 0, 0), way = vec3(0, 0, 1);
    uint64_t seed = number;
    if (kind == IN_PAIRS)
        seed = number / 2;
    random_place(scene, seed, &place);
    for (uint64_t i = 0; i < TRACE_PACKET; i++) {
        const double square[2] = {random_unit(seed, 2 * i), random_unit(seed, 2 * i + 1)};
        bool parallel = kind == SIDE_BY_SIDE || kind == IN_PAIRS;
        if (i == 0 || !parallel)
            way = sphere_point(square);
        if (i == 0 && number % 2 && kind == IN_PAIRS)
            way = vec3_normalize(vec3_mad(way, vec3(1, 1, 1), 0.1));
        struct vec3 from = place, along = way;
        if (parallel) { /* a lattice of points */
            from.x += 16.0 * (double)(i % 4);
            from.y += 16.0 * (double)(i / 4);
        } else if (kind == TO_A_LIGHT) { /* from a square of luxels */
            from =
                vec3_mad(vec3_add(place, vec3(16.0 * (double)(i % 4), 16.0 * (double)(i / 4), 0)),
                         vec3(0, 0, -1), 100);
            along = vec3_sub(place, from);
        }
        for (int k = 0; k < 3; k++) {
            packet.origin[k][i] = (float)from.e[k];
            packet.direction[k][i] = (float)along.e[k];
        }
        packet.far[i] = kind == TO_A_LIGHT ? 1 : INFINITY;
    }
    return packet;
}

/* Returns millions of rays per second, the best of three runs. */
static double measure(const struct bench *bench, const struct scene *scene, enum kind kind)
{
    double best = (double)INFINITY;
    for (int run = 0; run < 3; run++) {
        struct scene_hit hits[2 * TRACE_PACKET];
        double begin = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (size_t i = 0; i < bench->count; i++) {
            if (kind == TO_A_LIGHT)
                scene_blocked16(scene, &bench->packets[i], 0xffff);
            else if (kind != IN_PAIRS)
                scene_hit16(scene, &bench->packets[i], 0xffff, kind == SIDE_BY_SIDE, hits);
            else if (i % 2)
                scene_hit_pair16(scene, &bench->packets[i - 1], UINT32_MAX, true, hits);
        }
        best = fmin(best, clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin);
    }
    return (double)bench->count * (double)TRACE_PACKET / best * 1e-6;
}

static void run(struct bench *bench)
{
    printf("M rays/s      triangles  as vrad asks\n");
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < bench->count; i++)
            bench->packets[i] = make_packet(&bench->scene, (enum kind)kind, i);
        double plain = measure(bench, &bench->triangles, (enum kind)kind);
        double ours = measure(bench, &bench->scene, (enum kind)kind);
        printf("%-12s %10.1f %13.1f\n", names[kind], plain, ours);
    }
}

static enum status load(const struct env *env, const char *path, struct bsp **bsp,
                        struct entity_view **entities, struct scene *scene)
{
    struct bytes file = {0};
    TRY(fs_load(env->fs, env->diag, path, &file));
    TRY(bsp_decode_file(&file, path, env->diag, bsp));
    TRY(entity_view_parse((*bsp)->entities, arrlenu((*bsp)->entities), path, env->diag, entities));
    return scene_build(env, *bsp, *entities, true, &(struct scene_extras){NULL, NULL}, scene);
}

int main(int argc, char **argv)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_disk(), .threads = 1};
    struct entity_view *entities = NULL;
    struct bench bench = {.packets = NULL};
    struct bsp *bsp = NULL;
    enum status status =
        argc > 1 ? load(&env, argv[1], &bsp, &entities, &bench.scene) : STATUS_FAILED;
    if (status == STATUS_OK) {
        bench.triangles = bench.scene;
        bench.triangles.world = (struct scene_tree){.node_count = 0};
        bench.count = argc > 2 ? (size_t)atol(argv[2]) : 20000;
        bench.packets = aligned_alloc(64, bench.count * sizeof *bench.packets);
        if (bench.packets)
            run(&bench);
        free(bench.packets);
        scene_free(&bench.scene);
    } else if (diag_entries(env.diag)) {
        fprintf(stderr, "%s\n", diag_entry(env.diag, 0)->message);
    }
    entity_view_free(entities);
    bsp_free(bsp);
    diag_free(env.diag);
    return status == STATUS_OK ? 0 : 1;
}
