/* Internal: a table of verbs generates the help, the manual page, the dispatch by the first
 * argument and the suggestion for an unknown name. */
#ifndef BRUSHWORK_SHARED_VERB_TABLE_H
#define BRUSHWORK_SHARED_VERB_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The work of a verb: argv[0] is its name. Returns the exit status. */
typedef int verb_function(int argc, char **argv);

/* A row of verbs.def. */
struct verb {
    const char *program; /* "brushwork bmx info" */
    const char *name;
    const char *operands; /* "FILE DIR" */
    const char *summary;  /* one line, lower case, without full stop */
    verb_function *run;
};

/* Fields of the row, for the struct option_table of the verb. */
#define VERB_PAGE(row)                                                                             \
    .program = (row)->program, .operands = (row)->operands, .summary = (row)->summary

/* Returns the row of that name, or NULL. */
const struct verb *verb_named(const struct verb *verbs, size_t count, const char *name);

struct verb_table {
    const char *program;  /* "brushwork bmx" */
    const char *summary;  /* as that of a verb */
    const char *operands; /* of any verb: "FILE..." */
    const char *about;    /* a line before the list, or NULL */
    const char *more;     /* lines at the end of the help, or NULL */
    const char *see_also; /* "brushwork 1": manual pages, separated by " ,\n.Xr " */
    const char *(*verb_for)(const char *file); /* for a file in the place of a verb; or NULL */
    const struct verb *verbs;
    size_t count;
    bool has_pages; /* a manual page PROGRAM-VERB is installed per verb; else the list has the
                       operands */
};

/* Runs the verb that argv[1] names, or answers --help, --version and --man. Returns the exit
 * status: STATUS_USAGE, with a message on standard error, for an unknown verb. */
int verb_table_run(const struct verb_table *table, int argc, char **argv);

#endif
