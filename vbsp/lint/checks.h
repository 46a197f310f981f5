/* Internal: the checks, each a function over the level that knows of no other, and what they share.
 * lint.c has their tables. */
#ifndef VBSP_LINT_CHECKS_H
#define VBSP_LINT_CHECKS_H

#include "vbsp/lint/names.h"
#include "vbsp/lint/rules.h"

struct lint_ctx {
    const struct compile *compile; /* before load_map only env, assets and options are set */
    const struct level *level;
    const struct fgd *fgd;          /* or NULL */
    bool fgd_is_whole;              /* what it lacks does not exist */
    const struct lint_names *names; /* of the level; NULL after load_map */
    const struct lint_rules *rules;
};

typedef void lint_check(const struct lint_ctx *lint);

/* --- of the level --- */

/* names of entities (check_names.c) */
lint_check lint_missing_targets; /* outputs and keys that name nobody */
lint_check lint_names_by_case;   /* names that differ by case only */

/* classes, by the FGD (check_classes.c) */
lint_check lint_unknown_classes;
lint_check lint_unknown_inputs;
lint_check lint_entities_without_solids;

lint_check lint_loops;         /* of parents and filters: check_loops.c */
lint_check lint_duplicate_ids; /* check_values.c */
lint_check lint_values;        /* that cannot be read: check_values.c */
lint_check lint_no_spawn;      /* check_spawn.c */
lint_check lint_missing_files; /* sounds and sprites: check_files.c */
lint_check lint_game_sounds;   /* of soundscripts: check_files.c */

/* --- after load_map --- */

lint_check lint_in_solid;       /* lights and cubemaps: check_solid.c */
lint_check lint_unsealed_doors; /* areaportals without their door: check_solid.c */

/* --- shared --- */

/* The entity and its origin, if it has one. */
struct diag_where lint_where(const struct lint_ctx *lint, const struct map_entity *entity);

/* Returns true with the content of a game: folders of one's own are not all that a map uses. */
bool lint_has_game(const struct lint_ctx *lint);
/* lint_rules.is_missing of each family (check_files.c). */
bool lint_source_is_missing(const struct lint_ctx *lint, const struct key_value *pair,
                            struct arena *arena, bool *is_sound);
bool lint_quake3_is_missing(const struct lint_ctx *lint, const struct key_value *pair,
                            struct arena *arena, bool *is_sound);
/* Returns true when the game has the file. */
bool lint_has_file(const struct lint_ctx *lint, const char *path);
/* The file of a wave as entities and soundscripts name it. In the arena. */
const char *lint_sound_path(const char *value, struct arena *arena);

/* The entity as a message names it: "logic_auto", or "func_door \"gate\"". In the arena. */
const char *lint_entity_text(const struct map_entity *entity, struct arena *arena);

#endif
