/* Rules for the entities of a map that hold for all engines. */
#ifndef BSP_VERIFY_ENTITY_CHECK_H
#define BSP_VERIFY_ENTITY_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/text/entities.h"

struct entity_check {
    size_t model;    /* its brush model; 0: none */
    char fault[120]; /* empty: none */
};

/* Checks entity `index` of a map with that many models: it needs a classname, and its brush model
 * must exist. */
void entity_check(const struct entity *entity, size_t index, size_t models,
                  struct entity_check *out);

#endif
