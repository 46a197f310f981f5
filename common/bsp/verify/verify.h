/* Verifies every index, range and invariant of a BSP that engines rely on. */
#ifndef BSP_VERIFY_VERIFY_H
#define BSP_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"
#include "common/text/entities.h"

struct bsp_format;

/* Reports each fault (codes B1xx, at most a few of each kind with the number of the others).
 * STATUS_FAILED when there was an error. */
NODISCARD enum status bsp_verify(const struct bsp *bsp, const char *name, struct diag *diag);

/* One subject that was checked. */
struct bsp_verify_check {
    const char *what; /* "planes" */
    size_t faults;
};

/* The same, and appends to an stb_ds array what was checked: all subjects, or those up to the
 * first of which the others rely on its being right. */
NODISCARD enum status bsp_verify_listed(const struct bsp *bsp, const char *name, struct diag *diag,
                                        struct bsp_verify_check **checks);

/* The same as bsp_verify by the limits of one branch, whose files are of that form. A file does not
 * tell its branch: bsp_verify takes what any branch with such files takes, with a warning. */
NODISCARD enum status bsp_verify_for(const struct bsp *bsp, const struct bsp_format *branch,
                                     const char *name, struct diag *diag);

/* Findings of the rules for entities that hold for all engines. */
struct entity_check {
    size_t model;    /* its brush model; 0: none */
    char fault[120]; /* empty: none */
};

/* Checks entity `index` of a map with that many models: it needs a classname, and its brush model
 * must exist. */
void entity_check(const struct entity *entity, size_t index, size_t models,
                  struct entity_check *out);

#endif
