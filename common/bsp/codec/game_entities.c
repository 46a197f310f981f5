/* Entities that a Quake 3 game keeps in memory from the start of a map. */
#include "common/bsp/codec/codec.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/entities.h"

/* Classes that the game keeps. It frees the others, such as light, misc_model and info_null, when
 * it reads them; those that only a mod knows are not counted. */
static const char *const kept[] = {
    "ammo_bfg",
    "ammo_bullets",
    "ammo_cells",
    "ammo_grenades",
    "ammo_lightning",
    "ammo_rockets",
    "ammo_shells",
    "ammo_slugs",
    "func_bobbing",
    "func_button",
    "func_door",
    "func_pendulum",
    "func_plat",
    "func_rotating",
    "func_static",
    "func_timer",
    "func_train",
    "holdable_medkit",
    "holdable_teleporter",
    "info_camp",
    "info_notnull",
    "info_player_deathmatch",
    "info_player_intermission",
    "info_player_start",
    "item_armor_body",
    "item_armor_combat",
    "item_armor_shard",
    "item_botroam",
    "item_enviro",
    "item_flight",
    "item_haste",
    "item_health",
    "item_health_large",
    "item_health_mega",
    "item_health_small",
    "item_invis",
    "item_quad",
    "item_regen",
    "misc_portal_camera",
    "misc_portal_surface",
    "misc_teleporter_dest",
    "shooter_grenade",
    "shooter_plasma",
    "shooter_rocket",
    "target_delay",
    "target_give",
    "target_kill",
    "target_laser",
    "target_location",
    "target_position",
    "target_print",
    "target_push",
    "target_relay",
    "target_remove_powerups",
    "target_score",
    "target_speaker",
    "target_teleporter",
    "team_CTF_blueplayer",
    "team_CTF_bluespawn",
    "team_CTF_redplayer",
    "team_CTF_redspawn",
    "trigger_always",
    "trigger_hurt",
    "trigger_multiple",
    "trigger_push",
    "trigger_teleport",
    "weapon_bfg",
    "weapon_gauntlet",
    "weapon_grapplinghook",
    "weapon_grenadelauncher",
    "weapon_lightning",
    "weapon_machinegun",
    "weapon_plasmagun",
    "weapon_railgun",
    "weapon_rocketlauncher",
    "weapon_shotgun",
};

/* Keys that remove an entity from some kinds of games. */
static const char *const modes[] = {"notfree", "notteam", "notsingle",
                                    "notq3a",  "notta",   "gametype"};

bool ibsp_game_keeps(const struct entity *entity)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (entity_has(entity, modes[i]))
            return false;
    if (entity_is(entity, "path_corner"))
        return entity_has(entity, "targetname");
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (entity_is(entity, kept[i]))
            return true;
    return false;
}

int64_t ibsp_count_kept_entities(const struct bsp *bsp)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct entity_list list = {0};
    int64_t count = 0;
    if (entities_parse(bsp->entities, arrlenu(bsp->entities), "", quiet, &list) == STATUS_OK)
        for (ptrdiff_t i = 1; i < arrlen(list.entities); i++)
            count += ibsp_game_keeps(&list.entities[i]);
    entities_free(&list);
    diag_free(quiet);
    return count;
}
