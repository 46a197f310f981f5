/* The light that leaves the surfaces, luxel by luxel, and what rays see of it. */
#ifndef VRAD_LUXELS_RADIOSITY_H
#define VRAD_LUXELS_RADIOSITY_H

#include "vrad/luxels/luxel.h"
#include "vrad/scene/scene.h"

/* Where the luxels of a face are. Without light: one, which is black. */
struct radiosity_place {
    uint32_t first;
    int16_t right, bottom; /* the last luxel's numbers */
};

struct radiosity {
    const struct scene *scene;
    const struct luxel_map *map;
    size_t *first; /* number of each face's first luxel; one more at the end: how many */
    struct radiosity_place *places; /* of SCENE_SKY, of SCENE_BLANK, then one per face */
    float *leaving; /* 3 per luxel: reflectivity times the light of style 0 that falls on it; then
                       that of the sky, then 0 for what gives no light; one number more, so that
                       four can be read anywhere */
};

/* Nothing shines yet but the sky (0 0 0: rays take no light from it). Free with radiosity_free. */
void radiosity_init(struct radiosity *radiosity, const struct scene *scene,
                    const struct luxel_map *map, struct vec3 sky);
void radiosity_free(struct radiosity *radiosity);

/* Takes the map's direct and bounced light of style 0. */
void radiosity_collect(struct radiosity *radiosity, int threads);
/* The same for one face with the bounced light given: 3 floats per luxel, or NULL. */
void radiosity_set_face(struct radiosity *radiosity, int face, const float *bounced);

/* How much light, of 255, falls on a luxel, as far as the radiosity knows. */
double radiosity_level(const struct radiosity *radiosity, int face, int luxel);

/* What rays of one point meet, from an area of the map. The rays go one way, 16 by 16. Where the
 * map has a sky room, those that leave by the sky and meet something there are SCENE_BLANK. */
void radiosity_trace(const struct radiosity *radiosity, const struct trace_ray *rays, int count,
                     int area, struct scene_hit *hits);

/* The same for two packets that go much the same way, from one area each; bits of `valid` and hits
 * of the second follow those of the first. */
void radiosity_trace_pair16(const struct radiosity *radiosity, const struct trace_packet packets[2],
                            uint32_t valid, bool coherent, const int areas[2],
                            struct scene_hit hits[2 * TRACE_PACKET]);
/* Fewer rays in all directions do not share enough of their way to be walked together. */
enum { RADIOSITY_COHERENT_RAYS = 128 };

/* What a ray sees, as an index into leaving / 3: of a face the luxel whose square holds the place,
 * as luxel_nearest has it. */
static inline size_t radiosity_seen(const struct radiosity *radiosity, const struct scene_hit *hit)
{
    int number = hit->face < SCENE_SKY ? SCENE_BLANK : hit->face; /* some tell backs apart */
    struct radiosity_place place = radiosity->places[number - SCENE_SKY];
    int i = (int)(hit->s + 0.5f), j = (int)(hit->t + 0.5f);
    i = i < 0 ? 0 : i > place.right ? place.right : i;
    j = j < 0 ? 0 : j > place.bottom ? place.bottom : j;
    return place.first + (size_t)(j * (place.right + 1) + i);
}

size_t radiosity_sky(const struct radiosity *radiosity);   /* index of the sky */
size_t radiosity_black(const struct radiosity *radiosity); /* index of what gives no light */

#endif
