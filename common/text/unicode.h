/* Text files in UTF-16: some editors save them so. */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H

#include "common/core/arena.h"

/* Text that starts with a UTF-16 byte order mark is replaced by UTF-8 in the arena; other text
 * stays as it is. Surrogates without a partner become U+FFFD. */
void unicode_to_utf8(struct arena *arena, const char **text, size_t *size);

#endif
