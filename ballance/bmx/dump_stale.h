/* Internal to ballance/bmx: files of an earlier archive in the folder of an unpacked one. */
#ifndef BMX_DUMP_STALE_H
#define BMX_DUMP_STALE_H

#include "common/core/bytes.h"
#include "common/io/fs.h"

/* Removes the members' files that one text of index.txt names and the other does not. Texts that
 * are invalid name what stands before their first error. Nothing outside of the folder, or behind a
 * symbolic link, is removed; what cannot be removed stays. */
void dump_remove_stale(struct fs *fs, const char *folder, const struct bytes *before,
                       const struct bytes *now);

#endif
