/* Command-line options: one table per executable defines the parser, --help, the man page, the
 * completions of shells, the keys that a map may set, and the summary of settings with their
 * sources.
 *
 * Names are written without dashes; on the command line one dash or two are equal, case is ignored,
 * and a value may follow `=`, or a whole number a name of one letter. A table may include groups of
 * other tables; a name that occurs in several groups sets all of them. Options are numbered in
 * order: the table's own, then group by group. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/core/sha256.h"
#include "common/core/status.h"

struct diag;
struct diag_where;
struct env;
struct fs;

enum option_kind {
    OPTION_FLAG,           /* bool: set to true */
    OPTION_CLEAR,          /* bool: set to false */
    OPTION_INT,            /* int, or `arity` of them */
    OPTION_NUMBER,         /* double, or `arity` of them */
    OPTION_NUMBER_OR_NONE, /* double; -1 when the argument is left out, as when it is no number */
    OPTION_TEXT,           /* const char *, borrowed from argv */
    OPTION_LIST,        /* const char **, an stb_ds array, `arity` entries each time; repeatable */
    OPTION_CHOICE,      /* int: index in `choices` */
    OPTION_STANDING,    /* no argument; asks for what is always so */
    OPTION_IGNORED,     /* no argument; of another tool, without effect here, which is noted */
    OPTION_IGNORED_ARG, /* the same, with arguments */
    OPTION_IGNORED_NUMBER, /* the same, with an argument that is a number or left out */
    OPTION_REFUSED,        /* known but not supported: `help` says why */
};

/* The use of the path that an option names, as the first of its arguments. */
enum option_path {
    OPTION_NO_PATH,
    OPTION_READS_BESIDE, /* a file, which may name others in its folder */
    OPTION_READS,        /* a file or folder */
    OPTION_COPIES,       /* a folder whose files are copied to the output */
    OPTION_WRITES,       /* a file, or a folder that may be created */
    OPTION_CACHES,       /* a folder that may be created, or the address of a server */
    OPTION_APPENDS,      /* a file that is opened before anything is read */
};

/* How common an option is: --help lists the common ones, --help all lists all. */
enum option_use {
    OPTION_OF_ITS_PLACE, /* common in the table of its program, rare in a group */
    OPTION_RARE,
    OPTION_COMMON, /* in a group of a tool: for that program, but rare for those that have its group
                      beside those of others */
    OPTION_MAIN,   /* for all programs */
};

/* Later ones take precedence over earlier ones. */
enum option_source {
    OPTION_DEFAULT,
    OPTION_MAP,
    OPTION_CONFIG,
    OPTION_ENVIRONMENT,
    OPTION_COMMAND_LINE
};

/* A struct that the values of a table point to: what knows the values alone does not depend on its
 * fields. A program has its own copy of each (options_parse), values that are defaults point to a
 * constant. */
struct option_part {
    size_t at; /* of the pointer in the values */
    size_t size;
};

struct option_def {
    const char *name;
    const char *alias;    /* or NULL */
    const char *hidden;   /* a name that is taken and not shown, or NULL */
    const char *argument; /* its name in --help; NULL for flags */
    enum option_kind kind;
    const struct option_part *part; /* that has the field; NULL: the values themselves */
    size_t offset;                  /* of the field */
    double min, max;                /* INT and the NUMBERs; both 0: no limit */
    const char *const *choices;     /* CHOICE: terminated by NULL */
    /* TEXT with a fixed set of values: returns value number `index`, or NULL after the last. */
    const char *(*name_at)(size_t index);
    const char *map_key; /* worldspawn key that sets it, or NULL */
    const char *help;    /* NULL: not listed, because another option of the same name documents it;
                            STANDING, IGNORED: the reason */
    int arity;           /* INT, NUMBER, LIST, IGNORED_ARG: number of arguments; 0: one */
    enum option_path path; /* TEXT, LIST */
    const char *endings;   /* of the files that it names, "vpk pk3"; NULL: any; for completions */
    bool of_run;           /* does not change the result: see options_hash */
    bool of_caller;        /* may only be set on the command line: option_is_for_caller */
    bool touches_files;    /* with it the run writes other files than without it, or reads some that
                              are neither of the map nor of the game; their names are not its
                              arguments */
    bool is_word;          /* TEXT, LIST: the arguments name no file or folder */
    bool two_dashes;       /* form in --help: our own names have two dashes, Valve's one */
    enum option_use use;   /* how common it is: whether --help lists it, or only --help all */
};

/* Returns "--" or "-", as messages and --help show one of its names. */
const char *option_dashes(const struct option_def *def, const char *name);

/* The field of an option; `values` are those of its group, at the base of the group. */
void *option_field(const struct option_def *def, const void *values);

/* The type of the field that an option has in the values of its table. */
enum option_value {
    VALUE_NONE, /* there is no field */
    VALUE_BOOL,
    VALUE_INTS,    /* or one */
    VALUE_NUMBERS, /* or one */
    VALUE_CHOICE,
    VALUE_TEXT,
    VALUE_LIST
};
enum option_value option_value(const struct option_def *def);

/* Returns true for options of other tools that have no effect here. */
bool option_is_ignored(const struct option_def *def);

/* Returns true for options that only the command line sets, and neither a game nor a map: those
 * that have a run read or write files, for such a file is chosen by the person who starts the run;
 * what is wrong in it is quoted in messages, which others may see. Text counts as the name of a
 * file unless the option says that it is none (is_word). */
bool option_is_for_caller(const struct option_def *def);

/* Number of arguments that follow the option on a command line. */
int option_arity(const struct option_def *def);

/* Returns true for an option that names what the program writes. */
bool option_writes(const struct option_def *def);

/* True for its name, alias or hidden name, in any letter case. */
bool option_has_name(const struct option_def *def, const char *name);

/* Returns true when the number is within the option's limits. */
bool option_in_range(const struct option_def *def, double value);

/* Options of another table, with their values at `base` inside this table's values. */
struct option_group {
    const char *title; /* heading in --help */
    const struct option_def *defs;
    size_t count;
    size_t base;
    const char *tool; /* name of the program in a game's settings; NULL: options for all programs */
};

/* Copies the parts of the group's values, so that they can be changed. */
void option_group_own_parts(const struct option_group *group, void *values, struct arena *arena);

struct option_table;
struct option_result;

/* Applies options from the settings of the game in the folder `game`, with lower precedence than
 * the command line, whose values are in `values` already. Texts are in the arena. */
typedef enum status option_config(const struct option_table *table, void *values,
                                  struct option_result *result, const char *game, struct fs *fs,
                                  struct arena *arena, struct diag *diag);

/* Changes the values when the command line has been read, before anything is done by them: where
 * options and operands decide together about the process (a sandbox, where messages go). */
typedef enum status option_adapt(const struct option_table *table, void *values,
                                 struct option_result *result, struct diag *diag);

struct fs_roots;

/* Adds the roots of the content that the struct standard_options name, for a sandbox. */
typedef void option_content(const void *standard, struct fs_roots *roots);

/* exit_statuses of the programs that look for leaks. */
#define EXIT_STATUSES_WITH_LEAK                                                                    \
    "0 success; 1 failure; 2 invalid command line; 3 map leaks; 4 internal error or out of "       \
    "memory; 5 bound reached"

struct option_table {
    const char *program;  /* "vbsp", "brushwork build" */
    const char *summary;  /* one line, lower case, without a full stop */
    const char *operands; /* "MAP" */
    const char
        *endings; /* of the files that they name, "vmf vmm map"; NULL: any; for completions */
    const char *details; /* paragraphs for --help and the man page; may be NULL */
    const char
        *exit_statuses; /* "0 the same; 1 different"; NULL: the statuses that all programs share */
    const struct option_def *defs;
    size_t count;
    const struct option_group *groups; /* or NULL */
    size_t group_count;
    const void *defaults;              /* values whose defaults --help shows, or NULL */
    size_t min_operands, max_operands; /* both 0: not checked */
    option_config *config;             /* or NULL */
    option_adapt *adapt;               /* or NULL */
    option_content *content;           /* or NULL: the program uses no content of a game */
    const struct option_def *fail_if;  /* the program judges limits: --fail-if with their names; or
                                          NULL: it is about messages alone */
    bool has_loops; /* the program runs parallel loops, so that their threads are started with it */
};

/* Writes what the options of a table are. */
typedef void options_page(const struct option_table *table, FILE *out);

struct option_result {
    const char **operands;       /* stb_ds array, borrowed from argv */
    enum option_source *sources; /* stb_ds array, one per option */
    options_page *page; /* to print instead of a run, as --help, -h and -?, --version and --man ask,
                           and --markdown and --completion, which --help does not list; or NULL */
    const char *topic;  /* the word after --help: its page is options_help_about; or NULL */
    int end;            /* number of the arguments before the first operand of "--", argc if none */
    struct arena texts; /* arguments that are not those of argv */
};

/* Number of options including those of the groups, and the option numbered `index`, with the offset
 * that is added to its own. */
size_t options_count(const struct option_table *table);
const struct option_def *options_at(const struct option_table *table, size_t index, size_t *base);

/* Parses argv[1..] into `values`, which holds the defaults and gets copies of their parts. Quotes
 * around an argument, which batch files leave in, are removed. Errors are reported (USAGE, with the
 * nearest name) and give STATUS_USAGE. Free the result with options_free after the last use of the
 * values, also on failure. */
NODISCARD enum status options_parse(const struct option_table *table, void *values, int argc,
                                    char *const *argv, struct option_result *result,
                                    struct diag *diag);
void options_free(struct option_result *result);

/* Sees an option of options_check, the `used` words from number `at` on, with its first argument or
 * NULL; once for each table that has it. Returns false when it may not be set there. */
typedef bool options_see(void *context, const struct option_def *def, size_t at, size_t used,
                         const char *argument);

/* Looks whether the words are options that a command line could have, without operands, and sets
 * nothing. Reports what is wrong at the place (USAGE). */
NODISCARD enum status options_check(const struct option_table *table, const char *const *words,
                                    size_t count, options_see *see, void *context,
                                    const struct diag_where *where, struct diag *diag);

/* Parses options from elsewhere, for those that the command line did not set; no operands, and none
 * that only the command line sets (option_is_for_caller). Options in groups of other tools are
 * unknown. `file` is for messages; the arguments must live as long as the values. */
NODISCARD enum status options_parse_config(const struct option_table *table, void *values,
                                           struct option_result *result, const char *tool,
                                           const char *const *arguments, size_t count,
                                           const char *file, struct diag *diag);

/* Applies a worldspawn key: sets the options that name it, unless a source of higher precedence
 * did. An invalid value is reported (MAP_OPTION) and fails; a key that no option names is
 * ignored. */
NODISCARD enum status options_apply_map_key(const struct option_table *table, void *values,
                                            struct option_result *result, const char *key,
                                            const char *value, struct diag *diag);

/* Prints the page that the result asks for. */
void options_answer(const struct option_table *table, const struct option_result *result,
                    FILE *out);
options_page options_help;     /* the common options */
options_page options_help_all; /* all options */
options_page options_version;
/* The options with the word in their names or headings, or "-NAME" alone; "all" is
 * options_help_all. */
void options_help_about(const struct option_table *table, const char *topic, FILE *out);
/* Returns true when there are such options. */
bool options_help_knows(const struct option_table *table, const char *topic);
/* Writes a row of a list of options: the name, and a text that COLUMNS limits beside it. */
void options_help_row(FILE *out, const char *name, const char *text);
options_page options_man_page; /* section 1, mdoc */
/* Writes the page of the program in docs/options; scripts/options_pages collects them. */
options_page options_markdown;
/* Writes the lines from which scripts/completions makes the completions of shells, fields separated
 * by tabs: a line "option" for each name of an option, with the number of its arguments, the kind
 * of the first (none, text, words, files or folders), its words or the endings of its files, its
 * name, and a short help (empty for options that are only for compatibility); and a line "operand"
 * with the names of the operands and the endings of their files. */
options_page options_completion;
/* Writes the words of a text as lines of help, which COLUMNS limits, else 80 columns; after the
 * first, which goes on at `column`, they are indented. */
void options_wrap(FILE *out, const char *text, int indent, int column);
/* Writes text with Markdown's special characters escaped. */
void options_markdown_text(const char *text, FILE *out);
/* Writes the header of a man page; "brushwork build" is the page BRUSHWORK-BUILD. */
void options_man_title(const char *program, FILE *out);
/* Writes its section NAME; "brushwork build" is one word there, brushwork-build, which whatis(1)
 * needs. */
void options_man_name(const char *program, const char *summary, FILE *out);
/* Returns the names of the ignored options that were given, "-mpi, -mpi_pw", or NULL. */
const char *options_ignored(const struct option_table *table, const struct option_result *result,
                            struct arena *arena);
/* Adds the values of all options of the group that may change the result. */
void option_group_hash(const struct option_group *group, const void *values, struct sha256 *hash);
/* Adds the program, its version, its code and the values of all options that may change its result.
 */
void options_hash(const struct option_table *table, const void *values, struct sha256 *hash);
/* Appends the values of a group without lists, for another process of the same run that has the
 * same table. Reading begins with the defaults, whose parts it copies into the arena, and returns
 * false, with `failed` set, for values that no command line can set. */
void option_group_append(const struct option_group *group, const void *values, struct bytes *out);
bool option_group_read(const struct option_group *group, struct byte_reader *from, void *values,
                       struct arena *texts);
/* Adds the code of the program, and the values of the options that may change the result of a
 * stage: those of the groups of `tool`, and of the groups for all programs if the stage reads
 * content of a game. Names of outputs are left out. The same in each program that has the stage. */
void options_hash_stage(const struct option_table *table, const void *values, const char *tool,
                        bool reads_content, struct sha256 *hash);
/* Writes "bounce 8 (command line)" for each option that is not at its default. */
void options_summary(const struct option_table *table, const void *values,
                     const struct option_result *result, FILE *out);

#endif
