#include "common/text/lexer.h"

#include <string.h>

#include "common/core/unicode.h"

struct lexer lexer_new(const char *text, size_t size)
{
    size_t mark = utf8_mark_length(text, size);
    text = mark ? text + mark : text;
    size -= mark;
    return (struct lexer){.at = text, .end = size ? text + size : text, .line = 1};
}

/* Includes NUL and other control characters, with which some files end. */
static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static bool at_comment(const struct lexer *lexer)
{
    return lexer->end - lexer->at >= 2 && lexer->at[0] == '/' && lexer->at[1] == '/';
}

static void skip_blanks(struct lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (is_blank(*lexer->at)) {
            lexer->line += *lexer->at == '\n';
            lexer->at++;
        } else if (at_comment(lexer)) {
            while (lexer->at < lexer->end && *lexer->at != '\n')
                lexer->at++;
        } else {
            return;
        }
    }
}

static const char *find(const char *at, const char *end, char c)
{
    return at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
}

/* The quote that ends a text. */
static const char *find_close(const struct lexer *lexer)
{
    if (!lexer->escapes)
        return find(lexer->at, lexer->end, '"');
    const char *at = lexer->at;
    while (at < lexer->end && *at != '"')
        at += *at == '\\' && lexer->end - at >= 2 ? 2 : 1;
    return at < lexer->end ? at : NULL;
}

static void quoted(struct lexer *lexer, struct token *token)
{
    token->quoted = true;
    token->kind = TOKEN_UNTERMINATED;
    token->text = ++lexer->at;
    const char *close = find_close(lexer), *stop = close ? close : lexer->end;
    for (const char *at = lexer->at; (at = find(at, stop, '\n')); at++)
        lexer->line++;
    token->length = (size_t)(stop - token->text);
    lexer->at = stop;
    if (close) {
        token->kind = TOKEN_TEXT;
        lexer->at++;
    }
}

static bool ends_word(char c)
{
    return is_blank(c) || c == '"' || c == '{' || c == '}';
}

char lexer_peek(struct lexer *lexer)
{
    skip_blanks(lexer);
    return lexer->at < lexer->end ? *lexer->at : 0;
}

struct token lexer_next(struct lexer *lexer)
{
    skip_blanks(lexer);
    struct token token = {.kind = TOKEN_END, .text = lexer->at, .line = lexer->line};
    if (lexer->at == lexer->end)
        return token;
    if (*lexer->at == '"') {
        quoted(lexer, &token);
        return token;
    }
    if (*lexer->at == '{' || *lexer->at == '}') {
        token.kind = *lexer->at == '{' ? TOKEN_OPEN : TOKEN_CLOSE;
        lexer->at++;
    } else {
        token.kind = TOKEN_TEXT;
        while (lexer->at < lexer->end && !ends_word(*lexer->at))
            lexer->at++;
    }
    token.length = (size_t)(lexer->at - token.text);
    return token;
}
