/* The MAP parser: entities of quoted keys with brushes and patches among them. Unbalanced braces
 * fail at the end, but reading resumes where the next object starts, so that one run reports all
 * errors. */
#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/core/unicode.h"
#include "common/diag/codes/map_files.def"
#include "common/diag/codes/vmf.def"
#include "vbsp/level/map_reader.h"

struct diag_where map_reader_where(const struct map_reader *reader, int line)
{
    struct diag_where where = {.file = reader->map->file,
                               .line = line,
                               .counted = true,
                               .entity_id = -1,
                               .solid_id = -1,
                               .side_id = -1};
    if (reader->entity) {
        where.entity_id = reader->entity->id;
        where.solid_id = reader->brushes - 1;
        where.line = line ? line : reader->entity->line;
    }
    return where;
}

void map_reader_unclosed(struct map_reader *reader, const char *what, int opened,
                         const struct map_token *next)
{
    struct diag_where where = map_reader_where(reader, opened);
    reader->unbalanced = true;
    if (next->kind == MAP_TOKEN_END)
        (void)diag_report(reader->diag, DIAG_MAP_UNCLOSED, &where,
                          "%s that begins here is not closed before the end of the file, line %d",
                          what, next->line);
    else
        (void)diag_report(reader->diag, DIAG_MAP_UNCLOSED, &where,
                          "%s that begins here is not closed before the next one begins, line %d",
                          what, next->line);
}

void map_reader_skip(struct map_reader *reader, const char *what, int opened, int depth)
{
    while (depth > 0) {
        struct map_token token = map_lexer_next(&reader->lexer);
        if (token.kind == MAP_TOKEN_END) {
            map_reader_unclosed(reader, what, opened, &token);
            return;
        }
        depth += (token.mark == '{') - (token.mark == '}');
    }
}

const char *map_reader_material(struct map_reader *reader, const struct map_token *name)
{
    static const char folder[] = "textures/";
    char *text = arena_printf(&reader->map->arena, "%s%.*s", folder, (int)name->length, name->text);
    for (char *c = text; *c; c++)
        if (*c == '\\')
            *c = '/';
    const char *given = text + sizeof folder - 1;
    return str_starts_nocase(given, folder) ? given : text;
}

bool map_read_numbers(struct map_lexer *lexer, double *out, int count, struct map_token *bad)
{
    *bad = map_lexer_peek(lexer);
    if (bad->mark != '(')
        return false;
    (void)map_lexer_next(lexer);
    double ignored;
    for (int i = 0;; i++) {
        *bad = map_lexer_peek(lexer);
        if (i >= count && bad->mark == ')')
            break;
        if (!map_token_number(bad, i < count ? &out[i] : &ignored))
            return false;
        (void)map_lexer_next(lexer);
    }
    (void)map_lexer_next(lexer);
    return true;
}

bool map_point_fits(struct vec3 point)
{
    for (int i = 0; i < 3; i++)
        if (!(fabs(point.e[i]) <= MAP_POINT_LIMIT))
            return false;
    return true;
}

static bool is_text(const struct map_token *token)
{
    return token->kind == MAP_TOKEN_QUOTED || token->kind == MAP_TOKEN_WORD;
}

static bool check_quotes(struct map_reader *reader, const struct map_token *token)
{
    if (!token->unclosed)
        return true;
    struct diag_where where = map_reader_where(reader, token->line);
    where.solid_id = -1;
    (void)diag_report(reader->diag, DIAG_MAP_QUOTE, &where, "\"%.*s\" ends at the end of the line",
                      (int)(token->length < 60 ? token->length : 60), token->text);
    return false;
}

static void report_pair(struct map_reader *reader, const struct map_token *token, const char *what)
{
    struct diag_where where = map_reader_where(reader, token->line);
    where.solid_id = -1;
    (void)diag_report(reader->diag, DIAG_MAP_PAIR, &where, "\"%.*s\" %s",
                      (int)(token->length < 60 ? token->length : 60), token->text, what);
}

static const char *copy(struct map_reader *reader, const struct map_token *token)
{
    return arena_strndup(&reader->map->arena, token->text, token->length);
}

/* A key and its value are on one line. */
static void read_pair(struct map_reader *reader, const struct map_token *key)
{
    struct map_token value = map_lexer_peek(&reader->lexer);
    if (!check_quotes(reader, key))
        return;
    if (!is_text(&value) || value.line != key->line) {
        report_pair(reader, key, "is a key without a value; it is ignored");
        return;
    }
    (void)map_lexer_next(&reader->lexer);
    (void)check_quotes(reader, &value);
    struct key_value pair = {copy(reader, key), copy(reader, &value)};
    arrput(reader->entity->keys.pairs, pair);
}

static void skip_line(struct map_lexer *lexer, int line)
{
    for (struct map_token next = map_lexer_peek(lexer);
         next.kind != MAP_TOKEN_END && next.line == line && next.mark != '{' && next.mark != '}';
         next = map_lexer_peek(lexer))
        (void)map_lexer_next(lexer);
}

static void read_brush_or_patch(struct map_reader *reader, int opened)
{
    struct map_token first = map_lexer_peek(&reader->lexer);
    reader->brushes++;
    if (first.kind == MAP_TOKEN_WORD && !map_token_is(&first, "brushDef"))
        map_read_patch(reader, opened);
    else
        map_read_brush(reader, opened);
}

/* Reads up to and including the entity's closing brace, or to where the next entity starts. */
static void read_entity(struct map_reader *reader, int opened)
{
    for (;;) {
        struct map_lexer before = reader->lexer;
        struct map_token token = map_lexer_next(&reader->lexer);
        struct map_token next = map_lexer_peek(&reader->lexer);
        if (token.mark == '}')
            return;
        if (token.kind == MAP_TOKEN_END || (token.mark == '{' && next.kind == MAP_TOKEN_QUOTED)) {
            reader->brushes = 0;
            map_reader_unclosed(reader, "an entity", opened, &token);
            reader->lexer = before;
            return;
        }
        if (token.mark == '{') {
            read_brush_or_patch(reader, token.line);
        } else if (is_text(&token)) {
            read_pair(reader, &token);
        } else {
            report_pair(reader, &token, "is neither a key nor a brush; the line is ignored");
            skip_line(&reader->lexer, token.line);
        }
    }
}

/* The world is moved to the front; it keeps its number. */
static void keep_entity(struct map_reader *reader, struct map_entity *entity)
{
    struct level *map = reader->map;
    struct diag_where where = map_reader_where(reader, 0);
    where.solid_id = -1;
    entity_keep_first(&entity->keys, "classname");
    bool has_world = arrlen(map->entities) && entity_is(&map->entities[0].keys, "worldspawn");
    if (!*entity_value(&entity->keys, "classname")) {
        (void)diag_report(reader->diag, DIAG_ENTITY_CLASSNAME, &where, "the entity is dropped");
    } else if (!entity_is(&entity->keys, "worldspawn")) {
        arrput(map->entities, *entity);
        return;
    } else if (has_world) {
        (void)diag_report(reader->diag, DIAG_WORLD_TWICE, &where,
                          "another entity has the classname worldspawn; it is dropped");
    } else {
        arrins(map->entities, 0, *entity);
        return;
    }
    map_entity_free(entity);
}

/* Reports text between entities, once, since everything after it is out of step. */
static void report_stray(struct map_reader *reader, const struct map_token *token)
{
    struct diag_where where = {.file = reader->map->file, .line = token->line};
    if (!reader->unbalanced)
        (void)diag_report(reader->diag, DIAG_MAP_STRAY, &where,
                          "unexpected \"%.*s\" between two entities; an earlier } closes too much",
                          (int)(token->length < 60 ? token->length : 60), token->text);
    reader->unbalanced = true;
    skip_line(&reader->lexer, token->line);
}

/* A brush in place of an entity: the previous entity was closed too early. */
static bool is_misplaced_brush(struct map_reader *reader, const struct map_token *open)
{
    struct map_token first = map_lexer_peek(&reader->lexer);
    bool brush = first.mark == '(' || map_token_is(&first, "brushDef") ||
                 map_token_is(&first, "patchDef2") || map_token_is(&first, "patchDef3");
    if (!brush)
        return false;
    report_stray(reader, open);
    map_reader_skip(reader, "a brush", open->line, 1);
    return true;
}

static void read_entities(struct map_reader *reader)
{
    for (int number = 0;;) {
        struct map_token token = map_lexer_next(&reader->lexer);
        if (token.kind == MAP_TOKEN_END)
            return;
        if (token.mark != '{') {
            report_stray(reader, &token);
            continue;
        }
        if (is_misplaced_brush(reader, &token))
            continue;
        struct map_entity entity = {.id = number++, .line = token.line};
        reader->entity = &entity;
        reader->brushes = 0;
        read_entity(reader, token.line);
        keep_entity(reader, &entity);
        reader->entity = NULL;
    }
}

static void number_solids(struct level *map)
{
    for (size_t i = 0; i < arrlenu(map->entities); i++)
        for (size_t j = 0; j < arrlenu(map->entities[i].solids); j++)
            map->entities[i].solids[j].entity = (int)i;
}

/* A MAP begins with entities, whose braces contain keys or brushes; a VMF names its blocks. */
static bool looks_like_map(const char *text, size_t size)
{
    struct map_lexer lexer = map_lexer_new(text, size);
    struct map_token open = map_lexer_next(&lexer), first = map_lexer_next(&lexer);
    return open.mark == '{' &&
           (first.kind == MAP_TOKEN_QUOTED || first.kind == MAP_TOKEN_WORD || first.mark);
}

bool map_is_map(const char *text, size_t size)
{
    struct arena scratch = {0};
    unicode_to_utf8(&scratch, &text, &size);
    bool is = looks_like_map(text, size);
    arena_free(&scratch);
    return is;
}

enum status map_parse(const char *text, size_t size, const char *name, struct diag *diag,
                      struct level *out)
{
    *out = (struct level){.counted_ids = true};
    struct diag_where where = {.file = name};
    if (!map_is_map(text, size))
        return diag_report(diag, DIAG_MAP_NOT, &where,
                           size ? "the file does not begin with the { of an entity"
                                : "the file is empty");
    out->file = arena_strdup(&out->arena, name);
    unicode_to_utf8(&out->arena, &text, &size);
    struct map_reader reader = {.lexer = map_lexer_new(text, size), .map = out, .diag = diag};
    read_entities(&reader);
    number_solids(out);
    enum status status = reader.unbalanced ? STATUS_FAILED : STATUS_OK;
    if (!arrlen(out->entities) || !entity_is(&out->entities[0].keys, "worldspawn"))
        status = diag_report(diag, DIAG_MAP_NO_WORLD, &where, "no entity has this classname");
    if (status != STATUS_OK)
        level_free(out);
    return status;
}
