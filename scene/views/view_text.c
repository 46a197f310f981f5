/* Viewpoints as text. */
#include <ctype.h>

#include "common/core/strings.h"
#include "scene/views/scene_view.h"

/* Replaces the commands and punctuation of getpos by blanks; returns false when other words are
 * left. */
static bool strip_commands(const char *text, char *out, size_t size)
{
    static const char *const words[] = {"setpos_exact", "setang_exact", "setpos", "setang"};
    size_t used = 0;
    while (*text) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words && !skip; i++)
            if (str_starts_nocase(text, words[i]))
                skip = strlen(words[i]);
        if (used + 1 >= size || (!skip && isalpha((unsigned char)*text) && *text != 'e'))
            return false;
        out[used++] = skip || *text == ';' || *text == ',' ? ' ' : *text;
        text += skip ? skip : 1;
    }
    out[used] = 0;
    return true;
}

/* Parses numbers separated by blanks. Returns their count, or -1 when there is anything else or
 * too many. */
static int only_numbers(const char *text, double *out, int max)
{
    int count = 0;
    for (;;) {
        text += strspn(text, " \t");
        if (!*text)
            return count;
        size_t length = strcspn(text, " \t");
        char word[64];
        if (count == max || length >= sizeof word)
            return -1;
        memcpy(word, text, length);
        word[length] = 0;
        if (!str_to_double(word, &out[count]) || !(fabs(out[count]) < 1e6))
            return -1;
        count++;
        text += length;
    }
}

bool scene_view_read(const char *text, struct scene_view *out)
{
    char stripped[256];
    double numbers[6] = {0};
    if (!strip_commands(text, stripped, sizeof stripped))
        return false;
    int count = only_numbers(stripped, numbers, 6);
    if (count != 3 && count != 5 && count != 6)
        return false;
    *out = (struct scene_view){.eye = vec3(numbers[0], numbers[1], numbers[2]),
                               .angles = vec3(numbers[3], numbers[4], numbers[5])};
    return true;
}
