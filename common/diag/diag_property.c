#include "common/diag/diag_property.h"

#include "common/diag/diag_property_name.h"

#undef PROPERTY
#define PROPERTY(name, number, key, kind, count, part, text)                                       \
    [number] = {key, DIAG_KIND_##kind, count, DIAG_PART_##part, text},

static const struct diag_property_info infos[DIAG_PROPERTIES_MAX] = {
#include "common/diag/properties/all.def"
};

const struct diag_property_info *diag_property_info(int name)
{
    return name >= 0 && name < DIAG_PROPERTIES_MAX && infos[name].key ? &infos[name] : NULL;
}

const struct diag_property *diag_property(const struct diag_where *where, int name)
{
    for (size_t i = 0; i < where->property_count; i++)
        if (where->properties[i].name == name)
            return &where->properties[i];
    return NULL;
}

const double *diag_numbers(const struct diag_where *where, int name)
{
    const struct diag_property *found = diag_property(where, name);
    return found ? found->numbers : NULL;
}

bool diag_is_true(const struct diag_where *where, int name)
{
    const struct diag_property *found = diag_property(where, name);
    return found && found->is_true;
}
