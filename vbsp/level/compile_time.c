#include "vbsp/level/compile_time.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/entity_class.h"

struct told_class {
    char *key;    /* the class in lower case */
    size_t value; /* how many entities have it */
};

static void report(const struct level *level, const struct map_entity *entity, size_t count,
                   struct diag *diag)
{
    struct diag_where where = map_where(level, entity, NULL, NULL);
    (void)diag_report(diag, DIAG_COMPILE_TIME_CLASS, &where, "\"%.80s\", used by %zu entit%s: %s",
                      entity_value(&entity->keys, "classname"), count, count == 1 ? "y" : "ies",
                      class_told(&entity->keys));
}

void compile_time_report(const struct level *level, struct diag *diag)
{
    struct arena scratch = {0};
    struct told_class *classes = NULL;
    const struct map_entity **firsts = NULL;
    sh_new_strdup(classes);
    for (size_t i = 1; i < arrlenu(level->entities); i++) {
        const struct map_entity *entity = &level->entities[i];
        if (!class_told(&entity->keys))
            continue;
        const char *class = arena_strlower(&scratch, entity_value(&entity->keys, "classname"));
        ptrdiff_t known = shgeti(classes, class);
        if (known < 0)
            arrput(firsts, entity);
        shput(classes, class, known < 0 ? 1 : classes[known].value + 1);
    }
    for (size_t i = 0; i < arrlenu(firsts); i++)
        report(level, firsts[i], classes[i].value, diag);
    arrfree(firsts);
    shfree(classes);
    arena_free(&scratch);
}

bool compile_time_only(const struct entity *keys)
{
    return entity_number(keys, "_removeaftercompile", 0) != 0;
}
