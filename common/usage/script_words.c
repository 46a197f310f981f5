#include "common/usage/script_words.h"

#include <ctype.h>
#include <string.h>

#include "common/core/strings.h"
#include "common/text/lexer.h"

static bool says(const struct token *token, const char *word)
{
    return token->kind == TOKEN_TEXT && token->length == strlen(word) &&
           str_starts_nocase(token->text, word);
}

static bool is_end(const struct token *token)
{
    return token->kind == TOKEN_END || token->kind == TOKEN_UNTERMINATED;
}

static const char *text_of(const struct token *token, struct arena *arena)
{
    return token->kind == TOKEN_TEXT ? arena_strndup(arena, token->text, token->length) : "";
}

/* Reads the block of an event, in which blocks of its own have no param. */
static void read_event(struct lexer *lexer, enum scene_use use, struct arena *arena,
                       scene_visit *visit, void *context)
{
    int depth = 1;
    while (depth) {
        struct token token = lexer_next(lexer);
        if (is_end(&token))
            return;
        depth += token.kind == TOKEN_OPEN;
        depth -= token.kind == TOKEN_CLOSE;
        if (depth != 1 || token.quoted || !says(&token, "param"))
            continue;
        struct lexer before = *lexer;
        struct token value = lexer_next(lexer);
        if (value.kind == TOKEN_TEXT && value.length)
            visit(context, use, text_of(&value, arena));
        else if (value.kind != TOKEN_TEXT)
            *lexer = before;
    }
}

void scene_words(const char *text, size_t size, struct arena *arena, scene_visit *visit,
                 void *context)
{
    static const struct {
        const char *word;
        enum scene_use use;
    } events[] = {
        {"speak", SCENE_SOUND}, {"subscene", SCENE_SUBSCENE}, {"expression", SCENE_EXPRESSION}};
    struct lexer lexer = lexer_new(text, size);
    for (struct token token = lexer_next(&lexer); !is_end(&token); token = lexer_next(&lexer)) {
        if (token.quoted || !says(&token, "event"))
            continue;
        struct token kind = lexer_next(&lexer), name = lexer_next(&lexer);
        struct token open = name.kind == TOKEN_TEXT ? lexer_next(&lexer) : name;
        for (size_t i = 0; i < sizeof events / sizeof *events && open.kind == TOKEN_OPEN; i++)
            if (says(&kind, events[i].word))
                read_event(&lexer, events[i].use, arena, visit, context);
    }
}

void response_words(const char *text, size_t size, struct arena *arena, response_visit *visit,
                    void *context)
{
    static const struct {
        const char *word;
        enum response_use use;
    } words[] = {{"#include", RESPONSE_INCLUDE},
                 {"#base", RESPONSE_INCLUDE},
                 {"scene", RESPONSE_SCENE},
                 {"speak", RESPONSE_SOUND}};
    struct lexer lexer = lexer_new(text, size);
    for (struct token token = lexer_next(&lexer); !is_end(&token); token = lexer_next(&lexer)) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            if (token.quoted || !says(&token, words[i].word))
                continue;
            struct token value = lexer_next(&lexer);
            if (value.kind == TOKEN_TEXT && value.length)
                visit(context, words[i].use, text_of(&value, arena));
            break;
        }
    }
}

struct script {
    const char *at, *end;
    const char *word; /* the last word, and its length */
    size_t word_length;
    bool is_call; /* a bracket opens after the word */
};

static void skip_to(struct script *script, const char *mark)
{
    size_t length = strlen(mark);
    while (script->at < script->end &&
           ((size_t)(script->end - script->at) < length || strncmp(script->at, mark, length) != 0))
        script->at++;
    size_t left = (size_t)(script->end - script->at);
    script->at += left < length ? left : length;
}

static bool skip_comment(struct script *script)
{
    char c = *script->at, next = script->end - script->at > 1 ? script->at[1] : 0;
    if (c == '/' && next == '*')
        skip_to(script, "*/");
    else if (c == '#' || (c == '/' && next == '/'))
        skip_to(script, "\n");
    else
        return false;
    return true;
}

/* Returns the end of the literal at `at`; a plain one ends with its line. */
static const char *literal_end(const char *at, const char *end, bool is_verbatim)
{
    while (at < end && *at != '"' && (is_verbatim || *at != '\n'))
        at += !is_verbatim && *at == '\\' && end - at > 1 && at[1] != '\n' ? 2 : 1;
    return at;
}

/* Returns the literal, and moves behind it. */
static const char *read_literal(struct script *script, bool is_verbatim, struct arena *arena)
{
    const char *start = script->at + 1, *end = literal_end(start, script->end, is_verbatim);
    char *text = arena_alloc(arena, (size_t)(end - start) + 1, 1), *to = text;
    for (const char *at = start; at < end; at++) {
        bool escapes =
            !is_verbatim && *at == '\\' && end - at > 1 && (at[1] == '"' || at[1] == '\\');
        at += escapes;
        *to++ = *at;
    }
    *to = 0;
    script->at = end + (end < script->end);
    return text;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void read_word(struct script *script)
{
    script->word = script->at;
    while (script->at < script->end && is_word_char(*script->at))
        script->at++;
    script->word_length = (size_t)(script->at - script->word);
    script->is_call = false;
}

static void read_sign(struct script *script)
{
    static const char quote[] = "'\"'"; /* a character, and no literal */
    enum { QUOTE = sizeof quote - 1 };
    char c = *script->at;
    bool is_quote = script->end - script->at >= QUOTE && memcmp(script->at, quote, QUOTE) == 0;
    script->at += is_quote ? QUOTE : 1;
    if (c == '(')
        script->is_call = script->word_length > 0;
    else if (!isspace((unsigned char)c) && c != '@')
        script->word_length = 0;
}

void script_literals(const char *text, size_t size, struct arena *arena, literal_visit *visit,
                     void *context)
{
    struct script script = {.at = text, .end = text + size};
    while (size && script.at < script.end) {
        struct arena_mark mark = arena_mark(arena);
        bool is_verbatim = script.at > text && script.at[-1] == '@';
        if (*script.at == '"') {
            const char *value = read_literal(&script, is_verbatim, arena);
            bool is_named = script.is_call && script.word_length;
            visit(context, is_named ? arena_strndup(arena, script.word, script.word_length) : "",
                  value);
            script.word_length = 0;
            arena_release(arena, mark);
        } else if (!skip_comment(&script)) {
            if (is_word_char(*script.at))
                read_word(&script);
            else
                read_sign(&script);
        }
    }
}
