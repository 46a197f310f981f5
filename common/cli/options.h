/* One table an executable: it gives the parser, --help, the man page, the map's own keys and the
 * summary of what was set by whom.
 *
 * Names are written without dashes; on the command line one dash or two are the same, case does
 * not matter, and a value may follow `=`. A table may take in groups of other tables; a name that
 * stands in several groups sets all of them. Options are numbered in order: the table's own, then
 * group after group. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/core/status.h"

struct diag;
struct env;

enum option_kind {
    OPTION_FLAG,        /* bool: set to true */
    OPTION_CLEAR,       /* bool: set to false */
    OPTION_INT,         /* int, or `arity` of them */
    OPTION_NUMBER,      /* double, or `arity` of them */
    OPTION_TEXT,        /* const char *, borrowed from argv */
    OPTION_LIST,        /* const char **, an stb_ds array of `arity` a time; repeatable */
    OPTION_CHOICE,      /* int: index in `choices` */
    OPTION_IGNORED,     /* accepted for scripts' sake, without an argument */
    OPTION_IGNORED_ARG, /* the same, with one */
    OPTION_REFUSED,     /* known, and not to be had: `help` says why */
};

/* Later ones win over earlier ones. */
enum option_source { OPTION_DEFAULT, OPTION_MAP, OPTION_CONFIG, OPTION_COMMAND_LINE };

struct option_def {
    const char *name;
    const char *alias;    /* or NULL */
    const char *argument; /* what --help calls it; NULL for flags */
    enum option_kind kind;
    size_t offset;              /* of the field in the values */
    double min, max;            /* INT and NUMBER; both 0: no limit */
    const char *const *choices; /* CHOICE: ends with NULL */
    /* TEXT that is one of some names: the name numbered `index`, or NULL after the last. */
    const char *(*name_at)(size_t index);
    const char *map_key; /* worldspawn key that sets it, or NULL */
    const char *help;    /* NULL: not listed, another of the same name tells it */
    int arity;           /* INT, NUMBER, LIST: how many arguments it takes; 0: one */
    bool two_dashes;     /* how --help shows it: our own names have two, Valve's one */
};

/* "--" or "-": how messages and help show one of its names. */
const char *option_dashes(const struct option_def *def, const char *name);

/* True if the number is within the option's limits. */
bool option_in_range(const struct option_def *def, double value);

/* Options of another table, with their values at `base` inside this table's values. */
struct option_group {
    const char *title; /* heading in --help */
    const struct option_def *defs;
    size_t count;
    size_t base;
    const char *tool; /* the name by which settings of a game know the program; NULL: none, they are
                         for all */
};

struct option_table;
struct option_result;
struct arena;

/* Takes more options from settings of the game in the folder `game`, weaker than those of the
 * command line, which are in `values` already. Texts are put into the arena. */
typedef enum status option_config(const struct option_table *table, void *values,
                                  struct option_result *result, const char *game,
                                  struct arena *arena, struct diag *diag);

struct option_table {
    const char *program;       /* "vbsp", "brushwork build" */
    const char *summary;       /* one line, in small letters, without a full stop */
    const char *operands;      /* "MAP" */
    const char *details;       /* paragraphs for --help and the man page; may be NULL */
    const char *exit_statuses; /* "0 the same; 1 different"; NULL: those that programs share */
    const struct option_def *defs;
    size_t count;
    const struct option_group *groups; /* or NULL */
    size_t group_count;
    const void *defaults;              /* values whose defaults --help tells, or NULL */
    size_t min_operands, max_operands; /* both 0: not checked */
    option_config *config;             /* or NULL */
    bool has_loops; /* the program shares loops out between threads, and starts them with itself */
};

struct option_result {
    const char **operands;       /* stb_ds array, borrowed from argv */
    enum option_source *sources; /* stb_ds array, one an option */
    bool help, version, man;     /* --help or -h or -?, --version, --man was asked for */
    bool markdown;               /* --markdown, which --help does not list: for docs/options */
};

/* How many options there are with those of the groups, and the one numbered `index`, with the
 * offset that its values have on top of its own. */
size_t options_count(const struct option_table *table);
const struct option_def *options_at(const struct option_table *table, size_t index, size_t *base);

/* Parses argv[1..] into `values`, which holds the defaults. Bad ones are reported (USAGE, with the
 * nearest name) and give STATUS_USAGE. Free the result with options_free, also after a failure. */
NODISCARD enum status options_parse(const struct option_table *table, void *values, int argc,
                                    char *const *argv, struct option_result *result,
                                    struct diag *diag);
void options_free(struct option_result *result);

/* Options from elsewhere, for those that the command line did not set; no operands. Those of groups
 * of other tools are not known. `file` is for messages; the arguments must live as long as the
 * values. */
NODISCARD enum status options_parse_config(const struct option_table *table, void *values,
                                           struct option_result *result, const char *tool,
                                           const char *const *arguments, size_t count,
                                           const char *file, struct diag *diag);

/* A worldspawn key: sets the options that name it, if nothing stronger did. A bad value is reported
 * (MAP_OPTION) and fails; a key that no option names is fine. */
NODISCARD enum status options_apply_map_key(const struct option_table *table, void *values,
                                            struct option_result *result, const char *key,
                                            const char *value, struct diag *diag);

void options_help(const struct option_table *table, FILE *out);
void options_man_page(const struct option_table *table, FILE *out); /* section 1, mdoc */
/* The page of the program in docs/options; scripts/options_pages collects them. */
void options_markdown(const struct option_table *table, FILE *out);
/* Prints text with the characters escaped that Markdown gives a meaning to. */
void options_markdown_text(const char *text, FILE *out);
/* The lines that a page begins with; "brushwork build" is the page BRUSHWORK-BUILD. */
void options_man_title(const char *program, FILE *out);
/* "bounce 8 (command line)" for each option that is not at its default. */
void options_summary(const struct option_table *table, const void *values,
                     const struct option_result *result, FILE *out);

#endif
