/* Diagnostics as bytes, for a later run of the same program that reports them again. */
#ifndef DIAG_DIAG_BYTES_H
#define DIAG_DIAG_BYTES_H

#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* Appends all entries, with their properties. Returns false, with *out unchanged, when a place is
 * of an instance within more of them than anybody has. */
bool diag_append(const struct diag *diag, struct bytes *out);

/* Reports what diag_append has written. Returns false when the reader has something else; then what
 * was reported is not all of it. */
bool diag_read(struct byte_reader *from, struct diag *diag);

#endif
