/* File format of visibility data: a run in progress (the checkpoint). The matrices alone are the
 * value of a finished component in a cache.
 *
 * A magic number that also tells the byte order, the cache key, progress numbers and a SHA-256 of
 * the rest; then bit matrices, each encoded as pairs of counts: zero words, literal words that
 * follow. */
#ifndef VVIS_RESUME_CHECKPOINT_FORMAT_H
#define VVIS_RESUME_CHECKPOINT_FORMAT_H

#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "vvis/graph/bits.h"

struct checkpoint_header {
    unsigned char key[SHA256_SIZE]; /* of the input, the options and the program */
    uint64_t component;             /* index of the connected component in progress */
    uint64_t done;                  /* progress within the component */
};

/* A matrix of known shape. Borrowed. */
struct checkpoint_matrix {
    struct bit_rows *rows;
    size_t count, columns;
};

void checkpoint_encode(const struct checkpoint_header *header,
                       const struct checkpoint_matrix *matrices, size_t count, struct bytes *out);

/* Reads the header only. Returns false when the bytes are not such a file or are corrupt. */
bool checkpoint_read_header(const void *data, size_t size, struct checkpoint_header *header);

/* Fills the matrices from a file whose header was read: they are the first ones in the file, or
 * with `all` the only ones. Returns false and leaves the matrices unchanged when the file does not
 * hold matrices of exactly these shapes, or sets bits after a last column. */
bool checkpoint_decode(const void *data, size_t size, const struct checkpoint_matrix *matrices,
                       size_t count, bool all);

/* Says whether matrices may be what was written, by more than their shapes. */
typedef bool checkpoint_fits(const struct checkpoint_matrix *matrices, size_t count);

/* The same of the only ones in the file, that must fit besides. `fits` may be NULL. */
bool checkpoint_decode_fitting(const void *data, size_t size,
                               const struct checkpoint_matrix *matrices, size_t count,
                               checkpoint_fits *fits);

/* The same without the header, in the byte order of the processor. */
void checkpoint_encode_matrices(const struct checkpoint_matrix *matrices, size_t count,
                                struct bytes *out);
bool checkpoint_decode_matrices(const void *data, size_t size,
                                const struct checkpoint_matrix *matrices, size_t count, bool all);

#endif
