/* A BSP file of which only the lumps around the tree are read: the rest stays in the file, and is
 * copied from there into the file that is written. */
#ifndef BSP_CODEC_PART_FILE_H
#define BSP_CODEC_PART_FILE_H

#include "common/bsp/codec/format.h"

struct bsp_part_file;

/* Opens the file and reads its directory. Returns NULL when it must be read whole: it is not a file
 * on disk, or not a BSP of a known version that is valid by its directory and not compressed. */
struct bsp_part_file *bsp_part_open(struct fs *fs, const char *path);
void bsp_part_close(struct bsp_part_file *part); /* NULL is fine */

/* The source for a staged copy; lives as long as the bsp. */
struct fs_source *bsp_part_source(const struct bsp_part_file *part);
/* Offset up to which a file with other visibility has the same lumps at the same offsets. */
uint64_t bsp_part_before_visibility(const struct bsp_part_file *part);

/* Like bsp_decode_tree. The file is closed with the bsp, or on failure. */
NODISCARD enum status bsp_part_decode_tree(struct bsp_part_file *part, struct diag *diag,
                                           struct bsp **out);

/* Reads the rest of the file of such a bsp, and decodes all of it. *bsp is replaced; NULL on
 * failure. Works for any other bsp too. */
NODISCARD enum status bsp_part_decode_rest(const char *name, struct diag *diag, struct bsp **bsp);

#endif
