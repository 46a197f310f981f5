/* Bit matrices as bytes: of a run in progress in its checkpoint, of a finished component in a
 * cache.
 *
 * Each matrix is pairs of counts: zero words, and literal words that follow. All numbers are in the
 * byte order of the processor, which the start of a checkpoint and the key of an entry tell. */
#ifndef VVIS_RESUME_BIT_MATRICES_H
#define VVIS_RESUME_BIT_MATRICES_H

#include "common/core/bytes.h"
#include "vvis/graph/bits.h"

/* A matrix of known shape. Borrowed. */
struct bit_matrix {
    struct bit_rows *rows;
    size_t count, columns;
};

void bit_matrices_encode(const struct bit_matrix *matrices, size_t count, struct bytes *out);

/* Says whether matrices may be what was written, by more than their shapes. */
typedef bool bit_matrices_fit(const struct bit_matrix *matrices, size_t count);

/* Fills the matrices from all that is left of `from`, which must hold matrices of exactly these
 * shapes, no bits after a last column, and what `fits` accepts, if it is not NULL. Returns false
 * and leaves the matrices unchanged otherwise. */
bool bit_matrices_decode(struct byte_reader from, const struct bit_matrix *matrices, size_t count,
                         bit_matrices_fit *fits);

/* The same of the first matrices in `from`, which others may follow. */
bool bit_matrices_decode_first(struct byte_reader from, const struct bit_matrix *matrices,
                               size_t count);

#endif
