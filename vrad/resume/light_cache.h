/* The light of a map, kept by all that it depends on (stage_cache.h). */
#ifndef VRAD_RESUME_LIGHT_CACHE_H
#define VRAD_RESUME_LIGHT_CACHE_H

#include "common/resume/stage_cache.h"
#include "common/text/entity_reads.h"
#include "vrad/vrad.h"

/* Zero-initialise; free with light_cache_free. */
struct light_cache {
    struct stage_cache stage;
    struct vrad_session *session;
    const struct bsp *bsp;
    char *entities; /* stb_ds array: the text before */
    struct assets *assets;
    bool is_shared; /* with other ranks */
    /* SHA-256 of the names that earlier stages have asked the assets for; these have told
     * something. */
    unsigned char names[SHA256_SIZE];
    bool has_reported;
    const struct bsp_format *format;
    const char *rads[2];        /* files of texture lights that options name, or NULL */
    struct entity_reads *reads; /* for the stage; NULL: nothing is kept */
};

/* Puts the light of an earlier run into the BSP and reports its messages, or returns false and
 * begins to keep those of a run. Without a cache, or for a run that writes files of its own, it
 * only returns false. */
bool light_cache_use(struct light_cache *cache, const struct env *env,
                     const struct vrad_options *options, struct vrad_session *session,
                     struct assets *assets, struct bsp *bsp);

/* Keeps what a run has made of the BSP. */
void light_cache_keep(struct light_cache *cache, struct bsp *bsp);

void light_cache_free(struct light_cache *cache);

#endif
