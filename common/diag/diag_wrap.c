#include "common/diag/diag_wrap.h"

#include <string.h>

enum { HANGING = 4 };

/* Columns of a text without a line end. */
static int width_of(const char *text, size_t length)
{
    int width = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\033') {
            while (i < length && text[i] != 'm')
                i++;
        } else {
            width += ((unsigned char)text[i] & 0xc0) != 0x80;
        }
    }
    return width;
}

/* Returns the number of bytes of the first word, with the blanks before it. */
static size_t word_length(const char *text, size_t length)
{
    size_t end = 0;
    while (end < length && text[end] == ' ')
        end++;
    while (end < length && text[end] != ' ')
        end++;
    return end;
}

static void put_line(FILE *out, const char *text, size_t length, int columns)
{
    const int indent = (int)strspn(text, " ") + HANGING;
    int column = 0;
    while (length) {
        size_t size = word_length(text, length);
        int width = width_of(text, size);
        if (column > indent && column + width > columns) {
            size_t blanks = strspn(text, " ");
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            text += blanks;
            length -= blanks;
            size -= blanks;
            width -= (int)blanks;
        }
        fwrite(text, 1, size, out);
        column += width;
        text += size;
        length -= size;
    }
}

void diag_put_wrapped(FILE *out, const char *text, int columns)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        put_line(out, text, length, columns);
        text += length;
        if (*text == '\n')
            fputc(*text++, out);
    }
}
