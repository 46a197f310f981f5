/* A file of which only what stands around the tree is read: the rest stays in the file, and goes
 * from there into the one that is written. */
#ifndef BSP_CODEC_PART_FILE_H
#define BSP_CODEC_PART_FILE_H

#include "common/bsp/codec/format.h"

struct bsp_part_file;

/* Opens the file and reads its directory. NULL where it has to be read whole: it is no file of a
 * disk, or no BSP that is known, sound as far as its directory goes, and not compressed. */
struct bsp_part_file *bsp_part_open(struct fs *fs, const char *path);
void bsp_part_close(struct bsp_part_file *part); /* NULL is fine */

/* For a draft of what will be written; lives as long as the bsp. */
struct fs_source *bsp_part_source(const struct bsp_part_file *part);
/* Up to where a file that has other visibility has the same lumps at the same places. */
uint64_t bsp_part_before_visibility(const struct bsp_part_file *part);

/* As bsp_decode_tree. The file is closed with the bsp, or when it fails. */
NODISCARD enum status bsp_part_decode_tree(struct bsp_part_file *part, struct diag *diag,
                                           struct bsp **out);

/* Reads the rest of the file of such a bsp, and decodes all of it. *bsp is replaced; NULL when it
 * fails. For any other bsp too. */
NODISCARD enum status bsp_part_decode_rest(const char *name, struct diag *diag, struct bsp **bsp);

#endif
