/* Tokens of the KeyValues family (VMF, VMT, gameinfo, entity lump): braces, quoted strings, bare
 * words, // comments. A backslash is a plain character, unless \" and \\ are escapes. */
#ifndef TEXT_LEXER_H
#define TEXT_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum token_kind { TOKEN_END, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_TEXT, TOKEN_UNTERMINATED };

struct token {
    enum token_kind kind;
    bool quoted;
    const char *text; /* in the source, not terminated */
    size_t length;
    int line; /* line of its start, from 1 */
};

struct lexer {
    const char *at, *end;
    int line;
    bool escapes; /* a quote behind a backslash, which no backslash is before, ends no text */
};

struct lexer lexer_new(const char *text, size_t size); /* skips a UTF-8 byte order mark */
struct token lexer_next(struct lexer *lexer);
/* Skips to the start of the next token and returns its first character, or 0 at the end. */
char lexer_peek(struct lexer *lexer);

#endif
