#include "common/text/keyvalues.h"

#include <stdarg.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/core/unicode.h"
#include "common/diag/codes/syntax.def"
#include "common/text/entities.h"
#include "common/text/lexer.h"

/* Deeper than any file (a VMF has five), shallow enough for recursive readers. */
#define MAX_DEPTH 200

/* Conditions: [$WIN32], [!$X360], [$A || $B && !$C]. A compiler runs for the PC: WIN32, WINDOWS and
 * PC are true, every other symbol is false.
 *
 * Returns the length in bytes of the condition that starts at `text`, including brackets, or 0 when
 * there is none. A vector such as [0 1] is not a condition: a condition starts with [$ or [!$, and
 * ends on the same line. */
static size_t condition_length(const char *text, size_t size)
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

/* Evaluates a sum of products: && binds tighter than ||. Anything but symbols and operators is
 * skipped. */
static bool condition_holds(const char *text, size_t length)
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

struct frame {
    struct kv *block;
    struct kv **tail;
    int column;     /* column of its brace, or -1 when it is not the first on its line */
    bool discarded; /* its condition is false */
};

struct parser {
    struct lexer lexer;
    const char *start; /* of the text */
    const char *name;
    enum kv_mode mode;
    struct arena *arena;
    struct diag *diag;
    struct frame *frames; /* stb_ds array: the open blocks, the root first */
    bool repaired;        /* a repair was reported */
    int crooked_line;     /* first closing brace that is not aligned with its opening brace, or 0 */
    const char *text_end; /* behind the quote that ended the last text, or NULL */
    int quote_line;       /* first word that begins at such a quote, or 0 */
    int broken_text_line; /* first quoted text that extends past the end of its line, or 0 */
};

/* Reports a syntax error: an error that ends a strict parse, one warning per file in a lenient
 * one. */
static enum status broken(struct parser *parser, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum status broken(struct parser *parser, int line, const char *format, ...)
{
    bool strict = parser->mode != KV_LENIENT;
    if (!strict && parser->repaired)
        return STATUS_OK;
    parser->repaired = true;
    struct diag_where where = {.file = parser->name, .line = line};
    struct arena arena = {0};
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&arena, format, args);
    va_end(args);
    diag_report(parser->diag, strict ? DIAG_TEXT_SYNTAX : DIAG_TEXT_REPAIRED, &where, "%s",
                message);
    arena_free(&arena);
    return strict ? STATUS_FAILED : STATUS_OK;
}

/* Allocates a node and its strings in one block. */
static struct kv *new_node(struct parser *parser, const struct token *key,
                           const struct token *value)
{
    size_t size = sizeof(struct kv) + key->length + 1 + (value ? value->length + 1 : 0);
    struct kv *node = arena_alloc(parser->arena, 1, size);
    char *text = (char *)(node + 1);
    const struct token *tokens[2] = {key, value};
    for (int i = 0; i < 2 && tokens[i]; i++) {
        *(i ? &node->value : &node->key) = text;
        size_t length = tokens[i]->length;
        if (length)
            memcpy(text, tokens[i]->text, length);
        if (parser->mode == KV_STRICT_QUOTES && tokens[i]->quoted)
            length = entity_quotes_join(text, length);
        char *end = text + length;
        for (char *nul = text; (nul = memchr(nul, 0, (size_t)(end - nul)));)
            *nul = ' ';
        *end = 0;
        text = end + 1;
    }
    node->line = key->line;
    return node;
}

static struct frame *top(struct parser *parser)
{
    return &arrlast(parser->frames);
}

static void append(struct parser *parser, struct kv *node)
{
    struct frame *frame = top(parser);
    *frame->tail = node;
    frame->tail = &node->next;
}

/* Number of spaces before the brace on its line, or -1 when it is not the first there. */
static int column_of(const struct parser *parser, const struct token *brace)
{
    const char *at = brace->text;
    while (at > parser->start && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at == parser->start || at[-1] == '\n' ? (int)(brace->text - at) : -1;
}

static enum status open_block(struct parser *parser, const struct token *brace,
                              const struct token *key, bool kept)
{
    if (arrlen(parser->frames) > MAX_DEPTH) {
        struct diag_where where = {.file = parser->name, .line = brace->line};
        return diag_report(parser->diag, DIAG_TEXT_SYNTAX, &where,
                           "blocks nested more than %d levels deep", MAX_DEPTH);
    }
    struct kv *node = new_node(parser, key, NULL);
    bool discarded = top(parser)->discarded || !kept;
    if (!discarded)
        append(parser, node);
    struct frame frame = {node, &node->children, column_of(parser, brace), discarded};
    arrput(parser->frames, frame);
    return STATUS_OK;
}

static enum status close_block(struct parser *parser, const struct token *brace)
{
    if (arrlen(parser->frames) == 1)
        return broken(parser, brace->line, "unexpected '}'");
    int column = column_of(parser, brace), opened = top(parser)->column;
    if (column >= 0 && opened >= 0 && column != opened && !parser->crooked_line)
        parser->crooked_line = brace->line;
    (void)arrpop(parser->frames);
    return STATUS_OK;
}

/* Reads the next token; an unterminated quoted text is an error, and repaired to end with its
 * line. */
static enum status next_token(struct parser *parser, struct token *token)
{
    struct lexer before = parser->lexer;
    *token = lexer_next(&parser->lexer);
    if (token->kind == TOKEN_TEXT && !token->quoted && token->text == parser->text_end &&
        *token->text != '[' && !parser->quote_line)
        parser->quote_line = token->line;
    parser->text_end = token->quoted ? parser->lexer.at : NULL;
    if (token->quoted && parser->lexer.line > token->line && !parser->broken_text_line)
        parser->broken_text_line = token->line;
    if (token->kind != TOKEN_UNTERMINATED)
        return STATUS_OK;
    TRY(broken(parser, token->line,
               parser->broken_text_line && parser->broken_text_line < token->line
                   ? "missing closing quote, perhaps in line %d, where quoted text first runs "
                     "past the end of its line"
                   : "missing closing quote of the text that starts in line %d",
               parser->broken_text_line ? parser->broken_text_line : token->line));
    const char *end = token->length ? memchr(token->text, '\n', token->length) : NULL;
    parser->lexer = before;
    parser->lexer.at = end ? end : parser->lexer.end;
    parser->lexer.line = token->line;
    token->length = (size_t)(parser->lexer.at - token->text);
    while (token->length && (unsigned char)token->text[token->length - 1] <= ' ')
        token->length--;
    token->kind = TOKEN_TEXT;
    return STATUS_OK;
}

/* Skips a condition if there is one; *kept is set to its value. */
static void take_condition(struct parser *parser, bool *kept)
{
    struct lexer ahead = parser->lexer;
    if (lexer_peek(&ahead) == '"')
        return; /* usual case: a value, or the next key */
    struct token token = lexer_next(&ahead);
    size_t length = token.quoted || token.kind != TOKEN_TEXT
                        ? 0
                        : condition_length(token.text, (size_t)(ahead.end - token.text));
    if (!length)
        return;
    *kept = *kept && condition_holds(token.text, length);
    parser->lexer.at = token.text + length;
    parser->lexer.line = token.line;
}

static enum status pair(struct parser *parser, const struct token *key)
{
    bool kept = true;
    take_condition(parser, &kept);
    struct lexer before = parser->lexer;
    struct token value;
    TRY(next_token(parser, &value));
    if (value.kind == TOKEN_OPEN)
        return open_block(parser, &value, key, kept);
    if (value.kind != TOKEN_TEXT) {
        TRY(broken(parser, key->line, "key \"%.*s\" without a value",
                   key->length < 80 ? (int)key->length : 80, key->text));
        parser->lexer = before;
        value = (struct token){.text = ""};
    } else {
        take_condition(parser, &kept);
    }
    if (kept && !top(parser)->discarded)
        append(parser, new_node(parser, key, &value));
    return STATUS_OK;
}

static enum status end_of_file(struct parser *parser)
{
    if (arrlen(parser->frames) > 1) {
        const struct kv *block = top(parser)->block;
        if (parser->crooked_line)
            TRY(broken(parser, block->line,
                       "missing '}' of block \"%.80s\"; indentation first differs at the '}' in "
                       "line %d",
                       block->key, parser->crooked_line));
        TRY(broken(parser, block->line, "missing '}' of block \"%.80s\"", block->key));
    }
    if (parser->frames[0].block->children)
        return STATUS_OK;
    struct diag_where where = {.file = parser->name, .line = parser->lexer.line};
    return diag_report(parser->diag, DIAG_TEXT_SYNTAX, &where, "empty file");
}

static enum status parse(struct parser *parser)
{
    for (;;) {
        struct token token;
        TRY(next_token(parser, &token));
        switch (token.kind) {
        case TOKEN_END:
            return end_of_file(parser);
        case TOKEN_CLOSE:
            TRY(close_block(parser, &token));
            break;
        case TOKEN_OPEN: {
            TRY(broken(parser, token.line, "block without a name"));
            struct token nameless = {.text = "", .line = token.line};
            TRY(open_block(parser, &token, &nameless, true));
            break;
        }
        default:
            TRY(pair(parser, &token));
        }
    }
}

enum status kv_parse(const char *text, size_t size, const char *name, enum kv_mode mode,
                     struct arena *arena, struct diag *diag, struct kv **out)
{
    struct arena scratch = {0};
    unicode_to_utf8(&scratch, &text, &size);
    struct parser parser = {.lexer = lexer_new(text, size),
                            .start = text,
                            .name = name,
                            .mode = mode,
                            .arena = arena,
                            .diag = diag};
    struct token root = {.text = "", .line = 1};
    struct kv *block = new_node(&parser, &root, NULL);
    struct frame frame = {block, &block->children, -1, false};
    parser.lexer.escapes = mode == KV_STRICT_QUOTES;
    arrput(parser.frames, frame);
    enum status status = parse(&parser);
    const struct diag_where where = {.file = name, .line = parser.quote_line};
    if (status == STATUS_OK && mode != KV_LENIENT && parser.quote_line)
        (void)diag_report(diag, DIAG_TEXT_QUOTE, &where,
                          "text follows the second quote of a key or value without a blank");
    arrfree(parser.frames);
    arena_free(&scratch);
    *out = status == STATUS_OK ? block : NULL;
    return status;
}

const struct kv *kv_find(const struct kv *block, const char *key)
{
    for (const struct kv *node = block->children; node; node = node->next)
        if (str_equal_nocase(node->key, key))
            return node;
    return NULL;
}

const char *kv_value(const struct kv *block, const char *key)
{
    for (const struct kv *node = block->children; node; node = node->next)
        if (node->value && str_equal_nocase(node->key, key))
            return node->value;
    return NULL;
}
