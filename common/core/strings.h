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

/* Up to `most` finite numbers from text such as "1 2 3", "[1 2 3]" or "(1 2 3)"; how many. */
size_t str_to_doubles(const char *text, double *out, size_t most);

/* Copies from the heap, for memory_free: a whole text, or its first `length` bytes. */
char *str_copy(const char *text);
char *str_copy_part(const char *text, size_t length);

/* Edit distance, for "did you mean". */
size_t str_distance(const char *a, const char *b);

#endif
