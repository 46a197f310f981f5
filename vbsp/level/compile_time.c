#include "vbsp/level/compile_time.h"

#include "common/core/array.h"
#include "common/diag/codes/level_changes.def"
#include "vbsp/level/class_names.h"
#include "vbsp/level/entity_class.h"

static void report(const struct level *level, const struct class_count *class, const char *told,
                   struct diag *diag)
{
    struct diag_where where = map_where(level, class->first, NULL, NULL);
    (void)diag_report(diag, DIAG_COMPILE_TIME_CLASS, &where, "\"%.80s\", used by %zu entit%s: %s",
                      entity_value(&class->first->keys, "classname"), class->count,
                      class->count == 1 ? "y" : "ies", told);
}

void compile_time_report(const struct level *level, struct diag *diag)
{
    struct class_count *classes = class_counts(level);
    for (size_t i = 0; i < arrlenu(classes); i++) {
        const char *told = class_told(&classes[i].first->keys);
        if (told)
            report(level, &classes[i], told, diag);
    }
    arrfree(classes);
}

bool compile_time_only(const struct entity *keys)
{
    return entity_number(keys, "_removeaftercompile", 0) != 0;
}
