/* A BM file as a folder of text that people can read, compare and edit.
 *
 *   index.txt      version, comment, members of the archive, order of the index
 *   objects.txt, meshes.txt, materials.txt, textures.txt
 *   Texture/       the texture files under their own names
 *   members/       other members, and files whose names are unsafe, by number
 *
 * The round trip is lossless: docs/formats/bmx.md describes the text. */
#ifndef BMX_DUMP_H
#define BMX_DUMP_H

#include "ballance/bmx/bmx.h"
#include "common/diag/progress.h"
#include "common/io/fs.h"

/* Writes the files, index.txt last, and creates the folders. Nothing is written outside `folder`,
 * whatever the names of the members. With `replace`, files of members that an earlier index.txt
 * names and this archive does not have are removed. Fails with a report when a file cannot be
 * written (FILE_WRITE), the model is incomplete (BMX_INCOMPLETE), or, before anything is written, a
 * file exists that may not be replaced (PAK_TARGET) or a symbolic link is in the way (PAK_LINK).
 * `progress`, which may be NULL, is told the files. */
NODISCARD enum status bmx_unpack(const struct bmx *bmx, struct fs *fs, const char *folder,
                                 bool replace, struct diag *diag, struct progress *progress);

/* Reads the model back from the folder. Fails with *out NULL and a report (FILE_READ; BMX_DUMP with
 * the file and line). Indices are not checked: see bmx_check_model. */
NODISCARD enum status bmx_pack(struct fs *fs, const char *folder, struct diag *diag,
                               struct bmx **out);

#endif
