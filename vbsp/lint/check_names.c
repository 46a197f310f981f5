#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/lint_entities.def"
#include "vbsp/lint/checks.h"

static void report_missing(const struct lint_ctx *lint, const struct map_entity *entity,
                           const char *key, const char *name, struct arena *arena)
{
    struct diag_where where = lint_where(lint, entity);
    (void)diag_report(lint->compile->env->diag, DIAG_TARGET_MISSING, &where,
                      "%s of %s names \"%.160s\"", key, lint_entity_text(entity, arena), name);
}

/* "NAME,ATTACHMENT" of parentname. */
static const char *reference_of(const struct key_value *pair, struct arena *arena)
{
    return arena_strndup(arena, pair->value, strcspn(pair->value, ","));
}

void lint_missing_targets(const struct lint_ctx *lint)
{
    struct arena scratch = {0};
    for (size_t i = 1; i < arrlenu(lint->level->entities); i++) {
        const struct map_entity *entity = &lint->level->entities[i];
        for (size_t j = 0; j < arrlenu(entity->keys.pairs); j++) {
            const struct key_value *pair = &entity->keys.pairs[j];
            struct lint_output output = {0};
            if (lint->rules->has_inputs && lint_output_read(pair->value, &scratch, &output)) {
                /* of a func_instance the game gets none */
            } else if (lint_key_is_reference(pair, lint->rules)) {
                output.target = reference_of(pair, &scratch);
            }
            if (output.target && !lint_names_may_exist(lint->names, output.target))
                report_missing(lint, entity, pair->key, output.target, &scratch);
            arena_reset(&scratch);
        }
    }
    arena_free(&scratch);
}

/* The first name that is written in another way than the first of all; + 1. */
static size_t find_other_case(const struct lint_names *names, size_t first)
{
    for (size_t i = names->list[first].next; i; i = names->list[i - 1].next)
        if (strcmp(names->list[first].text, names->list[i - 1].text) != 0)
            return i;
    return 0;
}

static void report_case(const struct lint_ctx *lint, const struct map_entity *entity,
                        const char *key, const char *text, const struct lint_name *other)
{
    const struct map_entity *owner = &lint->level->entities[other->entity];
    struct diag_where where = lint_where(lint, entity);
    (void)diag_report(lint->compile->env->diag, DIAG_NAME_CASE, &where,
                      "%s \"%.160s\" and \"%.160s\" of %s are the same name for the game", key,
                      text, other->text, entity_value(&owner->keys, "classname"));
}

static const struct lint_name *name_in_other_case(const struct lint_ctx *lint, const char *text)
{
    const struct lint_names *names = lint->names;
    size_t first = lint_names_find(names, text);
    for (size_t i = first; i; i = names->list[i - 1].next)
        if (strcmp(names->list[i - 1].text, text) == 0)
            return NULL;
    return first ? &names->list[first - 1] : NULL;
}

static void check_references(const struct lint_ctx *lint, const struct map_entity *entity,
                             struct lint_name_cell **told)
{
    struct arena scratch = {0};
    for (size_t j = 0; j < arrlenu(entity->keys.pairs); j++) {
        const struct key_value *pair = &entity->keys.pairs[j];
        struct lint_output output = {0};
        if (lint_key_is_reference(pair, lint->rules))
            output.target = reference_of(pair, &scratch);
        else if (!lint->rules->has_inputs || !lint_output_read(pair->value, &scratch, &output))
            continue;
        const struct lint_name *other = name_in_other_case(lint, output.target);
        if (other && shgeti(*told, output.target) < 0) {
            shput(*told, output.target, 0);
            report_case(lint, entity, pair->key, output.target, other);
        }
        arena_reset(&scratch);
    }
    arena_free(&scratch);
}

void lint_names_by_case(const struct lint_ctx *lint)
{
    const struct lint_names *names = lint->names;
    struct lint_name_cell *told = NULL;
    sh_new_strdup(told);
    for (size_t i = 0; i < shlenu(names->first); i++) {
        size_t other = find_other_case(names, names->first[i].value);
        if (!other)
            continue;
        const struct lint_name *name = &names->list[other - 1];
        report_case(lint, &lint->level->entities[name->entity], "targetname", name->text,
                    &names->list[names->first[i].value]);
    }
    for (size_t i = 1; i < arrlenu(lint->level->entities); i++)
        check_references(lint, &lint->level->entities[i], &told);
    shfree(told);
}
