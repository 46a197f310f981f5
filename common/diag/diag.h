/* Diagnostics: what went wrong, its stable code, where, and how to fix it.
 *
 * Every message has a code from diag_codes.def, the one table from which the enum, the titles and
 * docs/diagnostics.md come. Entries are kept in order of report and also handed to a sink at once.
 * diag_report may be called from several threads, but then the order is not fixed: parallel loops
 * keep their findings by item and report after the loop. */
#ifndef DIAG_DIAG_H
#define DIAG_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "common/core/status.h"

enum diag_severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR, DIAG_SEVERITIES };

enum diag_code {
#define DIAG(name, code, severity, title, fix) DIAG_##name,
#include "common/diag/diag_codes.def"
#undef DIAG
    DIAG_CODES
};

/* Where in the source. Fields that do not apply are 0 or NULL. Strings are borrowed by the caller
 * for the call only; diag_report copies them. */
struct diag_where {
    const char *file;
    int line;
    int entity_id, solid_id, side_id; /* the editor's own ids */
    bool counted; /* the ids count from 0, as Radiant's numbers: those that do not apply are -1, and
                     a solid is a brush or a patch, counted in its entity */
    bool has_point;
    double point[3];                    /* in the map */
    const struct diag_where *placed_by; /* the instance that brought it in */
};

struct diag_info {
    const char *code;
    enum diag_severity severity;
    const char *title;
    const char *fix;
};

struct diag_entry {
    enum diag_code code;
    enum diag_severity severity;
    struct diag_where where;
    const char *message;
};

typedef void diag_sink(void *context, const struct diag_entry *entry);

/* One of the ids of a place, as it is told. */
struct diag_id {
    const char *name; /* "entity", "solid" or "brush", "side" */
    int id;
};

/* Those that apply, the outermost first; how many. */
size_t diag_where_ids(const struct diag_where *where, struct diag_id out[3]);

/* The number of the solid by which text names it: "7", or "7 of entity 2" where ids are counted. */
struct diag_number {
    char text[48];
};

struct diag_number diag_solid_number(const struct diag_where *where);

struct diag;

/* sink may be NULL: entries are only kept. */
struct diag *diag_new(diag_sink *sink, void *context);
void diag_free(struct diag *diag);

/* Always returns STATUS_FAILED, so that `return diag_report(...)` reads well. where may be NULL. */
enum status diag_report(struct diag *diag, enum diag_code code, const struct diag_where *where,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

const struct diag_info *diag_info(enum diag_code code);
size_t diag_count(const struct diag *diag, enum diag_severity severity);
size_t diag_count_code(const struct diag *diag, enum diag_code code);
size_t diag_entries(const struct diag *diag);
const struct diag_entry *diag_entry(const struct diag *diag, size_t index);

#endif
