#include "vbsp/level/map_reader.h"

#include <math.h>
#include <string.h>

#include "common/core/strings.h"

struct map_lexer map_lexer_new(const char *text, size_t size)
{
    static const char mark[3] = {'\xEF', '\xBB', '\xBF'};
    if (size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0) {
        text += sizeof mark;
        size -= sizeof mark;
    }
    return (struct map_lexer){.at = text, .end = size ? text + size : text, .line = 1};
}

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static bool is_mark(char c)
{
    return c == '(' || c == ')' || c == '[' || c == ']' || c == '{' || c == '}';
}

static bool starts(const struct map_lexer *lexer, const char *at, char second)
{
    return lexer->end - at >= 2 && at[0] == '/' && at[1] == second;
}

/* An unclosed comment ends with the file. */
static void skip_block_comment(struct map_lexer *lexer)
{
    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        lexer->line += *lexer->at == '\n';
        if (lexer->end - lexer->at >= 2 && lexer->at[0] == '*' && lexer->at[1] == '/') {
            lexer->at += 2;
            return;
        }
    }
}

static void skip_blanks(struct map_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (is_blank(*lexer->at)) {
            lexer->line += *lexer->at == '\n';
            lexer->at++;
        } else if (starts(lexer, lexer->at, '/')) {
            const char *stop = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
            lexer->at = stop ? stop : lexer->end;
        } else if (starts(lexer, lexer->at, '*')) {
            skip_block_comment(lexer);
        } else {
            return;
        }
    }
}

/* Values never span lines, so the end of the line closes a string whose quote is missing, and the
 * rest is still read. */
static void quoted(struct map_lexer *lexer, struct map_token *token)
{
    token->kind = MAP_TOKEN_QUOTED;
    token->text = ++lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at++;
    token->length = (size_t)(lexer->at - token->text);
    token->unclosed = lexer->at == lexer->end || *lexer->at == '\n';
    if (token->unclosed && token->length && token->text[token->length - 1] == '\r')
        token->length--;
    lexer->at += !token->unclosed;
}

static bool ends_word(const struct map_lexer *lexer, bool name)
{
    char c = *lexer->at;
    return is_blank(c) || (!name && (is_mark(c) || c == '"' || starts(lexer, lexer->at, '/')));
}

/* Also ends a name, unless it begins with a brace like "{fence", which older games use for masked
 * textures. */
static bool at_mark(const struct map_lexer *lexer, bool name)
{
    bool glued = lexer->end - lexer->at >= 2 && !is_blank(lexer->at[1]);
    return is_mark(*lexer->at) && !(name && *lexer->at == '{' && glued);
}

static struct map_token read_token(struct map_lexer *lexer, bool name)
{
    skip_blanks(lexer);
    struct map_token token = {.text = lexer->at, .line = lexer->line};
    if (lexer->at == lexer->end)
        return token;
    if (*lexer->at == '"') {
        quoted(lexer, &token);
        return token;
    }
    if (at_mark(lexer, name)) {
        token.kind = MAP_TOKEN_MARK;
        token.mark = *lexer->at++;
    } else {
        token.kind = MAP_TOKEN_WORD;
        while (lexer->at < lexer->end && !ends_word(lexer, name))
            lexer->at++;
    }
    token.length = (size_t)(lexer->at - token.text);
    return token;
}

struct map_token map_lexer_next(struct map_lexer *lexer)
{
    return read_token(lexer, false);
}

struct map_token map_lexer_name(struct map_lexer *lexer)
{
    return read_token(lexer, true);
}

struct map_token map_lexer_peek(const struct map_lexer *lexer)
{
    struct map_lexer copy = *lexer;
    return read_token(&copy, false);
}

static const char *skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

static bool is_decimal(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+'), *whole = at;
    at = skip_digits(at);
    bool digits = at > whole;
    if (*at == '.') {
        const char *fraction = ++at;
        at = skip_digits(at);
        digits = digits || at > fraction;
    }
    if (digits && (*at == 'e' || *at == 'E')) {
        at++;
        at += *at == '-' || *at == '+';
        const char *exponent = at;
        at = skip_digits(at);
        digits = at > exponent;
    }
    return digits && !*at;
}

/* Non-finite numbers as C libraries write them: nan, -inf, 1.#INF00, -1.#IND. */
static bool is_not_finite(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+'), *rest = skip_digits(at);
    return (rest > at && str_starts_nocase(rest, ".#")) || str_starts_nocase(at, "nan") ||
           str_starts_nocase(at, "inf");
}

bool map_token_number(const struct map_token *token, double *out)
{
    char text[64];
    if (token->kind != MAP_TOKEN_WORD || token->length >= sizeof text)
        return false;
    memcpy(text, token->text, token->length);
    text[token->length] = 0;
    if (is_not_finite(text)) {
        *out = (double)NAN;
        return true;
    }
    if (!is_decimal(text))
        return false;
    if (str_to_doubles(text, out, 1) != 1)
        *out = *text == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
}

bool map_token_is(const struct map_token *token, const char *word)
{
    char text[32];
    if (token->kind != MAP_TOKEN_WORD || token->length >= sizeof text)
        return false;
    memcpy(text, token->text, token->length);
    text[token->length] = 0;
    return str_equal_nocase(text, word);
}
