/* Files that are extracted into a folder of the user. */
#ifndef IO_EXTRACT_TARGET_H
#define IO_EXTRACT_TARGET_H

#include "common/diag/diag.h"
#include "common/io/fs.h"

/* Reports and fails when the file exists and may not be replaced (PAK_TARGET), or when it or a
 * folder on the way to it from `folder` is a symbolic link (PAK_LINK). Extracting checks all files
 * before it writes the first. */
NODISCARD enum status extract_check_target(struct fs *fs, struct diag *diag, const char *folder,
                                           const char *name, bool replace);

#endif
