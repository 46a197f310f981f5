#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_entities.def"
#include "common/text/fgd.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/lint/checks.h"

/* Classes that the compiler or the editor handles: FGDs may lack them. */
static bool is_for_tools(const struct entity *keys)
{
    static const char *const patterns[] = {"worldspawn", "func_instance*", "light*", "info_null",
                                           "infodecal"};
    const char *class = entity_value(keys, "classname");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (asset_pattern_matches(patterns[i], class))
            return true;
    return class_use_of(keys) != USE_ENTITY || class_told(keys);
}

static size_t count_of(const struct level *level, const char *class)
{
    size_t count = 0;
    for (size_t i = 1; i < arrlenu(level->entities); i++)
        count += entity_is(&level->entities[i].keys, class);
    return count;
}

void lint_unknown_classes(const struct lint_ctx *lint)
{
    struct lint_name_cell *told = NULL;
    sh_new_strdup(told);
    for (size_t i = 1; lint->fgd_is_whole && i < arrlenu(lint->level->entities); i++) {
        const struct map_entity *entity = &lint->level->entities[i];
        const char *class = entity_value(&entity->keys, "classname");
        if (is_for_tools(&entity->keys) || fgd_has_class(lint->fgd, class) ||
            shgeti(told, class) >= 0)
            continue;
        shput(told, class, i);
        size_t count = count_of(lint->level, class);
        struct diag_where where = lint_where(lint, entity);
        (void)diag_report(lint->compile->env->diag, DIAG_CLASS_UNKNOWN, &where,
                          "\"%.80s\", used by %zu entit%s", class, count, count == 1 ? "y" : "ies");
    }
    shfree(told);
}

/* Inputs of all entities, which FGDs list only for some. */
static bool is_common_input(const char *input)
{
    static const char *const inputs[] = {
        "AddContext",
        "AddOutput",
        "Alpha",
        "AlternativeSorting",
        "CallScriptFunction",
        "ClearContext",
        "ClearParent",
        "Color",
        "DisableDamageForces",
        "DisableDraw",
        "DisableReceivingFlashlight",
        "DisableShadow",
        "DispatchEffect",
        "DispatchResponse",
        "EnableDamageForces",
        "EnableDraw",
        "EnableReceivingFlashlight",
        "EnableShadow",
        "FireUser1",
        "FireUser2",
        "FireUser3",
        "FireUser4",
        "Ignite",
        "Kill",
        "KillHierarchy",
        "RemoveContext",
        "RunScriptCode",
        "RunScriptFile",
        "SetDamageFilter",
        "SetHealth",
        "SetLocalAngles",
        "SetLocalOrigin",
        "SetParent",
        "SetParentAttachment",
        "SetParentAttachmentMaintainOffset",
        "SetTeam",
        "TerminateScriptScope",
        "Use",
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (str_equal_nocase(inputs[i], input))
            return true;
    return false;
}

/* True when the FGD knows the classes of all entities of that name, and none has the input. */
static bool nobody_has(const struct lint_ctx *lint, const struct lint_output *output)
{
    size_t found = lint_names_find(lint->names, output->target);
    for (size_t i = found; i; i = lint->names->list[i - 1].next) {
        const struct lint_name *name = &lint->names->list[i - 1];
        const struct entity *keys = &lint->level->entities[name->entity].keys;
        const char *class = entity_value(keys, "classname");
        /* a name that the entity gives to another */
        bool is_own = str_equal_nocase(entity_value(keys, "targetname"), output->target);
        if (!is_own || !fgd_has_class(lint->fgd, class) ||
            fgd_has_input(lint->fgd, class, output->input))
            return false;
    }
    return found != 0;
}

static void check_output(const struct lint_ctx *lint, const struct map_entity *entity,
                         const struct key_value *pair, struct arena *scratch)
{
    struct lint_output output;
    if (!lint_output_read(pair->value, scratch, &output) || !*output.input ||
        is_common_input(output.input) || !nobody_has(lint, &output))
        return;
    const struct lint_name *name =
        &lint->names->list[lint_names_find(lint->names, output.target) - 1];
    const struct entity *target = &lint->level->entities[name->entity].keys;
    struct diag_where where = lint_where(lint, entity);
    (void)diag_report(lint->compile->env->diag, DIAG_INPUT_UNKNOWN, &where,
                      "%s of %s: \"%.80s\", which is %s \"%.80s\", has no input \"%.80s\"",
                      pair->key, lint_entity_text(entity, scratch), output.target,
                      entity_value(target, "classname"), entity_value(target, "targetname"),
                      output.input);
}

void lint_unknown_inputs(const struct lint_ctx *lint)
{
    struct arena scratch = {0};
    for (size_t i = 1; lint->fgd_is_whole && i < arrlenu(lint->level->entities); i++) {
        const struct map_entity *entity = &lint->level->entities[i];
        for (size_t j = 0; j < arrlenu(entity->keys.pairs); j++) {
            check_output(lint, entity, &entity->keys.pairs[j], &scratch);
            arena_reset(&scratch);
        }
    }
    arena_free(&scratch);
}

static bool needs_solids(const struct lint_ctx *lint, const struct entity *keys)
{
    static const char *const classes[] = {
        "func_areaportal",
        "func_areaportalwindow",
        "func_breakable",
        "func_breakable_surf",
        "func_brush",
        "func_button",
        "func_conveyor",
        "func_detail",
        "func_door",
        "func_door_rotating",
        "func_illusionary",
        "func_ladder",
        "func_lod",
        "func_movelinear",
        "func_occluder",
        "func_physbox",
        "func_platrot",
        "func_precipitation",
        "func_rot_button",
        "func_rotating",
        "func_smokevolume",
        "func_tracktrain",
        "func_tanktrain",
        "func_viscluster",
        "func_wall",
        "func_wall_toggle",
        "func_water_analog",
        "momentary_rot_button",
        "trigger_gravity",
        "trigger_hurt",
        "trigger_look",
        "trigger_multiple",
        "trigger_once",
        "trigger_physics_trap",
        "trigger_proximity",
        "trigger_push",
        "trigger_remove",
        "trigger_serverragdoll",
        "trigger_soundscape",
        "trigger_teleport",
        "trigger_weapon_dissolve",
    };
    const char *class = entity_value(keys, "classname");
    if (lint->fgd && fgd_has_class(lint->fgd, class))
        return fgd_is_solid_class(lint->fgd, class);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (str_equal_nocase(classes[i], class))
            return true;
    return false;
}

/* One with a model may take its shape from that. For Quake 3 the compiler reports it. */
void lint_entities_without_solids(const struct lint_ctx *lint)
{
    struct arena scratch = {0};
    for (size_t i = 1; lint->rules->checks_solids && i < arrlenu(lint->level->entities); i++) {
        const struct map_entity *entity = &lint->level->entities[i];
        if (arrlenu(entity->solids) || arrlenu(entity->patches) ||
            *entity_value(&entity->keys, "model") || !needs_solids(lint, &entity->keys))
            continue;
        struct diag_where where = lint_where(lint, entity);
        (void)diag_report(lint->compile->env->diag, DIAG_ENTITY_NO_SOLIDS, &where, "%s",
                          lint_entity_text(entity, &scratch));
    }
    arena_free(&scratch);
}
