/* Internal to ballance/bmx: the text of an unpacked BM file. Words, numbers and quoted texts; lines
 * of a keyword and its values; and the blocks of materials and textures, which a material table has
 * as well. */
#ifndef BMX_DUMP_TEXT_H
#define BMX_DUMP_TEXT_H

#include "ballance/bmx/bmx.h"
#include "ballance/bmx/text.h"
#include "common/diag/diag.h"

/* Reads text by lines. Empty ones and those that start with # are skipped. */
struct dump_reader {
    const char *at, *end;
    const char *line_end; /* end of the current line, which starts with the keyword */
    const char *keyword;
    size_t keyword_length; /* 0: no more lines */
    struct diag_where where;
    struct diag *diag;
    bool failed;
};

/* Each of these writes a space first. */
void dump_put_number(struct bytes *out, uint64_t value);
/* Writes the text in quotes, with \" \\ and \u{1f} as escapes. */
void dump_put_text(struct bytes *out, const struct bmx_text *text);
/* Writes bytes that should be UTF-8; invalid ones become \xff. */
void dump_put_bytes(struct bytes *out, const void *data, size_t size);
/* Writes two hexadecimal digits per byte. */
void dump_put_hex(struct bytes *out, const unsigned char *data, size_t size);

/* Starts with the first line. text[size] must be a null character, and is not part of the text. A
 * byte order mark is skipped. */
void dump_open(struct dump_reader *reader, const char *text, size_t size, const char *path,
               struct diag *diag);
/* Returns true when the line starts with this keyword. */
bool dump_is_at(const struct dump_reader *reader, const char *keyword);
/* Returns true when the line has another word. */
bool dump_has_word(struct dump_reader *reader);
/* Returns true when the next word is a quoted text. */
bool dump_has_text(struct dump_reader *reader);
/* Reports an error in the line (once); after that there are no more lines. */
void dump_fail(struct dump_reader *reader, const char *what);
/* Skips the keyword, or fails. */
void dump_expect(struct dump_reader *reader, const char *keyword);
/* Ends the line, which must have no more words, and goes on to the next. */
void dump_end_line(struct dump_reader *reader);

/* Parse the next word of the line. On an error they fail and return zero, empty or NULL. */
uint64_t dump_number(struct dump_reader *reader, uint64_t max);
struct bmx_text dump_text(struct dump_reader *reader);
void dump_bytes(struct dump_reader *reader, struct bytes *out);
void dump_hex(struct dump_reader *reader, struct bytes *out);
/* Skips one character, such as the `/` within `1/2/3`, with no space before it. */
void dump_expect_char(struct dump_reader *reader, char mark);
/* Like dump_number, without spaces before the number. */
uint64_t dump_joined_number(struct dump_reader *reader, uint64_t max);

/* --- lines and blocks --- */

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

/* --- blocks of a kind by their names --- */

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

#endif
