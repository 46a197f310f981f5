/* The options of q3map2 and what is done with them: options.def, joined at run time with the option
 * tables of vbsp, vvis and vrad, so that an option is done exactly when the program of its stage
 * knows it. */
#ifndef Q3MAP2_TABLE_H
#define Q3MAP2_TABLE_H

#include "common/cli/options.h"

enum q3_stage_id {
#define STAGE(id, word, title, program, line, operands, summary) Q3_##id,
#include "q3map2/stages.def"
#undef STAGE
    Q3_STAGES
};

struct q3_stage {
    const char *word;                  /* NULL: COMMON */
    const char *title;                 /* heading in pages */
    int (*run)(int argc, char **argv); /* NULL: COMMON, and stages that are not done */
    const char *line;                  /* its argv, or why it is not done (stages.def) */
    const char *operands, *summary;
};

extern const struct q3_stage q3_stages[Q3_STAGES];

enum q3_means { Q3_SAME, Q3_WORDS, Q3_HERE, Q3_ALWAYS, Q3_IDLE };

/* A row of options.def. */
struct q3_option {
    enum q3_stage_id stage;
    const char *name;
    const char *arguments; /* "N [N]" */
    enum q3_means means;
    const char *ours;
    const char *text;
    bool common; /* --help lists it, and its stage */
};

size_t q3_option_count(void);
const struct q3_option *q3_option_at(size_t index);

/* Returns the option of the stage, or the common one (COMMON), or NULL. Case is ignored. */
const struct q3_option *q3_find_option(enum q3_stage_id stage, const char *name);
/* Returns true and the stage if the name is a stage word. */
bool q3_find_stage(const char *name, enum q3_stage_id *out);

/* Least and greatest number of arguments. */
size_t q3_fewest_arguments(const struct q3_option *option);
size_t q3_most_arguments(const struct q3_option *option);

/* Returns the option of that name of the program that runs the stage, or NULL. COMMON: of those of
 * all programs. */
const struct option_def *q3_find_ours(enum q3_stage_id stage, const char *name);

/* Returns true for options of all our programs that say how messages are printed. */
bool q3_is_about_messages(const char *name);

enum q3_state { Q3_DONE, Q3_DONE_ALWAYS, Q3_NOTED };

struct q3_deed {
    enum q3_state state;
    const struct option_def *ours; /* the option that it is passed to; or NULL */
    bool as_words;                 /* as the `ours` of its row */
    const char *text;              /* its help, or the reason why nothing is passed */
};

/* Returns what is done with an option in a stage; for a common one COMMON is any stage. */
struct q3_deed q3_deed_of(const struct q3_option *option, enum q3_stage_id stage);

/* A default that holds unless an option is given: those of q3map2 where ours differ. */
struct q3_default {
    enum q3_stage_id stage;
    const char *unless;
    const char *ours[2];
};

extern const struct q3_default q3_defaults[];
size_t q3_default_count(void);

#endif
