#include "common/text/condition.h"

#include <string.h>

#include "common/core/strings.h"

size_t condition_length(const char *text, size_t size)
{
    bool starts = (size >= 2 && text[0] == '[' && text[1] == '$') ||
                  (size >= 3 && text[0] == '[' && text[1] == '!' && text[2] == '$');
    if (!starts)
        return 0;
    for (size_t i = 0; i < size && text[i] != '\n'; i++)
        if (text[i] == ']')
            return i + 1;
    return 0;
}

static bool symbol_holds(const char *text, size_t length)
{
    static const char *const known[] = {"WIN32", "WINDOWS", "PC"};
    char name[16] = "";
    if (length >= sizeof name)
        return false;
    memcpy(name, text, length);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_equal_nocase(name, known[i]))
            return true;
    return false;
}

static bool ends_symbol(char c)
{
    return (unsigned char)c <= ' ' || strchr("$!|&[]", c);
}

/* A sum of products: && binds tighter than ||. What is no symbol and no operator is skipped. */
bool condition_holds(const char *text, size_t length)
{
    bool sum = false, product = true, negated = false;
    for (size_t i = 0; i < length;) {
        char c = text[i++];
        if (c == '!') {
            negated = !negated;
        } else if (c == '|') {
            sum = sum || product;
            product = true;
            while (i < length && text[i] == '|')
                i++;
        } else if (c == '$') {
            size_t end = i;
            while (end < length && !ends_symbol(text[end]))
                end++;
            product = product && symbol_holds(text + i, end - i) != negated;
            negated = false;
            i = end;
        }
    }
    return sum || product;
}
