#include "common/assets/shaders/arena_script.h"

#include <string.h>

#include "common/core/strings.h"
#include "common/text/lexer.h"

static bool says(const struct token *token, const char *word)
{
    return token->kind == TOKEN_TEXT && token->length == strlen(word) &&
           str_starts_nocase(token->text, word);
}

/* Reads on behind an open brace; whether the block is of the map. */
static bool read_block(struct lexer *lexer, const char *map, const char **end)
{
    bool found = false;
    for (;;) {
        struct token key = lexer_next(lexer);
        if (key.kind == TOKEN_CLOSE) {
            *end = lexer->at;
            return found;
        }
        struct token value = key.kind == TOKEN_TEXT ? lexer_next(lexer) : key;
        if (value.kind != TOKEN_TEXT)
            return false;
        found |= says(&key, "map") && says(&value, map);
    }
}

bool arena_script_block(const char *text, size_t size, const char *map, const char **block,
                        size_t *length)
{
    struct lexer lexer = lexer_new(text, size);
    for (;;) {
        struct token token = lexer_next(&lexer);
        const char *end = NULL;
        if (token.kind == TOKEN_END || token.kind == TOKEN_UNTERMINATED)
            return false;
        if (token.kind != TOKEN_OPEN || !read_block(&lexer, map, &end))
            continue;
        *block = token.text;
        *length = (size_t)(end - token.text);
        return true;
    }
}
