#include "common/text/word_lines.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/unicode.h"
#include "common/diag/codes/map_lists.def"

struct reader {
    const char *at, *end;
    int line;
    struct arena *arena;
};

static bool is_end_of_line(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static bool at_end_of_line(const struct reader *reader)
{
    return reader->at == reader->end || is_end_of_line(*reader->at);
}

static void skip_line(struct reader *reader)
{
    while (!at_end_of_line(reader))
        reader->at++;
}

static void skip_end_of_line(struct reader *reader)
{
    if (reader->at == reader->end)
        return;
    const bool is_return = *reader->at++ == '\r';
    if (is_return && reader->at < reader->end && *reader->at == '\n')
        reader->at++;
    reader->line++;
}

/* Returns NULL when a quote does not end in its line. The word is at most as long as its text. */
static const char *read_word(struct reader *reader)
{
    const char *begin = reader->at;
    while (!at_end_of_line(reader) && !is_blank(*reader->at)) {
        const char quote = *reader->at++;
        if (quote != '"' && quote != '\'')
            continue;
        while (!at_end_of_line(reader) && *reader->at != quote)
            reader->at++;
        if (at_end_of_line(reader))
            return NULL;
        reader->at++;
    }
    char *word = arena_strndup(reader->arena, begin, (size_t)(reader->at - begin)), *out = word;
    char quote = 0;
    for (const char *in = word; *in; in++) {
        if (quote ? *in == quote : *in == '"' || *in == '\'')
            quote = quote ? 0 : *in;
        else
            *out++ = *in;
    }
    *out = 0;
    return word;
}

/* Returns false when a quote does not end. */
static bool read_line(struct reader *reader, struct word_line *out)
{
    *out = (struct word_line){.line = reader->line};
    for (;;) {
        while (!at_end_of_line(reader) && is_blank(*reader->at))
            reader->at++;
        if (at_end_of_line(reader))
            return true;
        if (*reader->at == '#') {
            skip_line(reader);
            return true;
        }
        const char *word = read_word(reader);
        if (!word)
            return false;
        arrput(out->words, word);
    }
}

enum status word_lines_parse(const char *text, size_t size, const char *file, struct arena *arena,
                             struct diag *diag, struct word_line **out)
{
    unicode_to_utf8(arena, &text, &size);
    struct reader reader = {.at = text, .end = text + size, .line = 1, .arena = arena};
    enum status status = STATUS_OK;
    reader.at += utf8_mark_length(text, size);
    if (size && memchr(text, 0, size))
        return diag_report(diag, DIAG_LIST, &(struct diag_where){.file = file},
                           "there are zero bytes in it: it is no text");
    for (; reader.at < reader.end; skip_end_of_line(&reader)) {
        struct word_line line;
        if (!read_line(&reader, &line)) {
            status =
                diag_report(diag, DIAG_LIST, &(struct diag_where){.file = file, .line = line.line},
                            "a quote does not end in its line");
            arrfree(line.words);
        } else if (line.words) {
            arrput(*out, line);
        }
    }
    return status;
}

void word_lines_free(struct word_line *lines)
{
    for (size_t i = 0; i < arrlenu(lines); i++)
        arrfree(lines[i].words);
    arrfree(lines);
}
