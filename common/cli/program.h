/* Shared by all main functions: the options of every program, with Valve's names where Valve has
 * the option, and the path from the command line to the exit status. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "common/cli/cache_options.h"
#include "common/cli/console.h"
#include "common/cli/depfile.h"
#include "common/text/entities.h"

struct standard_options {
    struct console_options console;
    bool no_config;            /* ignore the game's settings for the map */
    const char *game;          /* folder with gameinfo.txt, or a Quake 3 game, or NULL */
    const char **texdata;      /* stb_ds array of material catalogues */
    const char **search_paths; /* stb_ds array of folders that are searched before the game's */
    /* Quake 3; stb_ds arrays, except for the name of the base game. */
    const char **base_paths, **mods, **pak_paths, **forbidden;
    const char *base_game;
    const char **fail_if;   /* stb_ds array of conditions: fail_if.h */
    const char *max_memory; /* text of console.max_memory, or NULL */
    struct cache_choice cache;
    bool sandbox;                   /* touch only what the command line names */
    bool low;                       /* run at the lowest priority */
    struct depfile_options depfile; /* of programs with depfile_option_group */
};

/* `base` is the offset of a struct standard_options in the values of the table. */
struct option_group standard_option_group(size_t base);

/* The groups that program_run adds to every table: messages, conditions, safety. `fail_if` is as in
 * struct option_table. */
enum { PROGRAM_COMMON_GROUPS = 3 };
void program_common_groups(const struct option_def *fail_if, size_t base,
                           struct option_group out[PROGRAM_COMMON_GROUPS]);

/* A running program. All is borrowed. */
struct program {
    struct console *console;
    const struct env *env;
    const struct option_table *table;
    void *values; /* set by the command line */
    struct option_result *result;
};

/* A whole program: its main function, for a shell (host NULL) or within another program. */
typedef int program_main(int argc, char *const *argv, const struct host *host);

typedef enum status program_body(const struct program *program);

/* Parses the command line into `values`, of which `standard` is a part; handles --help, --version
 * and --man, and the options that every program has besides those of its table (--sandbox,
 * --max-memory); else runs the body between console_new and console_finish. Returns the exit
 * status. */
int program_run(const struct option_table *table, void *values, struct standard_options *standard,
                int argc, char *const *argv, program_body *body);

typedef void program_inspector(const struct option_table *table, void *context);

/* The next program_run of this thread calls `see` with its table, options of all programs included,
 * and returns 0 without a run. The options live as long as the process, the groups only during the
 * call. */
void program_inspect(program_inspector *see, void *context);

/* The next program_run of this thread reports these messages first, as its own: what a program has
 * to say that reads a command line for another one and then calls it. NULL: none. */
void program_preface(const struct diag *messages);

typedef void program_epilogue(const struct env *env, void *context);

/* The next program_run of this thread calls `then` when its body has succeeded, before it prints
 * its end: for what a program does with the result of another one that it calls. */
void program_then(program_epilogue *then, void *context);

/* Returns the file that an operand names (path_of_operand), which lives as long as the result. */
const char *program_file(const struct program *program, size_t index, const char *extension);

/* Applies the keys of a map's worldspawn that options name (options_apply_map_key), then prints the
 * settings if -v asks for them. */
NODISCARD enum status program_apply_map_keys(const struct program *program,
                                             const struct entity *world);

/* Like program_apply_map_keys, from the text of an entity lump: its first entity is the world. */
NODISCARD enum status program_apply_map_text(const struct program *program, const char *text,
                                             size_t size, const char *name);

#endif
