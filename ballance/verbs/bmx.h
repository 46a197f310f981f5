/* The verbs of `brushwork bmx`: each takes its own arguments, argv[0] being the verb, and returns
 * the exit status. */
#ifndef BALLANCE_VERBS_BMX_H
#define BALLANCE_VERBS_BMX_H

#include <jansson.h>

#include "ballance/bmx/check.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_table.h"
#include "common/cli/program.h"

/* Returns the row of a verb that exists. */
const struct verb *bmx_verb(const char *name);

/* A file and its findings. Zero-initialise; free with bmx_input_free. */
struct bmx_input {
    const char *path;
    size_t bytes;
    struct bmx *bmx; /* NULL: unreadable, see findings */
    struct bmx_findings findings;
    struct bmx_stats stats;
};

/* Reads and checks a file; fails only when the file cannot be read (FILE_READ). */
NODISCARD enum status bmx_input_read(const struct env *env, const char *path,
                                     struct bmx_input *input);
/* The same, but reports the findings and fails when there is no model. */
NODISCARD enum status bmx_input_need(const struct env *env, const char *path,
                                     struct bmx_input *input);
void bmx_input_free(struct bmx_input *input);

/* Text as JSON. JSON requires UTF-8: invalid bytes become U+FFFD. */
json_t *bmx_json_text(const char *text);

#endif
