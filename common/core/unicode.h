/* Code points, text in UTF-8, and files in UTF-16, which some editors save. */
#ifndef CORE_UNICODE_H
#define CORE_UNICODE_H

#include "common/core/arena.h"
#include "common/core/bytes.h"

enum { UNICODE_REPLACEMENT = 0xfffd };

/* Whether a code point is a character of Unicode: no surrogate, not above U+10FFFF. */
bool unicode_is_sound(uint32_t point);

/* A code point in UTF-8, and its length; the caller has looked whether it is sound. */
size_t utf8_encode(uint32_t point, char out[4]);
void utf8_put(struct bytes *out, uint32_t point);
/* Length of the character at `text`, which has `size` bytes, and the character; 0: it is none (by
 * the strict rules of Unicode: shortest form, no surrogates). */
size_t utf8_length(const char *text, size_t size, uint32_t *point);

/* Text that starts with a UTF-16 byte order mark is replaced by UTF-8 in the arena; other text
 * stays as it is. Surrogates without a partner become U+FFFD. */
void unicode_to_utf8(struct arena *arena, const char **text, size_t *size);

#endif
