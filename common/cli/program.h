/* What all main functions share: the options that every program takes, under Valve's names where
 * Valve has the option, and the way from the command line to the exit status. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "common/cli/console.h"

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

#endif
