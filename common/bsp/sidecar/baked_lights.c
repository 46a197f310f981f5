#include "common/bsp/sidecar/baked_lights.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/syntax.def"
#include "common/text/lexer.h"

/* Returns true for entities that emit light: light, and lightJunior for the light grid alone. */
static bool entity_is_light(const struct entity *entity)
{
    return entity_is(entity, "light") || entity_is(entity, "lightJunior");
}

bool entity_is_baked_light(const struct entity *entity)
{
    return entity_is_light(entity) && !entity_has(entity, "targetname");
}

bool world_keeps_lights(const struct entity *world)
{
    return entity_number(world, "_keepLights", 0) != 0;
}

static enum status parse_lump(const struct bsp *bsp, struct diag *diag, struct entity_list *out)
{
    return entities_parse(bsp->entities, arrlenu(bsp->entities), "entities", diag, out);
}

static bool keeps_lights(const struct entity_list *list)
{
    return arrlen(list->entities) && world_keeps_lights(&list->entities[0]);
}

enum status baked_lights_split(const struct bsp *bsp, struct diag *diag, struct bytes *lights,
                               struct bytes *rest)
{
    struct entity_list all, parts[2] = {{0}, {0}};
    TRY(parse_lump(bsp, diag, &all));
    const bool keeps = keeps_lights(&all);
    for (ptrdiff_t i = 0; i < arrlen(all.entities); i++) {
        const bool leaves = i > 0 && !keeps && entity_is_baked_light(&all.entities[i]);
        arrput(parts[leaves].entities, all.entities[i]);
    }
    entities_format(&parts[0], rest);
    entities_format(&parts[1], lights);
    arrfree(parts[0].entities);
    arrfree(parts[1].entities);
    entities_free(&all);
    return STATUS_OK;
}

enum status baked_lights_drop(struct bsp *bsp, struct diag *diag)
{
    struct bytes lights = {0}, rest = {0};
    TRY(baked_lights_split(bsp, diag, &lights, &rest));
    if (lights.size) {
        arrsetlen(bsp->entities, 0);
        memcpy(arraddnptr(bsp->entities, rest.size), rest.data, rest.size);
    }
    bytes_free(&lights);
    bytes_free(&rest);
    return STATUS_OK;
}

enum status baked_lights_are_gone(const struct bsp *bsp, struct diag *diag, bool *out)
{
    struct entity_list all;
    TRY(parse_lump(bsp, diag, &all));
    *out = arrlen(all.entities) > 0 && !keeps_lights(&all);
    for (ptrdiff_t i = 1; i < arrlen(all.entities); i++)
        *out = *out && !entity_is_baked_light(&all.entities[i]);
    entities_free(&all);
    return STATUS_OK;
}

/* ---- of a map's source ---- */

struct scan {
    struct lexer lexer;
    const char *name;
    struct diag *diag;
    struct arena *arena;
};

static enum status broken(const struct scan *scan, int line, const char *what)
{
    struct diag_where where = {.file = scan->name, .line = line};
    return diag_report(scan->diag, DIAG_TEXT_SYNTAX, &where, "%s", what);
}

/* Skips a brush or a patch whose brace was in line `opened`. */
static enum status skip_solid(struct scan *scan, int opened)
{
    for (int depth = 1; depth > 0;) {
        const struct token token = lexer_next(&scan->lexer);
        if (token.kind == TOKEN_END || token.kind == TOKEN_UNTERMINATED)
            return broken(scan, opened, "missing '}'");
        depth += (token.kind == TOKEN_OPEN) - (token.kind == TOKEN_CLOSE);
    }
    return STATUS_OK;
}

static enum status scan_entity(struct scan *scan, int opened, struct entity *entity)
{
    for (;;) {
        const struct token key = lexer_next(&scan->lexer);
        if (key.kind == TOKEN_CLOSE)
            return STATUS_OK;
        if (key.kind == TOKEN_OPEN) {
            TRY(skip_solid(scan, key.line));
            continue;
        }
        const struct token value =
            key.kind == TOKEN_TEXT ? lexer_next(&scan->lexer) : (struct token){0};
        if (value.kind != TOKEN_TEXT)
            return broken(scan, opened, "an entity that is not whole");
        const struct key_value pair = {arena_strndup(scan->arena, key.text, key.length),
                                       arena_strndup(scan->arena, value.text, value.length)};
        arrput(entity->pairs, pair);
    }
}

static bool has_light_named(const struct entity_list *list, const char *name)
{
    for (ptrdiff_t i = 0; i < arrlen(list->entities); i++)
        if (entity_is_light(&list->entities[i]) &&
            str_equal_nocase(entity_value(&list->entities[i], "targetname"), name))
            return true;
    return false;
}

/* A light with a name that the BSP lacks is baked as others are. */
static bool takes_light(const struct entity_list *lump, struct entity *entity)
{
    if (!entity_is_light(entity))
        return false;
    if (entity_has(entity, "targetname") &&
        has_light_named(lump, entity_value(entity, "targetname")))
        return false;
    entity_remove(entity, "targetname");
    return true;
}

static enum status scan_map(struct scan *scan, const struct entity_list *lump,
                            struct entity_list *lights)
{
    for (;;) {
        const struct token token = lexer_next(&scan->lexer);
        if (token.kind == TOKEN_END)
            return STATUS_OK;
        if (token.kind != TOKEN_OPEN)
            return broken(scan, token.line, "missing '{'");
        struct entity entity = {0};
        const enum status status = scan_entity(scan, token.line, &entity);
        if (status == STATUS_OK && takes_light(lump, &entity))
            arrput(lights->entities, entity);
        else
            arrfree(entity.pairs);
        TRY(status);
    }
}

enum status baked_lights_of_map(const char *map, size_t size, const char *name,
                                const struct bsp *bsp, struct diag *diag, struct bytes *out,
                                size_t *count)
{
    struct entity_list lump, lights = {0};
    struct scan scan = {
        .lexer = lexer_new(map, size), .name = name, .diag = diag, .arena = &lights.arena};
    TRY(parse_lump(bsp, diag, &lump));
    const enum status status = scan_map(&scan, &lump, &lights);
    if (status == STATUS_OK)
        entities_format(&lights, out);
    *count = arrlenu(lights.entities);
    entities_free(&lights);
    entities_free(&lump);
    return status;
}
