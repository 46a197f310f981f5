/* Internal: the checks, each a function over the level that knows of no other, and what they share.
 * lint.c has their tables. */
#ifndef VBSP_LINT_CHECKS_H
#define VBSP_LINT_CHECKS_H

#include "vbsp/lint/lint.h"

/* --- names.c: the names of a level's entities, and texts that refer to them --- */

struct lint_rules;

struct lint_name {
    const char *text; /* as written */
    size_t entity;    /* that defines it */
    size_t next;      /* of the same name without regard to case, + 1; 0: none */
};

struct lint_name_cell {
    char *key; /* in lower case */
    size_t value;
};

struct lint_names {
    const struct level *level;
    const struct fgd *fgd;          /* or NULL */
    struct lint_name *list;         /* stb_ds array */
    struct lint_name_cell *first;   /* stb_ds map: index in the list */
    struct lint_name_cell *classes; /* stb_ds map: an entity */
    bool has_scripts;               /* which may make names while the game runs */
    bool has_blanks;                /* in a name */
    struct arena arena;
};

void lint_names_make(const struct level *level, const struct fgd *fgd, struct lint_names *out);
void lint_names_free(struct lint_names *names);

/* Index of the first name that is equal without regard to case, + 1; 0: none. `next` leads on. */
size_t lint_names_find(const struct lint_names *names, const char *text);

/* Returns false when no entity can have the name or class that the text asks for in the game, with
 * its wildcards. True for what is decided while the game runs: `!activator`, names of entities that
 * the game makes, variables of instances, and names in instances whose file is missing. True also
 * for a text with blanks where no name of the map has one: classes of mods keep commands in keys
 * such as `target`. */
bool lint_names_may_exist(const struct lint_names *names, const char *text);

/* An output: TARGET,INPUT,PARAMETER,DELAY,TIMES. In the arena. */
struct lint_output {
    const char *target, *input, *parameter;
};

/* Returns false when the value is no output, or one across the border of an instance. */
bool lint_output_read(const char *value, struct arena *arena, struct lint_output *out);

/* A key whose value is the name of an entity in the game: `target`, `parentname` and the like. */
bool lint_key_is_reference(const struct key_value *pair, const struct lint_rules *rules);

/* --- rules.c: what games and editors of a family of engines know, as far as checks ask: a row per
 * family --- */

struct lint_ctx;

/* How many numbers a key may have: a bit each. */
struct lint_number {
    const char *key;
    unsigned counts;
    const char *expected;
};

struct lint_rules {
    const char *const *references; /* keys whose value names an entity; ends with NULL */
    const struct lint_number *numbers;
    size_t number_count;
    bool has_ids;        /* the editor gives ids; otherwise solids are counted */
    bool has_inputs;     /* entities have inputs and outputs, parents, filters and soundscripts */
    bool has_fgd;        /* the game has an FGD, without which classes are not checked */
    bool checks_solids;  /* whether an entity has the solids that it needs: the compiler does not */
    bool closes_portals; /* an areaportal that no door touches is closed for good */
    bool (*has_game)(const struct assets *assets);
    /* True for a file of the key's value that is not there; *is_sound: a sound, or a sprite. */
    bool (*is_missing)(const struct lint_ctx *lint, const struct key_value *pair,
                       struct arena *arena, bool *is_sound);
};

/* Of a level, by what it was written for: it is not adapted to its target yet. */
const struct lint_rules *lint_rules_of_level(const struct level *level);
/* Of the engine that it is compiled for. */
const struct lint_rules *lint_rules_of_engine(const struct engine *engine);

/* --- the checks --- */

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
