/* A face that receives direct light, and the sample points of its luxels. */
#ifndef VRAD_DIRECT_RECEIVER_H
#define VRAD_DIRECT_RECEIVER_H

#include "vrad/direct/direct.h"
#include "vrad/lights/light.h"
#include "vrad/luxels/luxel_samples.h"

enum ray_kind { RAYS_LIGHT, RAYS_SUN, RAYS_SKY, RAYS_FINE, RAY_KINDS };

struct receiver {
    const struct scene *scene;
    const struct luxel_map *map;
    const struct direct_options *options;
    struct face_light *face;
    struct arena *arena;              /* scratch */
    float surface[3];                 /* normal of the plane */
    bool even;                        /* all luxels have the normals of the first */
    float (*normals)[LUXEL_SLOTS][3]; /* one row per luxel: smoothed normal, then the bump basis */
    unsigned char *coarse_count;      /* one per luxel: number of its coarse samples */
    float *total;                     /* one per luxel: flat light of all styles so far */
    int64_t rays[RAY_KINDS];          /* traced so far */
};

/* Initialises the rest of a receiver whose scene, map, options, face and arena are set; the counts
 * are filled with the coarse samples. */
void receiver_begin(struct receiver *to);

static inline const float (*receiver_normals(const struct receiver *to, int luxel))[3]
{
    return (const float(*)[3])to->normals[to->even ? 0 : luxel];
}

/* Samples as arrays by coordinate, and the values of a light at each. */
struct sample_rows {
    float *point[3];
    float *origin[3]; /* of rays */
    struct light_rows light;
};

void sample_rows_init(struct sample_rows *rows, struct arena *arena, size_t room);

/* Origins of rays, made for the first light that needs rays. */
struct ray_samples {
    struct sample_rows coarse; /* LUXEL_COARSE per luxel */
    struct sample_rows middle; /* one per luxel */
    struct bounds *blocks;     /* of the coarse samples of blocks of luxels; NULL: not made yet */
};

/* Fills the coarse samples, and their counts. */
void coarse_samples_make(const struct receiver *to, const struct sample_rows *coarse);
void middle_samples_make(const struct receiver *to, const struct sample_rows *middle);

struct fine_samples {
    struct sample_rows *rows; /* NULL: not made yet */
    float *st[2];             /* their luxel coordinates, on flat faces */
    int count;
};

/* The fine samples of supersampled luxels, made once for all lights. */
struct fine_cache {
    int wanted;                  /* samples per luxel */
    struct fine_samples *luxels; /* one per luxel of the face */
    struct sample_rows room;     /* scratch for a light's values at one luxel */
};
struct fine_samples *fine_samples_of(const struct receiver *to, struct fine_cache *cache,
                                     int luxel);

#endif
