/* Names in BM files: UTF-32 as stored, which may be invalid Unicode. */
#ifndef BMX_TEXT_H
#define BMX_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/arena.h"
#include "common/core/unicode.h"

struct bmx_text {
    uint32_t *points; /* stb_ds array; NULL: the empty text */
};

/* Converts from UTF-8; an invalid byte becomes U+FFFD. Free with bmx_text_free. */
struct bmx_text bmx_text_make(const char *utf8);
struct bmx_text bmx_text_copy(const struct bmx_text *text);
void bmx_text_free(struct bmx_text *text);

/* Number of invalid code points. */
size_t bmx_text_invalid_count(const struct bmx_text *text);
bool bmx_text_is_ascii(const struct bmx_text *text);
/* Orders by the stored numbers, like strcmp. */
int bmx_text_compare(const struct bmx_text *a, const struct bmx_text *b);
/* Like bmx_text_compare, on pointers to texts, for qsort. */
int bmx_text_order(const void *a, const void *b);

/* Converts to UTF-8, in the arena, for display and file names: invalid code points and U+0000
 * become U+FFFD. */
char *bmx_text_utf8(const struct bmx_text *text, struct arena *arena);

#endif
