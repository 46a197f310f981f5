#include "common/diag/diag_property.h"

static const struct diag_property_info infos[DIAG_PROPERTIES] = {
#define PROPERTY(name, key, kind, count, part, text)                                               \
    {key, DIAG_KIND_##kind, count, DIAG_PART_##part, text},
#include "common/diag/diag_properties.def"
#undef PROPERTY
};

const struct diag_property_info *diag_property_info(enum diag_property_name name)
{
    return &infos[name];
}

const struct diag_property *diag_property(const struct diag_where *where,
                                          enum diag_property_name name)
{
    for (size_t i = 0; i < where->property_count; i++)
        if (where->properties[i].name == name)
            return &where->properties[i];
    return NULL;
}

const double *diag_numbers(const struct diag_where *where, enum diag_property_name name)
{
    const struct diag_property *found = diag_property(where, name);
    return found ? found->numbers : NULL;
}

bool diag_is_true(const struct diag_where *where, enum diag_property_name name)
{
    const struct diag_property *found = diag_property(where, name);
    return found && found->is_true;
}
