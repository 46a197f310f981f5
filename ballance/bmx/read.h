/* Internal to ballance/bmx: reads a BM file in two steps. */
#ifndef BMX_READ_H
#define BMX_READ_H

#include "ballance/bmx/bmx.h"

/* The unpacked block files, indexed by enum bmx_role. */
struct bmx_parts {
    struct bytes files[BMX_ROLE_FILE];
};

/* Reads the archive: fills comment and members, and moves the block files into `parts`. Returns
 * false when one is missing. */
bool bmx_read_archive(const void *data, size_t size, const struct bmx_limits *limits,
                      struct bmx *bmx, struct bmx_parts *parts, struct bmx_findings *findings);

/* Reads the index and the blocks. Returns false when there can be no model. */
bool bmx_read_blocks(const struct bmx_parts *parts, struct bmx *bmx, struct bmx_findings *findings);

#endif
