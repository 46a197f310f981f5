/* Internal to ballance/bmx: lines of a keyword and its values, and the blocks of materials and
 * textures that they make in an unpacked BM file and in a material table. */
#ifndef BMX_DUMP_BLOCKS_H
#define BMX_DUMP_BLOCKS_H

#include "ballance/bmx/bmx.h"
#include "ballance/bmx/dump_text.h"

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
