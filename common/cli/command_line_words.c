#include "common/cli/command_line_words.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

/* A word that is being read. */
struct word {
    const char *at;
    char *text; /* stb_ds array */
    bool in_quotes, is_guessed;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static void put(struct word *word, char c, size_t count)
{
    for (; count; count--)
        arrput(word->text, c);
}

/* A path, or an option and a path with `=`. */
static bool holds_path(const struct word *word)
{
    for (size_t i = 0; i < arrlenu(word->text); i++)
        if (word->text[i] == '\\' || word->text[i] == '/' || word->text[i] == ':')
            return true;
    return false;
}

static bool is_end(const struct word *word, const char *behind)
{
    return word->in_quotes && (!*behind || is_space(*behind)) && holds_path(word);
}

/* Takes backslashes, and the quote behind them if there is one. */
static void take_backslashes(struct word *word)
{
    size_t count = strspn(word->at, "\\");
    word->at += count;
    if (*word->at != '"') {
        put(word, '\\', count);
        return;
    }
    put(word, '\\', count / 2);
    if (count % 2 == 0)
        return;
    if (is_end(word, word->at + 1)) {
        put(word, '\\', 1);
        word->in_quotes = false;
        word->is_guessed = true;
    } else {
        put(word, '"', 1);
    }
    word->at++;
}

/* Two quotes within quotes are one. */
static void take_quote(struct word *word)
{
    word->at++;
    if (word->in_quotes && *word->at == '"') {
        put(word, '"', 1);
        word->at++;
    } else {
        word->in_quotes = !word->in_quotes;
    }
}

static char *take_word(struct word *word)
{
    word->text = NULL;
    word->in_quotes = word->is_guessed = false;
    while (*word->at && (word->in_quotes || !is_space(*word->at))) {
        if (*word->at == '\\')
            take_backslashes(word);
        else if (*word->at == '"')
            take_quote(word);
        else
            put(word, *word->at++, 1);
    }
    char *copy = str_copy_part(word->text ? word->text : "", arrlenu(word->text));
    arrfree(word->text);
    return copy;
}

/* The first word, the program, has no backslashes before quotes. */
static const char *take_program(const char *line, struct command_words *out)
{
    bool in_quotes = false;
    char *text = NULL;
    for (; *line && (in_quotes || !is_space(*line)); line++) {
        if (*line == '"')
            in_quotes = !in_quotes;
        else
            arrput(text, *line);
    }
    arrput(out->words, str_copy_part(text ? text : "", arrlenu(text)));
    arrfree(text);
    return line;
}

void command_words_split(const char *line, struct command_words *out)
{
    *out = (struct command_words){0};
    struct word word = {.at = take_program(line, out)};
    for (word.at += strspn(word.at, " \t"); *word.at; word.at += strspn(word.at, " \t")) {
        char *text = take_word(&word);
        arrput(out->words, text);
        if (word.is_guessed && !out->guessed)
            out->guessed = text;
    }
}
