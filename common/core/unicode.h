/* Code points, text in UTF-8, and conversion of UTF-16 files, which some editors save. */
#ifndef CORE_UNICODE_H
#define CORE_UNICODE_H

#include "common/core/arena.h"
#include "common/core/bytes.h"

enum { UNICODE_REPLACEMENT = 0xfffd };

/* Returns true for a Unicode scalar value: not a surrogate, at most U+10FFFF. */
bool unicode_is_valid(uint32_t point);

/* Encodes a valid code point in UTF-8 and returns the length. */
size_t utf8_encode(uint32_t point, char out[4]);
void utf8_put(struct bytes *out, uint32_t point);
/* Returns the length of the character at `text`, which has `size` bytes, and the character; 0 when
 * it is invalid (shortest form, no surrogates). */
size_t utf8_length(const char *text, size_t size, uint32_t *point);

/* Returns the length of the UTF-8 byte order mark that the text starts with: 3 or 0. */
size_t utf8_mark_length(const char *text, size_t size);

/* Replaces text that starts with a UTF-16 byte order mark by UTF-8 in the arena; other text is
 * unchanged. Unpaired surrogates become U+FFFD. */
void unicode_to_utf8(struct arena *arena, const char **text, size_t *size);

#endif
