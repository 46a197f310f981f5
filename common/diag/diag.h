/* Diagnostics: the error, its stable code, its location, and a fix.
 *
 * Every message has a code: a constant DIAG_NAME of a file of common/diag/codes, which the file
 * that reports it includes, and which has its title, its fix and its explanation. Entries are kept
 * in order of report and also passed to a sink immediately. diag_report may be called from several
 * threads, but then the order is not deterministic: parallel loops collect their findings by item
 * and report after the loop. */
#ifndef DIAG_DIAG_H
#define DIAG_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/core/status.h"

enum diag_severity { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR, DIAG_SEVERITIES };

/* The length of arrays with an element for each code, which diag_index finds. */
enum { DIAG_CODES_MAX = 640 };

struct diag_property;

/* Location in the source. Fields that do not apply are 0 or NULL. Strings are borrowed for the
 * call; diag_report copies them. */
struct diag_where {
    const char *file;
    int line;
    int entity_id, solid_id, side_id; /* ids of Hammer */
    bool counted; /* the ids count from 0, as Radiant's numbers do: those that do not apply are -1,
                     and a solid is a brush or a patch, counted within its entity */
    bool has_point;
    double point[3];                        /* in the map */
    const struct diag_where *placed_by;     /* the instance that inserted it */
    const struct diag_property *properties; /* in the order of their table */
    size_t property_count;
};

struct diag_info {
    const char *name; /* DIAG_name is the constant */
    const char *code; /* as text: "V001" */
    enum diag_severity severity;
    const char *title;
    const char *fix;
};

struct diag_entry {
    int code;
    enum diag_severity severity;
    struct diag_where where;
    const char *message;
};

typedef void diag_sink(void *context, const struct diag_entry *entry);

/* One of the ids of a location, as it is shown. */
struct diag_id {
    const char *name; /* "entity", "solid" or "brush", "side" */
    int id;
};

/* Lists the ids that apply, outermost first; returns their number. */
size_t diag_where_ids(const struct diag_where *where, struct diag_id out[3]);

/* Formats a solid's number for use in text: "7", or "7 of entity 2" when ids are counted. */
struct diag_number {
    char text[48];
};

struct diag_number diag_solid_number(const struct diag_where *where);

struct diag;

/* sink may be NULL: entries are only stored. */
struct diag *diag_new(diag_sink *sink, void *context);
void diag_free(struct diag *diag);

/* Completes a location without a file from its ids or point: a later stage knows the entity that it
 * reports, but not the source. */
typedef void diag_locate(void *context, struct diag_where *where);
/* Sets the locator of the reports that follow; NULL: none. */
void diag_set_locator(struct diag *diag, diag_locate *locate, void *context);

/* From here on `copy` gets what is reported, as it was before the locator completed it; NULL: no
 * more. */
void diag_set_recorder(struct diag *diag, struct diag *copy);

/* Always returns STATUS_FAILED, for `return diag_report(...)`. where may be NULL. */
enum status diag_report(struct diag *diag, int code, const struct diag_where *where,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same with a list of arguments. */
enum status diag_report_list(struct diag *diag, int code, const struct diag_where *where,
                             const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));

/* The same with another severity than that of the code, where an option sets it. Returns
 * STATUS_FAILED for an error, else STATUS_OK. */
enum status diag_report_as(struct diag *diag, enum diag_severity severity, int code,
                           const struct diag_where *where, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Returns the status of a run that ends with `status`: one that reported an error has failed, or
 * leaked when that is all that it reported. So no run that reported an error ends with 0. */
enum status diag_verdict(const struct diag *diag, enum status status);

/* A number of messages at which a run fails. */
struct diag_condition {
    const char *text; /* as it was asked for; diag_add_condition copies it */
    bool is_severity; /* messages of that severity count, else those of the code */
    enum diag_severity severity;
    int code;
    double max; /* fails above it */
};

void diag_add_condition(struct diag *diag, const struct diag_condition *condition);

/* Reports (FAIL_IF) each condition that is met and was not before; fails when one is or was. Called
 * before an output is written, and at the end of a run. */
NODISCARD enum status diag_judge(struct diag *diag);

/* Returns NULL for a number that is no code. */
const struct diag_info *diag_info(int code);
/* Returns the place of a code in arrays of DIAG_CODES_MAX. */
size_t diag_index(int code);
/* Returns the code after this one, in the order of letters and numbers; after 0 the first, and
 * after the last 0. */
int diag_next(int code);

const char *diag_severity_name(enum diag_severity severity);
size_t diag_count(const struct diag *diag, enum diag_severity severity);
size_t diag_count_code(const struct diag *diag, int code);
/* Those that report a leak, which decides more of a run than other errors (diag_verdict). */
size_t diag_leaks(const struct diag *diag);
bool diag_is_leak(const struct diag_entry *entry);
size_t diag_entries(const struct diag *diag);
const struct diag_entry *diag_entry(const struct diag *diag, size_t index);
/* Reports all entries of one to another, with their severities; `from` may be NULL. */
void diag_report_again(const struct diag *from, struct diag *to);

/* The name that a message has in the place of a file's, borrowed. */
typedef const char *diag_rename(void *context, const char *file);
/* Returns a copy whose locations name other files. */
struct diag *diag_renamed(const struct diag *from, diag_rename *rename, void *context);
/* The same without those that the other has got already: with the same code, and a message that
 * contains theirs. */
void diag_report_new(const struct diag *from, struct diag *to);

#endif
