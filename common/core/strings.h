/* Small text helpers. Case means ASCII case. */
#ifndef CORE_STRINGS_H
#define CORE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool str_equal_nocase(const char *a, const char *b);
bool str_starts_nocase(const char *text, const char *prefix);
bool str_ends_nocase(const char *text, const char *suffix);
int str_compare_nocase(const char *a, const char *b);
/* For qsort and bsearch of an array of strings: by bytes. */
int str_compare_items(const void *a, const void *b);

/* Parse one finite number that is the whole text except for surrounding spaces. */
bool str_to_double(const char *text, double *out);
bool str_to_int64(const char *text, int64_t *out);

/* Parses a decimal number as programs write them, many times faster than strtod: an optional minus,
 * digits, and optionally a point with optional digits: "-12.5". `end` is the end of the text, or
 * NULL when it is NUL-terminated. Returns the end of the number and sets *out to the result of
 * strtod, bit for bit; or returns NULL, *out unchanged, when it does not start with digits or has
 * more than 15 of them. The caller must look at what follows: strtod would continue at "e5", and at
 * "x5" after a 0. */
const char *decimal_read(const char *text, const char *end, double *out);

/* Parses up to `max` finite numbers from text such as "1 2 3", "[1 2 3]" or "(1 2 3)"; returns
 * their number. */
size_t str_to_doubles(const char *text, double *out, size_t max);

/* Copy a text, or its first `length` bytes, to the heap; free with memory_free. */
char *str_copy(const char *text);
char *str_copy_part(const char *text, size_t length);

/* Edit distance, for "did you mean". */
size_t str_distance(const char *a, const char *b);

/* Errors of files that errno has no value for. */
enum {
    ERROR_NOT_REGULAR = 1 << 16, /* a FIFO, a device or a socket */
    ERROR_OUTSIDE,               /* outside the folders of the sandbox */
    ERROR_CHANGED,               /* the file is not as it was */
    ERROR_HELD,                  /* another program has it open, in a way that keeps others out */
    ERROR_NAME,                  /* the system allows no file of that name */
    ERROR_END
};

/* The text of an errno, or of one of those, as messages have it after a colon: "no such file or
 * directory". */
struct str_error {
    char text[80];
};

struct str_error str_error(int error);

#endif
