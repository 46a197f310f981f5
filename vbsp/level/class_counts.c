#include "vbsp/level/class_counts.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/level.h"

struct class_index {
    char *key;    /* the class in lower case */
    size_t value; /* in the array of counts */
};

struct class_count *class_counts(const struct level *level)
{
    struct arena scratch = {0};
    struct class_index *indices = NULL;
    struct class_count *counts = NULL;
    sh_new_strdup(indices);
    for (size_t i = 1; i < arrlenu(level->entities); i++) {
        const struct map_entity *entity = &level->entities[i];
        const char *class = arena_strlower(&scratch, entity_value(&entity->keys, "classname"));
        ptrdiff_t known = shgeti(indices, class);
        if (known >= 0) {
            counts[indices[known].value].count++;
            continue;
        }
        shput(indices, class, arrlenu(counts));
        arrput(counts, ((struct class_count){entity, 1}));
    }
    shfree(indices);
    arena_free(&scratch);
    return counts;
}
