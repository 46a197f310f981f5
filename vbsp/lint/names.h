/* Internal: the names of a level's entities, and texts that refer to them. */
#ifndef VBSP_LINT_NAMES_H
#define VBSP_LINT_NAMES_H

#include "vbsp/lint/lint.h"

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

#endif
