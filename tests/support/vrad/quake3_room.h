/* The box of ibsp_room.h for vrad: its walls face inwards, and its other surfaces are not drawn
 * until a test wants them. */
#ifndef TESTS_QUAKE3_ROOM_H
#define TESTS_QUAKE3_ROOM_H

#include "common/bsp/query.h"
#include "tests/support/ibsp_room.h"
#include "tests/support/vrad/on_ranks.h"

enum { FLOOR = 4, CEILING = 5, PATCH = 6, MESH = 7, PAGE = 128 };

struct quake3_room {
    struct bsp *bsp;
    struct env env; /* with files in memory */
    struct assets *assets;
    struct vrad_options options; /* without bounces */
    int ranks;                   /* that light it; 0: no others */
};

/* `keys` are for worldspawn. */
static inline struct quake3_room open_room(const char *keys, const char *entities)
{
    struct quake3_room room = {.bsp = ibsp_room(0), .options = vrad_defaults};
    room.env = (struct env){.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    room.options.bounce = 0;
    room.bsp->format = bsp_format_find("quake3");
    room.bsp->engine = room.bsp->format->engine;
    arrsetlen(room.bsp->entities, 0);
    const char *texts[] = {"{\n\"classname\" \"worldspawn\"\n", keys, "}\n", entities};
    for (int i = 0; i < 4; i++)
        for (const char *c = texts[i]; *c; c++)
            arrput(room.bsp->entities, *c);
    ibsp_room_empty(room.bsp);
    return room;
}

static inline void light_room(const struct quake3_room *room)
{
    assert_int_equal(
        vrad_run_on_ranks(room->ranks, &room->env, &room->options, room->assets, room->bsp),
        STATUS_OK);
}

static inline void close_room(struct quake3_room *room)
{
    bsp_free(room->bsp);
    assets_free(room->assets);
    diag_free(room->env.diag);
    fs_memory_free(room->env.fs);
}

/* Luxel (s, t) of a surface; the file has only one when all are equal. */
static inline const uint8_t *luxel(const struct bsp *bsp, int number, int s, int t)
{
    const struct bsp_surface *surface = &bsp->surfaces[number];
    bool single = surface->lightmap_size[0] == 1;
    int column = surface->lightmap_start[0] + (single ? 0 : s);
    int row = surface->lightmap_start[1] + (single ? 0 : t);
    return bsp->ldr.lighting.data + (size_t)surface->lightmap * bsp_page_bytes(bsp) +
           3 * (size_t)(row * PAGE + column);
}

static inline int floor_luxel(const struct bsp *bsp, int s, int t)
{
    const struct bsp_surface *floor = &bsp->surfaces[FLOOR];
    assert_true(s < floor->lightmap_size[0] && t < floor->lightmap_size[1]);
    return *luxel(bsp, FLOOR, s, t);
}

#endif
