/* Patterns of names of files, as shells have them: `*`, `?`, and sets, `[a-z_]` and `[!a-z]`.
 *
 * A `]` that is first in a set and a `-` that is first or last in it stand for themselves, as does
 * a
 * `[` whose set does not end. Bytes are compared. Nothing but a dot matches a dot at the beginning
 * of a name. */
#ifndef TEXT_NAME_PATTERN_H
#define TEXT_NAME_PATTERN_H

#include <stdbool.h>

bool name_pattern_matches(const char *pattern, const char *name);

#endif
