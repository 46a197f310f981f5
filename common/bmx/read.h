/* Inside common/bmx: reading a BM file in two steps. */
#ifndef BMX_READ_H
#define BMX_READ_H

#include "common/bmx/bmx.h"

/* The unpacked block files; [role] as in enum bmx_role. */
struct bmx_parts {
    struct bytes files[BMX_ROLE_FILE];
};

/* The archive: fills comment and members, and moves the block files into `parts`. False when one
 * is missing. */
bool bmx_read_archive(const void *data, size_t size, const struct bmx_limits *limits,
                      struct bmx *bmx, struct bmx_parts *parts, struct bmx_findings *findings);

/* The index and the blocks. False when there can be no model. */
bool bmx_read_blocks(const struct bmx_parts *parts, struct bmx *bmx, struct bmx_findings *findings);

#endif
