/* A map of maps/, compiled, with the light of its luxels. */
#ifndef TESTS_LIT_MAP_H
#define TESTS_LIT_MAP_H

#include "common/core/array.h"
#include "tests/support/vbsp/compiled_map.h"
#include "vrad/bounce/bounce.h"
#include "vrad/direct/direct.h"
#include "vrad/lights/light_set.h"

struct lit_map {
    struct compiled compiled;
    struct entity_view *entities;
    struct light_set lights;
    struct scene scene;
    struct luxel_map map;
};

/* Lights the map that has been compiled. */
static inline void lit_map_light(struct lit_map *lit, int bounces, const struct rad_file *rad)
{
    assert_int_equal(lit->compiled.status, STATUS_OK);
    const struct env *env = &lit->compiled.env;
    const struct bsp *bsp = lit->compiled.out.bsp;
    const struct light_options options = {0};
    const struct direct_options direct = {.fine = 128};
    const struct bounce_options bounce = {.bounces = bounces};
    assert_int_equal(
        entity_view_parse(bsp->entities, arrlenu(bsp->entities), "map", env->diag, &lit->entities),
        STATUS_OK);
    lights_collect(env, &options, bsp, lit->entities, rad, &lit->lights);
    assert_int_equal(
        scene_build(env, bsp, lit->entities, true, &(struct scene_extras){NULL, NULL}, &lit->scene),
        STATUS_OK);
    assert_int_equal(luxel_map_build(env, &lit->scene, 45, &lit->map), STATUS_OK);
    direct_light(env, &lit->scene, &lit->lights, &direct, &lit->map);
    bounce_light(env, &lit->scene, &lit->map, &bounce);
}

/* `rad`: its texture lights, or NULL. */
static inline void lit_map_open_with(struct lit_map *lit, const char *name, int bounces,
                                     const struct rad_file *rad)
{
    compiled_open(&lit->compiled, name, NULL);
    lit_map_light(lit, bounces, rad);
}

/* Compiles with options of vbsp. */
static inline void lit_map_open_as(struct lit_map *lit, const char *name,
                                   const struct vbsp_options *options, int bounces)
{
    compiled_open(&lit->compiled, name, options);
    lit_map_light(lit, bounces, NULL);
}

static inline void lit_map_open(struct lit_map *lit, const char *name, int bounces)
{
    lit_map_open_with(lit, name, bounces, NULL);
}

static inline void lit_map_close(struct lit_map *lit)
{
    luxel_map_free(&lit->map);
    scene_free(&lit->scene);
    lights_free(&lit->lights);
    entity_view_free(lit->entities);
    compiled_free(&lit->compiled);
}

/* Direct and bounced light of style 0. */
static inline double lit_map_grey(const struct face_light *face, int luxel)
{
    double sum = 0;
    for (int k = 3 * luxel; k < 3 * luxel + 3; k++)
        sum += (double)face->direct[0][k] + (face->indirect ? (double)face->indirect[k] : 0);
    return sum / 3;
}

static inline struct vec3 lit_map_place(const struct luxel *luxel)
{
    return vec3_from_floats(luxel->position);
}

#endif
