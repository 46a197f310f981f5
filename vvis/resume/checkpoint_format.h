/* What a run knows, as the bytes of a file: of a run under way (the checkpoint) or of a finished
 * part (the cache).
 *
 * A magic that also tells the byte order, the key of what was computed, numbers, a SHA-256 of the
 * rest; then matrices of bits, each as pairs of counts: words of zeros, words that follow. */
#ifndef VVIS_RESUME_CHECKPOINT_FORMAT_H
#define VVIS_RESUME_CHECKPOINT_FORMAT_H

#include "common/bsp/sidecar/prt.h"
#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "vvis/graph/bits.h"
#include "vvis/vvis.h"

struct state_head {
    unsigned char key[SHA256_SIZE]; /* of the input, the options and the program */
    uint64_t part;                  /* which of several parts of the work */
    uint64_t done;                  /* how far it is there */
};

/* What a key is made of. All borrowed. */
struct key_source {
    const struct prt *prt;
    const struct vvis_options *options;
    double radius;
};

/* The same input, options and program give the same result: over the clusters, the portals bit by
 * bit, `radius`, the options that have a say in the result, and the sources that this program was
 * made of. Takes a millisecond or some: only for who needs it. */
void vvis_key(const struct key_source *source, unsigned char out[SHA256_SIZE]);

/* A matrix of known shape. Borrowed. */
struct state_matrix {
    struct bit_rows *rows;
    size_t count, columns;
};

void state_encode(const struct state_head *head, const struct state_matrix *matrices, size_t count,
                  struct bytes *out);

/* The head alone; false when these bytes are no such file, or a damaged one. */
bool state_read_head(const void *data, size_t size, struct state_head *head);

/* Fills the matrices from a file whose head was read: they are the first ones in it, or with `all`
 * the only ones. False, with the matrices as they were, when it does not hold matrices of just
 * these shapes, or has bits after a last column. */
bool state_decode(const void *data, size_t size, const struct state_matrix *matrices, size_t count,
                  bool all);

#endif
