#include "common/text/entities.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/syntax.def"
#include "common/text/entity_reads.h"
#include "common/text/lexer.h"

struct parser {
    struct lexer lexer;
    const char *name;
    struct diag *diag;
    struct entity_list *list;
    bool has_solids; /* blocks within an entity, which are skipped */
};

static enum status broken(const struct parser *parser, int line, const char *what)
{
    struct diag_where where = {.file = parser->name, .line = line};
    return diag_report(parser->diag, DIAG_TEXT_SYNTAX, &where, "entity %td: %s",
                       arrlen(parser->list->entities), what);
}

/* Skips a block whose opening brace was in line `opened`. */
static enum status skip_solid(struct parser *parser, int opened)
{
    for (int depth = 1; depth > 0;) {
        const struct token token = lexer_next(&parser->lexer);
        if (token.kind == TOKEN_END || token.kind == TOKEN_UNTERMINATED)
            return broken(parser, opened, "missing '}'");
        depth += (token.kind == TOKEN_OPEN) - (token.kind == TOKEN_CLOSE);
    }
    return STATUS_OK;
}

/* Parses the pairs of an entity whose opening brace was in line `opened`. */
static enum status parse_pairs(struct parser *parser, int opened, struct entity *entity)
{
    for (;;) {
        struct token key = lexer_next(&parser->lexer);
        if (key.kind == TOKEN_CLOSE)
            return STATUS_OK;
        if (key.kind == TOKEN_END)
            return broken(parser, opened, "missing '}'");
        if (key.kind == TOKEN_OPEN && !parser->has_solids)
            return broken(parser, key.line, "unexpected '{'");
        if (key.kind == TOKEN_OPEN) {
            TRY(skip_solid(parser, key.line));
            continue;
        }
        struct token value = {.kind = TOKEN_UNTERMINATED};
        if (key.kind == TOKEN_TEXT)
            value = lexer_next(&parser->lexer);
        if (value.kind == TOKEN_UNTERMINATED)
            return broken(parser, key.line, "missing closing quote");
        if (value.kind != TOKEN_TEXT)
            return broken(parser, key.line, "key without a value");
        struct arena *arena = &parser->list->arena;
        struct key_value pair = {arena_strndup(arena, key.text, key.length),
                                 arena_strndup(arena, value.text, value.length)};
        arrput(entity->pairs, pair);
    }
}

static enum status parse_list(struct parser *parser)
{
    for (;;) {
        struct token token = lexer_next(&parser->lexer);
        if (token.kind == TOKEN_END)
            return STATUS_OK;
        if (token.kind != TOKEN_OPEN)
            return broken(parser, token.line, "missing '{'");
        struct entity entity = {0};
        enum status status = parse_pairs(parser, token.line, &entity);
        arrput(parser->list->entities, entity);
        TRY(status);
    }
}

static enum status parse_text(const char *text, size_t size, const char *name, bool has_solids,
                              struct diag *diag, struct entity_list *out)
{
    const char *end = size ? memchr(text, 0, size) : NULL;
    *out = (struct entity_list){0};
    struct parser parser = {.lexer = lexer_new(text, end ? (size_t)(end - text) : size),
                            .name = name,
                            .diag = diag,
                            .list = out,
                            .has_solids = has_solids};
    enum status status = parse_list(&parser);
    if (status != STATUS_OK)
        entities_free(out);
    return status;
}

enum status entities_parse(const char *text, size_t size, const char *name, struct diag *diag,
                           struct entity_list *out)
{
    return parse_text(text, size, name, false, diag, out);
}

enum status entities_parse_map(const char *text, size_t size, const char *name, struct diag *diag,
                               struct entity_list *out)
{
    return parse_text(text, size, name, true, diag, out);
}

size_t entity_quotes_join(char *text, size_t length)
{
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        bool escape = text[i] == '\\' && i + 1 < length;
        if (escape && text[i + 1] != '"')
            text[out++] = text[i];
        i += escape;
        text[out++] = escape && text[i] == '"' ? ENTITY_QUOTE : text[i];
    }
    return out;
}

static void append_quoted(struct bytes *out, const char *text)
{
    bytes_append(out, "\"", 1);
    bytes_append(out, text, strlen(text));
    bytes_append(out, "\"", 1);
}

void entities_format(const struct entity_list *list, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(list->entities); i++) {
        const struct entity *entity = &list->entities[i];
        bytes_append(out, "{\n", 2);
        for (size_t j = 0; j < arrlenu(entity->pairs); j++) {
            append_quoted(out, entity->pairs[j].key);
            bytes_append(out, " ", 1);
            append_quoted(out, entity->pairs[j].value);
            bytes_append(out, "\n", 1);
        }
        bytes_append(out, "}\n", 2);
    }
}

void entities_free(struct entity_list *list)
{
    for (size_t i = 0; i < arrlenu(list->entities); i++)
        arrfree(list->entities[i].pairs);
    arrfree(list->entities);
    arena_free(&list->arena);
}

/* Returns the first pair with that key, or NULL. */
static struct key_value *find(const struct entity *entity, const char *key)
{
    if (entity->reads)
        entity_reads_note(entity, key);
    for (size_t i = 0; i < arrlenu(entity->pairs); i++)
        if (str_equal_nocase(entity->pairs[i].key, key))
            return &entity->pairs[i];
    return NULL;
}

const char *entity_value(const struct entity *entity, const char *key)
{
    const struct key_value *pair = find(entity, key);
    return pair ? pair->value : "";
}

bool entity_has(const struct entity *entity, const char *key)
{
    return find(entity, key) != NULL;
}

double entity_number(const struct entity *entity, const char *key, double otherwise)
{
    double number;
    bool found = str_to_doubles(entity_value(entity, key), &number, 1) == 1;
    return found && fabs(number) <= ENTITY_NUMBER_MAX ? number : otherwise;
}

bool entity_vector(const struct entity *entity, const char *key, struct vec3 *out)
{
    struct vec3 vector;
    if (str_to_doubles(entity_value(entity, key), vector.e, 3) != 3)
        return false;
    for (int i = 0; i < 3; i++)
        if (fabs(vector.e[i]) > ENTITY_NUMBER_MAX)
            return false;
    *out = vector;
    return true;
}

bool entity_is(const struct entity *entity, const char *classname)
{
    return str_equal_nocase(entity_value(entity, "classname"), classname);
}

void entity_set(struct entity *entity, struct arena *arena, const char *key, const char *value)
{
    struct key_value *pair = find(entity, key);
    const char *copy = arena_strdup(arena, value);
    if (pair) {
        pair->value = copy;
        return;
    }
    struct key_value fresh = {arena_strdup(arena, key), copy};
    arrput(entity->pairs, fresh);
}

void entity_remove(struct entity *entity, const char *key)
{
    for (size_t i = arrlenu(entity->pairs); i-- > 0;)
        if (str_equal_nocase(entity->pairs[i].key, key))
            arrdel(entity->pairs, i);
}

void entity_keep_first(struct entity *entity, const char *key)
{
    for (size_t i = arrlenu(entity->pairs); i-- > 0;)
        if (str_equal_nocase(entity->pairs[i].key, key) && &entity->pairs[i] != find(entity, key))
            arrdel(entity->pairs, i);
}
