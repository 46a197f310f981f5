#include "vbsp/lint/lint.h"

#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/lint_entities.def"
#include "vbsp/lint/checks.h"

static lint_check *const level_checks[] = {
    lint_duplicate_ids,
    lint_values,
    lint_no_spawn,
    lint_loops,
    lint_missing_targets,
    lint_names_by_case,
    lint_unknown_classes,
    lint_unknown_inputs,
    lint_missing_files,
    lint_game_sounds,
    lint_entities_without_solids,
};

static lint_check *const loaded_checks[] = {lint_in_solid, lint_unsealed_doors};

struct diag_where lint_where(const struct lint_ctx *lint, const struct map_entity *entity)
{
    struct diag_where where = map_where(lint->level, entity, NULL, NULL);
    struct vec3 origin;
    if (entity_vector(&entity->keys, "origin", &origin)) {
        where.has_point = true;
        memcpy(where.point, origin.e, sizeof where.point);
    }
    return where;
}

const char *lint_entity_text(const struct map_entity *entity, struct arena *arena)
{
    const char *class = entity_value(&entity->keys, "classname");
    const char *name = entity_value(&entity->keys, "targetname");
    return *name ? arena_printf(arena, "%s \"%s\"", class, name) : class;
}

static void note_no_fgd(const struct compile *compile, const struct level *level)
{
    struct diag *diag = compile->env->diag;
    if (!diag_count_code(diag, DIAG_LINT_NO_FGD))
        diag_report(diag, DIAG_LINT_NO_FGD, &(struct diag_where){.file = level->file},
                    "classes and inputs are not checked");
}

void lint_level(const struct compile *compile, const struct level *level, struct game_fgd *game)
{
    struct lint_names names;
    const struct fgd *fgd = game_fgd_get(game);
    struct lint_ctx lint = {.compile = compile,
                            .level = level,
                            .fgd = fgd,
                            .fgd_is_whole = fgd && game->is_whole,
                            .names = &names,
                            .rules = lint_rules_of_level(level)};
    if (!fgd && lint.rules->has_fgd)
        note_no_fgd(compile, level);
    lint_names_make(level, fgd, &names);
    for (size_t i = 0; i < sizeof level_checks / sizeof *level_checks; i++)
        level_checks[i](&lint);
    lint_names_free(&names);
}

void lint_loaded(const struct compile *compile)
{
    struct lint_ctx lint = {.compile = compile,
                            .level = compile->level,
                            .rules = lint_rules_of_engine(compile->options->engine)};
    for (size_t i = 0; i < sizeof loaded_checks / sizeof *loaded_checks; i++)
        loaded_checks[i](&lint);
}
