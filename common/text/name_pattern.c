#include "common/text/name_pattern.h"

#include <stddef.h>
#include <string.h>

/* Returns what follows the set that begins at `[`, or NULL when it does not end. */
static const char *end_of_set(const char *set)
{
    const char *first = set + 1;
    first += *first == '!' || *first == '^';
    const char *end = *first ? strchr(first + 1, ']') : NULL;
    return end ? end + 1 : NULL;
}

static bool set_has(const char *set, const char *end, unsigned char c)
{
    const char *at = set + 1, *last = end - 2;
    const bool is_inverted = *at == '!' || *at == '^';
    bool is_in = false;
    for (at += is_inverted; at <= last; at++) {
        const unsigned char from = (unsigned char)*at;
        if (at + 2 <= last && at[1] == '-')
            at += 2;
        is_in |= from <= c && c <= (unsigned char)*at;
    }
    return is_in != is_inverted;
}

/* Matches one character by the part of the pattern that begins at *pattern, which is not `*`, and
 * moves that behind the part. */
static bool matches_one(const char **pattern, unsigned char c)
{
    const char *part = *pattern, *end = *part == '[' ? end_of_set(part) : NULL;
    *pattern = end ? end : part + 1;
    return end ? set_has(part, end, c) : *part == '?' || (unsigned char)*part == c;
}

bool name_pattern_matches(const char *pattern, const char *name)
{
    /* The part behind the last `*`, and the end of the text that this matches so far: backtracking
     * never goes further back. */
    const char *behind_star = NULL, *taken = name;
    if (*name == '.' && *pattern != '.')
        return false;
    while (*name) {
        if (*pattern == '*') {
            behind_star = ++pattern;
            taken = name;
        } else if (*pattern && matches_one(&pattern, (unsigned char)*name)) {
            name++;
        } else if (behind_star) {
            pattern = behind_star;
            name = ++taken;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}
