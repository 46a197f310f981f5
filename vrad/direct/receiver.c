#include "vrad/direct/receiver.h"

#include <string.h>

#include "vrad/lights/light.h"

static void set_normals(const struct receiver *to, int luxel)
{
    struct luxel room;
    const struct luxel *at = luxel_of(to->face, luxel, &room);
    struct vec3 basis[LUXEL_BUMPS];
    memcpy(to->normals[luxel][0], luxel_normal(to->face, at), sizeof to->normals[luxel][0]);
    if (to->face->slots == 1)
        return;
    luxel_bump_basis(to->scene, to->face, at, basis);
    for (int j = 0; j < LUXEL_BUMPS; j++)
        vec3_to_floats(basis[j], to->normals[luxel][1 + j]);
}

void receiver_begin(struct receiver *to)
{
    const struct face_light *face = to->face;
    size_t count = (size_t)face->count;
    to->even = !face->mesh && !to->map->normals.phong[face - to->map->faces];
    to->normals = arena_alloc(to->arena, to->even ? 1 : count, sizeof *to->normals);
    to->coarse_count = ARENA_ARRAY(to->arena, unsigned char, count);
    to->total = ARENA_ARRAY(to->arena, float, count);
    vec3_to_floats(face->normal, to->surface);
    for (int l = 0; l < (to->even ? 1 : face->count); l++)
        set_normals(to, l);
}

/* ---- samples ---- */

void sample_rows_init(struct sample_rows *rows, struct arena *arena, size_t room)
{
    for (int k = 0; k < 3; k++) {
        rows->point[k] = ARENA_ARRAY(arena, float, room);
        rows->origin[k] = ARENA_ARRAY(arena, float, room);
        rows->light.point[k] = rows->point[k];
        rows->light.direction[k] = ARENA_ARRAY(arena, float, room);
    }
    rows->light.distance = ARENA_ARRAY(arena, float, room);
    rows->light.attenuation = ARENA_ARRAY(arena, float, room);
}

static void put_sample(const struct sample_rows *rows, size_t row,
                       const struct luxel_sample *sample)
{
    for (int k = 0; k < 3; k++) {
        rows->point[k][row] = sample->point[k];
        rows->origin[k][row] = sample->origin[k];
    }
}

void coarse_samples_make(const struct receiver *to, const struct sample_rows *coarse)
{
    struct luxel_sample samples[LUXEL_COARSE];
    int wanted = to->options->fast ? 1 : LUXEL_COARSE;
    for (int l = 0; l < to->face->count; l++) {
        int count = luxel_samples(to->map, to->scene, to->face, l, wanted, samples);
        to->coarse_count[l] = (unsigned char)count;
        for (int i = 0; i < count; i++)
            put_sample(coarse, (size_t)l * LUXEL_COARSE + (size_t)i, &samples[i]);
    }
}

void middle_samples_make(const struct receiver *to, const struct sample_rows *middle)
{
    for (int l = 0; l < to->face->count; l++) {
        struct luxel_sample sample;
        struct luxel room;
        luxel_middle(to->face, luxel_of(to->face, l, &room), &sample);
        put_sample(middle, (size_t)l, &sample);
    }
}

static void fill_flat(const struct receiver *to, struct fine_samples *fine, int luxel, int wanted)
{
    const struct sample_rows *rows = fine->rows;
    struct luxel_rows out = {.st = {fine->st[0], fine->st[1]}};
    for (int k = 0; k < 3; k++) {
        out.point[k] = rows->point[k];
        out.origin[k] = rows->origin[k];
    }
    fine->count = luxel_rows(to->map, to->scene, to->face, luxel, wanted, &out);
}

struct fine_samples *fine_samples_of(const struct receiver *to, struct fine_cache *cache, int luxel)
{
    struct fine_samples *fine = &cache->luxels[luxel];
    struct luxel_sample samples[LUXEL_FINE];
    size_t room = (size_t)cache->wanted;
    if (fine->rows)
        return fine;
    float *numbers = ARENA_ARRAY(to->arena, float, 8 * room);
    fine->rows = ARENA_NEW(to->arena, struct sample_rows);
    if (!cache->room.light.attenuation)
        sample_rows_init(&cache->room, to->arena, room);
    *fine->rows = cache->room;
    for (int k = 0; k < 3; k++) {
        fine->rows->light.point[k] = fine->rows->point[k] = numbers + (size_t)k * room;
        fine->rows->origin[k] = numbers + (size_t)(3 + k) * room;
    }
    fine->st[0] = numbers + 6 * room;
    fine->st[1] = numbers + 7 * room;
    if (!to->face->mesh) {
        fill_flat(to, fine, luxel, cache->wanted);
        return fine;
    }
    fine->count = luxel_samples(to->map, to->scene, to->face, luxel, cache->wanted, samples);
    for (int i = 0; i < fine->count; i++)
        put_sample(fine->rows, (size_t)i, &samples[i]);
    return fine;
}
