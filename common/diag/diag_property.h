/* Properties of a place (properties/all.def): what a report attaches besides it. The formats print
 * them by the rows of that table, and know none by itself. */
#ifndef DIAG_DIAG_PROPERTY_H
#define DIAG_DIAG_PROPERTY_H

#include "common/diag/diag.h"

/* More than all their numbers. */
enum { DIAG_PROPERTIES_MAX = 64 };

/* More about a place than where it is; see properties/all.def for what each name has. */
struct diag_property {
    int name; /* DIAG_OF_NAME */
    union {
        const char *text;
        bool is_true;
        const double *numbers;
        const struct diag_where *places;
    };
    size_t count; /* of numbers or places */
};

enum diag_property_kind { DIAG_KIND_TEXT, DIAG_KIND_BOOL, DIAG_KIND_NUMBERS, DIAG_KIND_PLACES };
enum diag_property_part { DIAG_PART_FIRST, DIAG_PART_PLACE, DIAG_PART_LAST, DIAG_PART_ASIDE };

/* A row of the table, whose columns are described there. */
struct diag_property_info {
    const char *key;
    enum diag_property_kind kind;
    size_t count;
    enum diag_property_part part;
    const char *text;
};

/* NULL: there is none of that number. */
const struct diag_property_info *diag_property_info(int name);

/* Returns the first property of that name, or NULL. Numbers are as many as the row says. */
const struct diag_property *diag_property(const struct diag_where *where, int name);
/* The numbers of the first one of that name, or NULL. */
const double *diag_numbers(const struct diag_where *where, int name);
/* False without a property of that name. */
bool diag_is_true(const struct diag_where *where, int name);

#endif
