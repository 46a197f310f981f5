/* What rays met, kept from one run over the luxels of a map to the next: the lights of LDR and HDR
 * differ in brightness alone, and what stands in their way is the same.
 *
 * Every decision is made again from the light of its own run; only where a ray has been cast
 * before, what it met is looked up. So a run that recalls gives what it would have given by itself
 * (but for rays that touch the very edge of something: what these meet may hang on their packet).
 *
 * The records of a face, or of a leaf, are written and read by the thread that works on it. */
#ifndef VRAD_SCENE_RAY_HIT_CACHE_H
#define VRAD_SCENE_RAY_HIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ray_hit_cache;

/* Places of points that look around, by number: 0 .. places - 1. NULL is a recall that keeps
 * nothing, for all functions here. */
struct ray_hit_cache *ray_hit_cache_new(size_t places, size_t faces);
void ray_hit_cache_free(struct ray_hit_cache *cache);
/* Ends the first run, in which all is kept and nothing recalled: it casts its rays as if it were
 * alone. From here on all is recalled, and no more kept. */
void ray_hit_cache_begin_second(struct ray_hit_cache *cache);

/* ---- points that look around ---- */

/* The rays of a look, as far as they do not follow from its place. */
struct ray_hit_key {
    uint64_t seed;
    float position[3];
    int rays, kind; /* of the table */
};

/* What the rays of the look saw, key->rays numbers; NULL: it is not known. */
const uint32_t *ray_hit_cache_find(const struct ray_hit_cache *cache, size_t place,
                                   const struct ray_hit_key *key);
void ray_hit_cache_store(struct ray_hit_cache *cache, size_t place, const struct ray_hit_key *key,
                         const uint32_t *seen);
/* Rays of the looks that have been recalled, each counted once. */
int64_t ray_hit_cache_reused_rays(const struct ray_hit_cache *cache);

/* ---- rays of a light to a face ---- */

/* The rays to the samples of luxels, a bit each. */
struct light_visibility;

/* How a ray to a sample of a luxel is meant. */
enum visibility_ray_kind {
    VISIBILITY_COARSE, /* from one of the few samples that every luxel has */
    VISIBILITY_FAR,    /* from the same, towards where the light is for the luxel's middle */
    VISIBILITY_FINE,   /* from one of the many */
};
enum { VISIBILITY_COARSE_MAX = 4, VISIBILITY_FINE_MAX = 128 };

/* The sights of a light on a face of `luxels` luxels. NULL: nothing is kept. */
struct light_visibility *ray_hit_cache_visibility(struct ray_hit_cache *cache, size_t face,
                                                  size_t light, int luxels);

struct visibility_ray {
    enum visibility_ray_kind kind;
    int luxel, sample; /* one of the luxel's, below SIGHT_COARSE_MAX or SIGHT_FINE_MAX */
};

/* A bit for each of the rays (at most 32) that is known, and, in *unblocked, whether its way is
 * free. */
uint32_t visibility_find16(const struct light_visibility *visibility,
                           const struct visibility_ray *rays, int count, uint32_t *unblocked);
/* Keeps those of `which`. */
void visibility_store16(struct light_visibility *visibility, const struct visibility_ray *rays,
                        uint32_t which, uint32_t unblocked);

#endif
