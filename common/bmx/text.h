/* Names in BM files: UTF-32 as it was stored, which may be no Unicode at all. */
#ifndef BMX_TEXT_H
#define BMX_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/arena.h"
#include "common/core/unicode.h"

struct bmx_text {
    uint32_t *points; /* stb_ds array; NULL: the empty text */
};

/* Text from UTF-8; a byte that is part of no character becomes U+FFFD. Free with bmx_text_free. */
struct bmx_text bmx_text_make(const char *utf8);
struct bmx_text bmx_text_copy(const struct bmx_text *text);
void bmx_text_free(struct bmx_text *text);

/* How many code points are not sound. */
size_t bmx_text_unsound(const struct bmx_text *text);
bool bmx_text_is_ascii(const struct bmx_text *text);
/* Order by the stored numbers; 0: the same. */
int bmx_text_compare(const struct bmx_text *a, const struct bmx_text *b);
/* The same of pointers to texts, for qsort. */
int bmx_text_order(const void *a, const void *b);

/* The text in UTF-8, in the arena, for people and for file names: what is not sound, and U+0000,
 * becomes U+FFFD. */
char *bmx_text_utf8(const struct bmx_text *text, struct arena *arena);

#endif
