/* A room of room_bsp.h with its scene and luxels, for tests of bounced and ambient light. */
#ifndef TESTS_LIT_ROOM_H
#define TESTS_LIT_ROOM_H

#include "common/core/memory.h"
#include "tests/support/room_bsp.h"
#include "vrad/bounce/bounce.h"
#include "vrad/direct/direct.h"
#include "vrad/lights/light_set.h"

struct lit_room {
    struct bsp *bsp;
    struct diag *diag;
    struct env env;
    struct entity_view *entities;
    struct light_set lights;
    struct scene scene;
    struct luxel_map map;
};

/* Takes the bsp. No luxel has light yet. */
static inline void lit_room_open(struct lit_room *room, struct bsp *bsp, const char *entities,
                                 int threads)
{
    *room = (struct lit_room){.bsp = bsp, .diag = diag_new(NULL, NULL)};
    room->env = (struct env){.diag = room->diag, .threads = threads};
    room_set_entities(bsp, entities);
    const struct light_options options = {0};
    assert_int_equal(entity_view_parse(bsp->entities, arrlenu(bsp->entities), "room", room->diag,
                                       &room->entities),
                     STATUS_OK);
    lights_collect(&room->env, &options, bsp, room->entities, NULL, &room->lights);
    assert_int_equal(scene_build(&room->env, bsp, room->entities, true,
                                 &(struct scene_extras){NULL, NULL}, &room->scene),
                     STATUS_OK);
    assert_int_equal(luxel_map_build(&room->env, &room->scene, 45, &room->map), STATUS_OK);
}

static inline void lit_room_close(struct lit_room *room)
{
    luxel_map_free(&room->map);
    scene_free(&room->scene);
    lights_free(&room->lights);
    entity_view_free(room->entities);
    diag_free(room->diag);
    bsp_free(room->bsp);
}

/* Direct light of `amount` everywhere. */
static inline void lit_room_fill(struct lit_room *room, float amount)
{
    for (int i = 0; i < room->map.face_count; i++) {
        struct face_light *face = &room->map.faces[i];
        if (face->width <= 0)
            continue;
        size_t floats = 3 * (size_t)face->slots * (size_t)face->count;
        face->style_count = 1;
        face->direct[0] = memory_alloc(floats * sizeof(float));
        for (size_t k = 0; k < floats; k++)
            face->direct[0][k] = amount;
    }
}

static inline void lit_room_direct(struct lit_room *room)
{
    const struct direct_options options = {.sky_rays = 128};
    direct_light(&room->env, &room->scene, &room->lights, &options, &room->map);
}

static inline double lit_room_bounced(const struct lit_room *room, int face, int luxel, int slot)
{
    const struct face_light *light = &room->map.faces[face];
    const float *rgb = light->indirect + 3 * (slot * light->count + luxel);
    return ((double)rgb[0] + (double)rgb[1] + (double)rgb[2]) / 3;
}

static inline double lit_room_total(const struct lit_room *room, int face, int luxel)
{
    const float *rgb = room->map.faces[face].direct[0] + 3 * luxel;
    return ((double)rgb[0] + (double)rgb[1] + (double)rgb[2]) / 3 +
           lit_room_bounced(room, face, luxel, 0);
}

/* The fraction of the light given to the room's surfaces that they absorb. */
static inline double lit_room_absorbed(const struct lit_room *room, double albedo)
{
    double given = 0, swallowed = 0;
    for (int face = 0; face < 6; face++) {
        const struct face_light *light = &room->map.faces[face];
        for (int k = 0; k < light->count; k++) {
            double area = (double)light->luxels[k].area, all = lit_room_total(room, face, k);
            given += area * (all - lit_room_bounced(room, face, k, 0));
            swallowed += area * all * (1 - albedo);
        }
    }
    return swallowed / given;
}

#endif
