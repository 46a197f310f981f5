/* Command-line programs that work on one map with the content of a game: the part that the stages
 * share between the command line and the work.
 *
 * Options for a map can be kept in cfg/commandline.cfg of the game:
 *
 *     "commandline"
 *     {
 *         "MAP" { "vbsp" "-nodetail" "vrad" "-final -bounce 20" }
 *     }
 *
 * No option that names a file, or has the run read or write others, may be there
 * (option_is_for_caller). The outermost block may be missing. An argument of an option that
 * contains spaces stands in single quotes. (Notes on Valve's tools, section on command lines.) */
#ifndef ASSETS_GAME_PROGRAM_H
#define ASSETS_GAME_PROGRAM_H

#include "common/assets/assets.h"
#include "common/cli/program.h"

enum { GAME_PROGRAM_GROUPS = 9 };

struct game_program {
    /* As in struct option_table. */
    const char *name, *summary, *operand, *endings, *details, *exit_statuses;
    const struct option_def *defs;
    size_t count;
    const struct option_def *fail_if;                /* as in struct option_table */
    struct option_group groups[GAME_PROGRAM_GROUPS]; /* without the general group */
    size_t group_count;
    bool has_many_maps;  /* one or more instead of one */
    bool has_depfile;    /* --depfile: the body calls depfile_prepare */
    option_adapt *adapt; /* as in struct option_table */
    program_body *body;
};

/* program_run. The values, which are the defaults, begin with a struct standard_options. */
int game_program_run(const struct game_program *program, void *values, const void *defaults,
                     int argc, char *const *argv);

/* The content that the options name, without folders of -insert_search_path. Borrows from them. */
struct assets_options assets_options_of(const struct standard_options *options);

/* Content that a program uses besides that of its command line. */
struct assets_use {
    const char *first;         /* a folder that takes precedence over all others, or NULL */
    const char *map_catalogue; /* as in struct assets_options */
    bool has_shaders;          /* struct engine: names mean shaders */
    bool sizes_only;           /* only sizes of images are needed: nothing is lit */
    struct shader_parms parms;
};

/* Calls assets_open with the content that the options name: folders of -insert_search_path, the
 * game, catalogues. */
NODISCARD enum status assets_open_of(const struct env *env, const struct standard_options *options,
                                     struct assets_use use, struct assets **out);

#endif
