/* What rays met, kept from one run over the luxels of a map to the next: the lights of LDR and HDR
 * differ in brightness alone, and what stands in their way is the same.
 *
 * Every decision is made anew from the light of its own run; only where a ray has been cast before,
 * what it met is looked up. So a run that recalls gives what it would have given by itself (but for
 * rays that touch the very edge of something: what these meet may hang on their packet).
 *
 * The records of a face, or of a leaf, are written and read by the thread that works on it. */
#ifndef VRAD_SCENE_RECALL_H
#define VRAD_SCENE_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recall;

/* Places of points that look around, by number: 0 .. places - 1. NULL is a recall that keeps
 * nothing, for all functions here. */
struct recall *recall_new(size_t places, size_t faces);
void recall_free(struct recall *recall);
/* Ends the first run, in which all is kept and nothing recalled: it casts its rays as if it were
 * alone. From here on all is recalled, and no more kept. */
void recall_begin_second(struct recall *recall);

/* ---- points that look around ---- */

/* The rays of a look, as far as they do not follow from its place. */
struct recall_key {
    uint64_t seed;
    float position[3];
    int rays, kind; /* of the table */
};

/* What the rays of the look saw, key->rays numbers; NULL: it is not known. */
const uint32_t *recall_look(const struct recall *recall, size_t place,
                            const struct recall_key *key);
void recall_keep_look(struct recall *recall, size_t place, const struct recall_key *key,
                      const uint32_t *seen);
/* Rays of the looks that have been recalled, each counted once. */
int64_t recall_used_rays(const struct recall *recall);

/* ---- rays of a light to a face ---- */

/* The rays to the samples of luxels, a bit each. */
struct sight;

/* How a ray to a sample of a luxel is meant. */
enum sight_kind {
    SIGHT_COARSE, /* from one of the few samples that every luxel has */
    SIGHT_FAR,    /* from the same, towards where the light is for the luxel's middle */
    SIGHT_FINE,   /* from one of the many */
};
enum { SIGHT_COARSE_MAX = 4, SIGHT_FINE_MAX = 128 };

/* The sights of a light on a face of `luxels` luxels. NULL: nothing is kept. */
struct sight *recall_sight(struct recall *recall, size_t face, size_t light, int luxels);

struct sight_ray {
    enum sight_kind kind;
    int luxel, sample; /* one of the luxel's, below SIGHT_COARSE_MOST or SIGHT_FINE_MOST */
};

/* A bit for each of the rays (at most 32) that is known, and, in *free_ways, whether its way is
 * free. */
uint32_t sight_known16(const struct sight *sight, const struct sight_ray *rays, int count,
                       uint32_t *free_ways);
/* Keeps those of `which`. */
void sight_keep16(struct sight *sight, const struct sight_ray *rays, uint32_t which,
                  uint32_t free_ways);

#endif
