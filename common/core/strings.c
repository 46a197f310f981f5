#include "common/core/strings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/error_text.h"

/* No locale is ever set: ASCII letters only. */
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int str_compare_nocase(const char *a, const char *b)
{
    while (*a && (*a == *b || lower(*a) == lower(*b))) {
        a++;
        b++;
    }
    return lower(*a) - lower(*b);
}

int str_compare_items(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool str_equal_nocase(const char *a, const char *b)
{
    if ((*a ^ *b) &
        ~('a' ^ 'A')) /* most words differ in the first character, and not by its case */
        return false;
    return str_compare_nocase(a, b) == 0;
}

bool str_starts_nocase(const char *text, const char *prefix)
{
    for (; *prefix; text++, prefix++)
        if (lower(*text) != lower(*prefix))
            return false;
    return true;
}

bool str_ends_nocase(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && str_equal_nocase(text + length - tail, suffix);
}

static bool only_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return !*text;
}

bool str_to_double(const char *text, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || !only_blanks(end) || !isfinite(value))
        return false;
    *out = value;
    return true;
}

bool str_to_int64(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    int64_t value = strtoll(text, &end, 10);
    if (end == text || !only_blanks(end) || errno == ERANGE)
        return false;
    *out = value;
    return true;
}

/* Replaces strtod, which is slow: level sources consist mostly of numbers. */
static double read_number(const char *text, char **end)
{
    double value;
    const char *at = decimal_read(text, NULL, &value);
    if (!at || strchr("eExX.", *at ? *at : ' '))
        return strtod(text, end);
    *end = (char *)at;
    return value;
}

static bool is_between_numbers(char c)
{
    switch (c) {
    case '[':
    case ']':
    case '(':
    case ')':
    case '{':
    case '}':
    case ',':
        return true;
    default:
        return isspace((unsigned char)c);
    }
}

size_t str_to_doubles(const char *text, double *out, size_t max)
{
    size_t count = 0;
    while (count < max) {
        while (is_between_numbers(*text))
            text++;
        char *end;
        double value = read_number(text, &end);
        if (end == text || !isfinite(value))
            break;
        out[count++] = value;
        text = end;
    }
    return count;
}

size_t str_distance(const char *a, const char *b)
{
    size_t columns = strlen(b) + 1;
    size_t *row = memory_zalloc(columns, sizeof *row);
    for (size_t j = 0; j < columns; j++)
        row[j] = j;
    for (size_t i = 1; *a; a++, i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j < columns; j++) {
            size_t replace = diagonal + (lower(*a) != lower(b[j - 1]));
            size_t edit = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replace < edit ? replace : edit;
        }
    }
    size_t distance = row[columns - 1];
    memory_free(row);
    return distance;
}

char *str_copy_part(const char *text, size_t length)
{
    char *copy = memory_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *str_copy(const char *text)
{
    return str_copy_part(text, strlen(text));
}

enum { DIGITS_MAX = 15 };

static bool is_digit(const char *at, const char *end)
{
    return at != end && *at >= '0' && *at <= '9';
}

/* With so few digits it is the quotient of two exact doubles, so that it is rounded once, and
 * correctly. */
const char *decimal_read(const char *text, const char *end, double *out)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool minus = text != end && *text == '-';
    const char *at = text + minus;
    int64_t digits = 0;
    int count = 0, decimals = 0;
    for (; is_digit(at, end) && count < DIGITS_MAX; at++, count++)
        digits = digits * 10 + (*at - '0');
    if (!count)
        return NULL;
    if (at != end && *at == '.')
        for (at++; is_digit(at, end) && count < DIGITS_MAX; at++, count++, decimals++)
            digits = digits * 10 + (*at - '0');
    if (is_digit(at, end))
        return NULL;
    double value = decimals ? (double)digits / powers[decimals] : (double)digits;
    *out = minus ? -value : value;
    return at;
}

struct str_error str_error(int error)
{
    static const char *const own[ERROR_END - ERROR_NOT_REGULAR] = {
        [0] = "not a regular file",
        [ERROR_OUTSIDE - ERROR_NOT_REGULAR] = "outside the folders of the sandbox",
        [ERROR_CHANGED - ERROR_NOT_REGULAR] = "changed meanwhile",
        [ERROR_HELD - ERROR_NOT_REGULAR] = "another program has the file open",
        [ERROR_NAME - ERROR_NOT_REGULAR] = "the system allows no file of that name",
    };
    struct str_error out;
    const char *text = error >= ERROR_NOT_REGULAR && error < ERROR_END
                           ? own[error - ERROR_NOT_REGULAR]
                           : error_text(error);
    snprintf(out.text, sizeof out.text, "%s", text);
    if (out.text[0] && islower((unsigned char)out.text[1]))
        out.text[0] = (char)tolower((unsigned char)out.text[0]);
    return out;
}
