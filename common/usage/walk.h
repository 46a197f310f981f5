/* Internal: the walk over the files of a map; what each kind of file gives to it. */
#ifndef USAGE_WALK_H
#define USAGE_WALK_H

#include <stdarg.h>

#include "common/text/entities.h"
#include "common/usage/usage.h"

struct soundscripts;
struct effects;
struct soundscapes;

/* A file that is still to be looked into. `detail` is what is asked of it ("skin 2"), or "". */
struct walk_item {
    size_t file;
    enum usage_kind kind;
    const char *detail;
};

struct walk_name {
    char *key;
    size_t value;
};

/* Why a file is used: named by a file, or by the map. */
struct walk_edge {
    int64_t from;
    const char *why;
    bool is_optional; /* without a file of that name there is nothing to be missed */
};

struct walk {
    struct assets *assets;
    const struct bsp *bsp;
    const struct usage_options *options;
    struct usage *out;
    struct diag *diag;
    struct walk_name *names;  /* stb_ds map: indices of files */
    struct walk_name *absent; /* stb_ds map: names that were looked for in vain */
    struct walk_name *done;   /* stb_ds map of what was asked of files */
    bool is_in_packs;         /* struct engine_content: packs_in_pk3 */
    bool *is_stock_mount;     /* by mount */
    struct walk_item *items;  /* stb_ds array: all so far; those from `next` are to be done */
    size_t next;
    struct entity_list entities; /* of the map; none if they cannot be read */
    bool skins_change;           /* an output or a script may change skins */
    struct soundscripts *sounds;
    struct effects *effects;
    struct soundscapes *soundscapes;
};

/* Adds a file, by its name below the mounts in any form, and what is asked of it. Returns its
 * index, or -1 when it is optional and missing, or its name is none. The strings are copied. */
int64_t walk_use(struct walk *walk, enum usage_kind kind, const char *name, const char *detail,
                 const struct walk_edge *edge);
/* Something that is no file and is defined nowhere. */
void walk_miss(struct walk *walk, const char *what, const char *name, const struct walk_edge *edge);
/* Adds what is no file and is defined in one, by its clean name, which is new: as missing without a
 * file. Returns its index. */
int64_t walk_define(struct walk *walk, enum usage_kind kind, const char *name, const char *file,
                    const struct walk_edge *edge);
/* True for a name that is to be left out. */
bool walk_excludes(const struct walk *walk, const char *name);
/* True when a mount has the file. */
bool walk_has(struct walk *walk, const char *name);
/* Appends the bytes of a file that was found. */
bool walk_read(const struct walk *walk, size_t file, struct bytes *out);
/* True the first time that the text is given. */
bool walk_first(struct walk *walk, const char *what, const char *name);

/* An edge from a file, whose reason is formatted into the arena. */
struct walk_edge walk_from(struct walk *walk, int64_t from, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct walk_edge walk_optional(struct walk_edge edge);

/* Each follows a name of one meaning. */
void use_material(struct walk *walk, const char *name, const struct walk_edge *edge);
void use_texture(struct walk *walk, const char *name, const struct walk_edge *edge);
/* `skin` -1: all. */
void use_model(struct walk *walk, const char *name, int skin, const struct walk_edge *edge);
/* A sprite: a material, by its own name or that of an old .spr; or a model. */
void use_sprite(struct walk *walk, const char *name, int skin, const struct walk_edge *edge);
/* A wave, or a game sound of a soundscript. */
void use_sound(struct walk *walk, const char *name, const struct walk_edge *edge);
void use_soundscape(struct walk *walk, const char *name, const struct walk_edge *edge);
void use_effect(struct walk *walk, const char *name, const struct walk_edge *edge);
void use_scene(struct walk *walk, const char *name, const struct walk_edge *edge);
/* Names of scripts, with blanks between them. */
void use_scripts(struct walk *walk, const char *names, const struct walk_edge *edge);
void use_sky(struct walk *walk, const char *name, const struct walk_edge *edge);
/* Commands of the console, with ; between them. */
void use_commands(struct walk *walk, const char *commands, size_t length,
                  const struct walk_edge *edge);
/* A value of unknown meaning whose ending says what it is, if there is such a file. */
void use_by_ending(struct walk *walk, const char *value, const struct walk_edge *edge);
/* Follows the names in a piece of a script. */
void use_script_text(struct walk *walk, const char *text, size_t size, int64_t from);

/* One for each kind of file. */
void walk_quake3(struct walk *walk);
void walk_map(struct walk *walk);
void walk_entities(struct walk *walk);
void walk_material(struct walk *walk, size_t file, const char *detail);
void walk_model(struct walk *walk, size_t file, const char *detail);
void walk_level_sounds(struct walk *walk, size_t file, const char *detail);
void walk_level_soundscapes(struct walk *walk, size_t file, const char *detail);
void walk_scene(struct walk *walk, size_t file, const char *detail);
void walk_responses(struct walk *walk, size_t file, const char *detail);
void walk_effect(struct walk *walk, size_t file, const char *detail);
void walk_effect_list(struct walk *walk, size_t file, const char *detail);
void walk_script(struct walk *walk, size_t file, const char *detail);
void walk_config(struct walk *walk, size_t file, const char *detail);
void walk_overview(struct walk *walk, size_t file, const char *detail);

/* Begin and end of what the walk knows by name. */
void sounds_begin(struct walk *walk);
void sounds_end(struct walk *walk);
void effects_begin(struct walk *walk);
void effects_end(struct walk *walk);

#endif
