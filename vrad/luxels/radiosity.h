/* The radiosity of the surfaces, luxel by luxel, and its lookup by ray hits. */
#ifndef VRAD_LUXELS_RADIOSITY_H
#define VRAD_LUXELS_RADIOSITY_H

#include "vrad/luxels/luxel.h"
#include "vrad/luxels/subluxels.h"
#include "vrad/scene/scene.h"

/* The luxels of a face. Without light: a single black one. */
struct radiosity_place {
    uint32_t first;
    int16_t right, bottom; /* coordinates of the last luxel */
};

/* The bounced light of style 0 at a luxel, 3 numbers. */
typedef void radiosity_bounced(const void *context, int face, int luxel, float out[3]);

struct radiosity {
    const struct scene *scene;
    const struct luxel_map *map;
    const struct subluxels *subluxels; /* of the map; NULL: none */
    size_t *first;                  /* index of each face's first luxel; and the total at the end */
    struct radiosity_place *places; /* of SCENE_SKY, of SCENE_BLANK, then one per face, and of
                                       each chart of the props */
    float *leaving; /* 3 per luxel: reflectivity times irradiance of style 0; then the sky's, then 0
                       for surfaces without light, then those of map->props and map->subluxels;
                       padded by one number, so that four can be loaded anywhere. NULL on narrow
                       maps: see radiosity_at */
    /* Of narrow maps: */
    bool emits;                 /* the surfaces emit direct light */
    radiosity_bounced *bounced; /* and bounced light; NULL: none */
    const void *context;        /* of `bounced` */
    float sky[3];
    uint32_t *face_of; /* one per RADIOSITY_BLOCK luxels: the face of the first */
};

enum { RADIOSITY_BLOCK = 256 };

/* Only the sky emits yet (0 0 0: nothing does). Free with radiosity_free. */
void radiosity_init(struct radiosity *radiosity, const struct scene *scene,
                    const struct luxel_map *map, struct vec3 sky);
void radiosity_free(struct radiosity *radiosity);

/* Takes the map's direct and bounced light of style 0. */
void radiosity_collect(struct radiosity *radiosity, int threads);
/* The same for one face with given bounced light: 3 floats per luxel, or NULL. */
void radiosity_set_face(struct radiosity *radiosity, int face, const float *bounced);

/* Evaluates what leaves a luxel of a narrow map. */
void radiosity_evaluate(const struct radiosity *radiosity, size_t index, float out[3]);
void radiosity_evaluate_luxel(const struct radiosity *radiosity, int face, int luxel, float out[3]);

/* The light that leaves `index` (radiosity_seen), 3 numbers; `room` may hold them. On narrow maps
 * numbers between the points at which light is computed are not stored. */
static inline const float *radiosity_at(const struct radiosity *radiosity, size_t index,
                                        float room[3])
{
    if (radiosity->leaving)
        return radiosity->leaving + 3 * index;
    radiosity_evaluate(radiosity, index, room);
    return room;
}

/* The same as a seen_light_look; `radiosity` is a struct radiosity. */
static inline const float *radiosity_look(const void *radiosity, size_t seen, float room[3])
{
    return radiosity_at(radiosity, seen, room);
}

/* The irradiance of a luxel as far as it is known, of 255. */
double radiosity_level(const struct radiosity *radiosity, int face, int luxel);

/* Hits of the rays of one point, in an area of the map. Each packet of 16 is coherent. Rays that
 * leave by the sky and hit something in the 3D skybox are SCENE_BLANK. */
void radiosity_trace(const struct radiosity *radiosity, const struct trace_ray *rays, int count,
                     int area, struct scene_hit *hits);

/* The same for two packets with similar directions, from one area each; bits of `valid` and hits of
 * the second follow those of the first. */
void radiosity_trace_pair16(const struct radiosity *radiosity, const struct trace_packet packets[2],
                            uint32_t valid, bool coherent, const int areas[2],
                            struct scene_hit hits[2 * TRACE_PACKET]);
/* Packets of fewer rays in all directions are not coherent. */
enum { RADIOSITY_COHERENT_RAYS = 128 };

/* The index of a subluxel. */
size_t radiosity_subluxel(const struct radiosity *radiosity, size_t subluxel);

/* That of the subluxel at an offset from the middle of a luxel that is split. */
size_t radiosity_part(const struct radiosity *radiosity, size_t luxel, float s, float t);

/* The index of the luxel that `seen` is, or is a part of. */
size_t radiosity_whole(const struct radiosity *radiosity, size_t seen);

/* Returns true for the index of a luxel that is split. */
static inline bool radiosity_is_split(const struct radiosity *radiosity, size_t seen)
{
    return radiosity->subluxels && luxel_set_has(&radiosity->subluxels->split, seen);
}

/* The index into leaving / 3 of a ray hit: on a face the luxel whose square contains the point, as
 * luxel_nearest, or the subluxel. */
static inline size_t radiosity_seen(const struct radiosity *radiosity, const struct scene_hit *hit)
{
    int number = hit->face < SCENE_SKY ? SCENE_BLANK : hit->face; /* below SCENE_SKY: back sides */
    struct radiosity_place place = radiosity->places[number - SCENE_SKY];
    int i = (int)(hit->s + 0.5f), j = (int)(hit->t + 0.5f);
    i = i < 0 ? 0 : i > place.right ? place.right : i;
    j = j < 0 ? 0 : j > place.bottom ? place.bottom : j;
    size_t luxel = place.first + (size_t)(j * (place.right + 1) + i);
    if (radiosity_is_split(radiosity, luxel))
        return radiosity_part(radiosity, luxel, hit->s - (float)i, hit->t - (float)j);
    return luxel;
}

/* Returns true for a hit on a surface so near that its light differs within a luxel, as seen from
 * the start of the ray: its direction was unit. */
bool radiosity_is_near(const struct radiosity *radiosity, const struct scene_hit *hit);

size_t radiosity_sky(const struct radiosity *radiosity);   /* index of the sky */
size_t radiosity_black(const struct radiosity *radiosity); /* index of what gives no light */
size_t radiosity_count(const struct radiosity *radiosity); /* of all indices */

/* Takes the light of map->props or map->subluxels, after it has changed. */
void radiosity_take_props(struct radiosity *radiosity);
void radiosity_take_subluxels(struct radiosity *radiosity);

#endif
