/* Internal to ballance/bmx: lines of a keyword and its values, and the blocks of materials and
 * textures that they make in an unpacked BM file and in a material table. */
#ifndef BMX_DUMP_BLOCKS_H
#define BMX_DUMP_BLOCKS_H

#include "ballance/bmx/bmx.h"
#include "ballance/bmx/dump_text.h"

/* Blocks of a kind by their names. */

struct name_entry {
    const struct bmx_text *name; /* the model's */
    uint32_t block;
};

/* Zero-initialised, it has no names. */
struct name_index {
    struct name_entry *entries; /* stb_ds array, sorted by name, then by block */
};

/* Borrows the model, whose blocks of the kind must not change. Free with name_index_free. */
void name_index_make(struct name_index *index, const struct bmx *bmx, enum bmx_kind kind);
void name_index_free(struct name_index *index);

/* Returns the number of blocks of that name, and sets *block to the first of them. */
size_t name_index_find(const struct name_index *index, const struct bmx_text *name,
                       uint32_t *block);

/* Take a line, or fail. */
uint32_t dump_take_number(struct dump_reader *in, const char *keyword, uint32_t max);
void dump_take_floats(struct dump_reader *in, const char *keyword, float *out, int count);

/* Write a line. */
void dump_put_floats(struct bytes *out, const char *keyword, const float *values, size_t count);
void dump_put_number_line(struct bytes *out, const char *keyword, uint32_t value);

/* Take the lines of a block after its name; of a material those before its texture. */
void dump_take_material(struct dump_reader *in, struct bmx_material *material);
void dump_take_texture(struct dump_reader *in, struct bmx_texture *texture);
/* Write the same. */
void dump_put_material(struct bytes *out, const struct bmx_material *material);
void dump_put_texture(struct bytes *out, const struct bmx_texture *texture);

#endif
