#include "common/bsp/verify/entity_check.h"

#include <stdio.h>

#include "common/core/strings.h"

void entity_check(const struct entity *entity, size_t index, size_t models,
                  struct entity_check *out)
{
    const char *model = entity_value(entity, "model");
    bool has_class = entity_has(entity, "classname"), has_brushes = model[0] == '*';
    int64_t number = 0;
    bool exists =
        has_brushes && str_to_int64(model + 1, &number) && number >= 1 && number < (int64_t)models;
    *out = (struct entity_check){.model = exists ? (size_t)number : 0};
    if (!has_class)
        snprintf(out->fault, sizeof out->fault, "entity %zu: no classname", index);
    else if (has_brushes && !exists)
        snprintf(out->fault, sizeof out->fault, "entity %zu: model %.20s; the last one is *%zu",
                 index, model, models ? models - 1 : 0);
}
