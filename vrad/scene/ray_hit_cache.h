/* Caches ray hits of a first run over the map for a second: the lights of LDR and HDR differ in
 * brightness only, and the occluders are the same.
 *
 * Every decision is made again from the light of the run; only hits of rays that were traced before
 * are looked up. So a second run gives the same result as without the cache (except for rays that
 * touch an edge exactly, whose hits may depend on their packet).
 *
 * The records of a face, or of a leaf, are only accessed by the thread that works on it. */
#ifndef VRAD_SCENE_RAY_HIT_CACHE_H
#define VRAD_SCENE_RAY_HIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/bytes.h"

struct ray_hit_cache;

/* Gather points have slots 0 .. places - 1. Without faces no shadow rays are kept. All functions
 * accept NULL as a cache that stores nothing. */
struct ray_hit_cache *ray_hit_cache_new(size_t slots, size_t faces);
void ray_hit_cache_free(struct ray_hit_cache *cache);
/* Ends the first run, which only stores. From here on hits are looked up, and none are stored. */
void ray_hit_cache_begin_second(struct ray_hit_cache *cache);

/* True when it has shadow rays: it stores them or looks them up. */
bool ray_hit_cache_has_visibility(const struct ray_hit_cache *cache);
/* True when it stores them. */
bool ray_hit_cache_keeps_visibility(const struct ray_hit_cache *cache);

/* ---- gather points ---- */

/* The rays of a gather point, as far as its slot does not determine them. */
struct ray_hit_key {
    uint64_t seed;
    float position[3];
    int rays, kind; /* of the table */
};

/* Marks in the hits of points, beside numbers below all of them: their users say which. */
#define RAY_HIT_MARKS 0xe0000000u

/* The hits of the point's rays, key->rays numbers; NULL: unknown. */
const uint32_t *ray_hit_cache_find(const struct ray_hit_cache *cache, size_t slot,
                                   const struct ray_hit_key *key);
void ray_hit_cache_store(struct ray_hit_cache *cache, size_t slot, const struct ray_hit_key *key,
                         const uint32_t *seen);
/* The number of rays that were looked up, each counted once. */
int64_t ray_hit_cache_reused_rays(const struct ray_hit_cache *cache);

/* From here on points are stored and looked up in each run: for those that come later
 * (ray_hit_cache_append_slots). */
void ray_hit_cache_keep_points(struct ray_hit_cache *cache);

/* The gather points of the slots from `first` to before `end`: appends those that this run has
 * used. Returns false, and appends nothing, when nearly all of them were read. */
bool ray_hit_cache_append_slots(const struct ray_hit_cache *cache, size_t first, size_t end,
                                struct bytes *out);
/* Reads all that this has appended for these slots, of which the cache has nothing yet. `numbers`:
 * hits without their marks are below this. Returns false for other bytes: then it may have taken
 * some of the points, which are sound. */
bool ray_hit_cache_read_slots(struct ray_hit_cache *cache, size_t first, size_t end,
                              uint32_t numbers, struct byte_reader *from);

/* ---- shadow rays of a light to a face ---- */

/* Results of shadow rays from the samples of luxels, one bit each. */
struct light_visibility;

/* The samples that a ray belongs to. */
enum visibility_ray_kind {
    VISIBILITY_COARSE, /* one of the coarse samples of every luxel */
    VISIBILITY_FAR,    /* the same, towards the light as seen from the luxel's middle */
    VISIBILITY_FINE,   /* one of the supersamples */
};
enum { VISIBILITY_COARSE_MAX = 4, VISIBILITY_FINE_MAX = 128 };

/* The results of a light on a face of `luxels` luxels. NULL: nothing is stored. */
struct light_visibility *ray_hit_cache_visibility(struct ray_hit_cache *cache, size_t face,
                                                  size_t light, int luxels);

struct visibility_ray {
    enum visibility_ray_kind kind;
    int luxel, sample; /* the luxel's sample, below VISIBILITY_COARSE_MAX or VISIBILITY_FINE_MAX */
};

/* Appends the results of shadow rays. Those of gather points are left out: their rays are in the
 * same packets when they are traced again. NULL: none. */
void ray_hit_cache_append(const struct ray_hit_cache *cache, struct bytes *out);
/* The same of one face; nothing in the second run. */
void ray_hit_cache_append_face(const struct ray_hit_cache *cache, size_t face, struct bytes *out);
/* Reads what these have appended for so many faces, into a cache that has nothing of them, or with
 * NULL only looks at it. Returns false for other bytes. */
bool ray_hit_cache_read(struct ray_hit_cache *cache, size_t faces, struct byte_reader *from);

/* One bit for each of the rays (at most 32) that is known, and in *unblocked its result. */
uint32_t visibility_find16(const struct light_visibility *visibility,
                           const struct visibility_ray *rays, int count, uint32_t *unblocked);
/* Stores the results of the rays in `which`. */
void visibility_store16(struct light_visibility *visibility, const struct visibility_ray *rays,
                        uint32_t which, uint32_t unblocked);

#endif
