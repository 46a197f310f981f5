/* What all main functions share: the options that every program takes, under Valve's names where
 * Valve has the option, and the way from the command line to the exit status. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "common/cli/console.h"
#include "common/text/entities.h"

struct standard_options {
    struct console_options console;
    bool no_config;            /* leave out the game's own settings for the map */
    const char *game;          /* folder with gameinfo.txt, or a game of Quake 3, or NULL */
    const char **texdata;      /* stb_ds array of material catalogues */
    const char **search_paths; /* stb_ds array of folders that come before the game's */
    /* Quake 3; stb_ds arrays, but for the name of the basic game. */
    const char **base_paths, **mods, **pak_paths, **forbidden;
    const char *base_game;
    bool low; /* run at the lowest priority */
};

/* `base` is the offset of a struct standard_options in the values of the table. */
struct option_group standard_option_group(size_t base);

/* A program under way. All is borrowed. */
struct program {
    struct console *console;
    const struct env *env;
    const struct option_table *table;
    void *values; /* set by the command line */
    struct option_result *result;
};

typedef enum status program_body(const struct program *program);

/* Parses the command line into `values`, of which `standard` is a part; answers --help, --version
 * and --man; else runs the body between console_new and console_finish. Returns the exit status. */
int program_run(const struct option_table *table, void *values, struct standard_options *standard,
                int argc, char *const *argv, program_body *body);

/* Options that the map itself sets: applies every key of its worldspawn that an option names
 * (options_apply_map_key), then tells the settings where -v asks for them. */
NODISCARD enum status program_apply_map_keys(const struct program *program,
                                             const struct entity *world);

/* The same from the text of an entity lump: its first entity is the world. */
NODISCARD enum status program_apply_map_text(const struct program *program, const char *text,
                                             size_t size, const char *name);

#endif
