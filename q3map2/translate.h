/* A command line of q3map2, in the words of our programs. */
#ifndef Q3MAP2_TRANSLATE_H
#define Q3MAP2_TRANSLATE_H

#include "common/core/arena.h"
#include "q3map2/table.h"

struct diag;

/* An option without effect. */
struct q3_idle {
    const char *name, *why;
};

struct q3_line {
    enum q3_stage_id stage;
    const char **arguments; /* stb_ds array: options of the program that runs the stage */
    const char **messages;  /* stb_ds array: those of them that say how messages are printed */
    const char **operands;  /* stb_ds array: files */
    const char **numbers;   /* stb_ds array: three, of stages that take numbers before the file */
    struct q3_idle *idle;   /* stb_ds array */
    const char **unknown;   /* stb_ds array: words that are skipped */
    const char **clamped;   /* stb_ds array: "-samples 40: 16 is used" */
    const char *ending;     /* of the output of -convert */
    const char *target;     /* of the game, for vbsp */
    const char *defaults;   /* options of the game for the stage, in one text */
    bool keeps_portals;     /* -saveprt */
    bool only_entities;     /* -onlyents */
    struct arena arena;
};

/* Reads argv[1..]. The common options may stand anywhere; the first word that is left may be the
 * stage, and the last one is the file. An option that is not known is skipped alone: what follows
 * is read on, as q3map2 does. Names that begin with two dashes are options of our programs. Reports
 * (USAGE) a missing file or argument, and a list of files that cannot be read. Free with
 * q3_line_free, also on failure. */
NODISCARD enum status q3_translate(int argc, char *const *argv, struct diag *diag,
                                   struct q3_line *out);
void q3_line_free(struct q3_line *line);

#endif
