/* The light of a map, kept by all that it depends on (stage_cache.h). */
#ifndef VRAD_RESUME_LIGHT_CACHE_H
#define VRAD_RESUME_LIGHT_CACHE_H

#include "common/stage/stage.h"
#include "common/text/entity_reads.h"
#include "vrad/vrad.h"

/* The result of a run of vrad for the cache (stage_run.result): nothing is kept without a trace of
 * the content, and of a run that writes files of its own. Free with light_cache_free. */
struct light_cache {
    /* Set by the caller, and borrowed. */
    const struct vrad_options *options;
    struct vrad_session *session; /* or NULL */
    struct bsp *bsp;
    struct assets *assets;
    bool is_shared; /* with other ranks */
    /* Set when the cache is asked. */
    bool is_asked;
    char *entities; /* stb_ds array: the text before */
    /* SHA-256 of the names that earlier stages have asked the assets for; these have told
     * something. */
    unsigned char names[SHA256_SIZE];
    bool has_reported;
    const struct bsp_format *format;
    const char *rads[2];        /* files of texture lights that options name, or NULL */
    struct entity_reads *reads; /* of the run; NULL: nothing is kept */
};
extern const struct stage_result light_cache_result;

/* Hashes all that a run whose result is kept has seen so far: the map but for its entities, the
 * options, what it has asked of entities, and the content that it has read. Returns false for a run
 * that keeps none. */
bool light_cache_scene(const struct stage_run *run, unsigned char out[SHA256_SIZE]);

void light_cache_free(struct light_cache *cache);

#endif
