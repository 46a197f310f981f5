/* Messages by what they say: those of one code, and of these the ones with one text, which differ
 * only in their place. */
#ifndef REPORT_FACTS_MESSAGE_GROUPS_H
#define REPORT_FACTS_MESSAGE_GROUPS_H

#include <jansson.h>

#include "common/core/arena.h"
#include "common/diag/diag.h"

struct message_place {
    const char *where; /* "box.vmf:12, solid 3", or "" */
    const char *what;  /* of the point: "hole", or "" */
    bool has_point;
    double point[3];
};

struct message_text {
    const char *text;             /* without the title of the code */
    struct message_place *places; /* stb_ds array: of each message that has any */
    size_t count;                 /* messages */
};

/* A map of stb_ds by strings of the arena. */
struct message_index {
    char *key;
    size_t value;
};

struct message_group {
    const char *severity, *code;
    const struct diag_info *info; /* NULL: a code that this program does not know */
    struct message_text *texts;   /* stb_ds array, in the order of the first of each */
    size_t count;                 /* messages */
    struct message_index *by_text;
};

/* Zero-initialise; free with message_groups_free. */
struct message_groups {
    struct message_group *groups; /* stb_ds array, in the order of the first of each */
    struct message_index *by_name;
    struct arena arena;
};

/* Adds messages of a build, as view_diagnostics_read has made them. */
void message_groups_add_rows(struct message_groups *groups, const json_t *rows);
/* Adds what was reported. */
void message_groups_add_reports(struct message_groups *groups, const struct diag *diag);
void message_groups_free(struct message_groups *groups);

#endif
