/* Conditions of --fail-if, "NAME>N%": a run fails when its messages, or those parts of a map that a
 * format limits, are more than N. */
#ifndef CLI_FAIL_IF_H
#define CLI_FAIL_IF_H

#include "common/cli/options.h"
#include "common/diag/diag.h"

/* The start of its help, about messages. */
#define FAIL_IF_MESSAGES_HELP                                                                      \
    "NAME is warnings, errors, notes or a diagnostic code, such as A030, for more than N such "    \
    "messages (>0 may be omitted)"

struct fail_if {
    const char *name;
    bool counts_messages;
    struct diag_condition messages; /* of those that do */
    double max;
    bool percent;
};

/* Splits a condition; texts are borrowed or in the arena. A name that is not of messages is that of
 * a limit, which may not exist. Reports (USAGE) what cannot be read. */
NODISCARD enum status fail_if_parse(const char *text, struct arena *arena, struct diag *diag,
                                    struct fail_if *out);

/* Reports (USAGE) why a condition is refused, with the name that is nearest, or NULL. */
enum status fail_if_refuse(struct diag *diag, const char *text, const char *why,
                           const char *nearest);

/* The option of programs that know no limits: `offset` is that of the list in its values. */
extern const struct option_def fail_if_option;

/* Reads the stb_ds array of conditions. Those of limits are refused unless `has_limits`: then the
 * program itself judges them. Adds those of messages to `judge`, unless that is NULL. */
NODISCARD enum status fail_if_add(const char **conditions, bool has_limits, struct diag *diag,
                                  struct diag *judge);

#endif
