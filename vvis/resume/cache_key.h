/* The name of a piece of work: the same input, options and program give the same result. */
#ifndef VVIS_RESUME_CACHE_KEY_H
#define VVIS_RESUME_CACHE_KEY_H

#include "common/bsp/sidecar/prt.h"
#include "common/core/sha256.h"
#include "vvis/vvis.h"

/* All borrowed. */
struct key_source {
    const struct prt *prt;
    const struct vvis_options *options;
    double radius;
};

/* Over the clusters, the portals bit by bit, `radius`, the options that have a say in the result,
 * and the sources that this program was made of. Takes a millisecond or some: only for who needs
 * it. */
void vvis_key(const struct key_source *source, unsigned char out[SHA256_SIZE]);

#endif
