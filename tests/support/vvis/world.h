/* A graph of rooms and the BSP that receives their visibility, in an environment in memory. */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include "tests/support/portal_graph.h"
#include "vvis/vvis.h"

struct world {
    struct diag *diag;
    struct fs *fs;
    struct env env;
    struct prt prt;
    struct bsp *bsp;
};

static inline struct world world_new(int clusters)
{
    struct world world = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new()};
    world.env = (struct env){.diag = world.diag, .fs = world.fs, .threads = 2};
    world.prt.cluster_count = clusters;
    world.bsp = bsp_new();
    return world;
}

static inline void world_free(struct world *world)
{
    bsp_free(world->bsp);
    prt_free(&world->prt);
    fs_memory_free(world->fs);
    diag_free(world->diag);
}

#endif
