/* Small text helpers. Case means ASCII case. */
#ifndef CORE_STRINGS_H
#define CORE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

bool str_equal_nocase(const char *a, const char *b);
bool str_starts_nocase(const char *text, const char *prefix);
bool str_ends_nocase(const char *text, const char *suffix);
int str_compare_nocase(const char *a, const char *b);

/* One finite number that fills the whole text but for blanks around it. */
bool str_to_double(const char *text, double *out);
bool str_to_long(const char *text, long *out);

/* Decimal numbers as programs write them, many times faster than strtod, which reads all that are
 * numbers: a minus or none, digits, and maybe a point with digits or none: "-12.5". `end` is where
 * the text ends, or NULL where a 0 ends it. Returns where the number ends, having set *out to what
 * strtod gives, bit for bit; or NULL, *out unchanged, where there are no digits first or more than
 * 15 of them. What follows the number is for the caller to look at: strtod would go on at "e5",
 * and at "x5" behind a 0. */
const char *decimal_read(const char *text, const char *end, double *out);

/* Up to `most` finite numbers from text such as "1 2 3", "[1 2 3]" or "(1 2 3)"; how many. */
size_t str_to_doubles(const char *text, double *out, size_t max);

/* Copies from the heap, for memory_free: a whole text, or its first `length` bytes. */
char *str_copy(const char *text);
char *str_copy_part(const char *text, size_t length);

/* Edit distance, for "did you mean". */
size_t str_distance(const char *a, const char *b);

#endif
