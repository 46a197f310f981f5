#include "common/core/strings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"

static int lower(char c)
{
    return tolower((unsigned char)c);
}

int str_compare_nocase(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) - lower(*b);
}

bool str_equal_nocase(const char *a, const char *b)
{
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

bool str_to_long(const char *text, long *out)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || !only_blanks(end) || errno == ERANGE)
        return false;
    *out = value;
    return true;
}

size_t str_to_doubles(const char *text, double *out, size_t most)
{
    size_t count = 0;
    while (count < most) {
        while (*text && (isspace((unsigned char)*text) || strchr("[](){},", *text)))
            text++;
        char *end;
        double value = strtod(text, &end);
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
