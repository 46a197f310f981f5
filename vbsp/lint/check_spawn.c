#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_entities.def"
#include "vbsp/lint/checks.h"

/* Games have classes of their own for teams: info_ff_teamspawn, info_player_rebel,
 * team_CTF_redplayer
 * ... A view of the end of a match is not one. */
static bool is_spawn(const struct entity *keys)
{
    static const char *const patterns[] = {"info_player_*", "*spawn*", "info_survivor_position",
                                           "team_*player"};
    const char *class = entity_value(keys, "classname");
    if (str_equal_nocase(class, "info_player_intermission"))
        return false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (asset_pattern_matches(patterns[i], class))
            return true;
    return false;
}

/* Maps in a folder of that name are placed in others. */
static bool is_in_instances(const char *path)
{
    static const char folder[] = "instances/";
    for (const char *at = path; at && *at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (str_starts_nocase(at, folder))
            return true;
    return false;
}

/* Of a map that is made to be placed in others. */
static bool is_part(const struct entity *keys)
{
    return entity_is(keys, "func_instance_parms") || entity_is(keys, "func_instance_io_proxy") ||
           entity_is(keys, "func_instance_origin");
}

void lint_no_spawn(const struct lint_ctx *lint)
{
    const struct level *level = lint->level;
    if (is_in_instances(level->file))
        return;
    for (size_t i = 1; i < arrlenu(level->entities); i++) {
        const struct map_entity *entity = &level->entities[i];
        if (is_spawn(&entity->keys) || (!entity->part && is_part(&entity->keys)))
            return;
    }
    struct diag_where where = map_where(level, &level->entities[0], NULL, NULL);
    (void)diag_report(lint->compile->env->diag, DIAG_NO_SPAWN, &where,
                      "none of %zu entities is a place where players appear",
                      arrlenu(level->entities) - 1);
}
