#include "vbsp/level/class_names.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/level_changes.def"
#include "vbsp/level/entity_class.h"
#include "vbsp/level/level.h"

struct map_entity;

struct class_count {
    const struct map_entity *first; /* entity of the class */
    size_t count;
};

/* --- class counts --- */

struct class_index {
    char *key;    /* the class in lower case */
    size_t value; /* in the array of counts */
};

/* Returns an stb_ds array of the classes of all entities but the world, in any case of their names,
 * in the order of their first entities. */
static struct class_count *class_counts(const struct level *level)
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

/* --- class names --- */

/* In short names a letter makes another word. */
enum { SHORTEST = 6, LONG = 9, LONGEST = 64 };

static const char *const names[] = {
#define CLASS_NAME(name) name,
#include "vbsp/level/class_names.def"
#undef CLASS_NAME
};

/* Numbers at the end tell variants apart, and are not mistyped. */
static bool differs_in_digits(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    return strcspn(a + same, "0123456789") == 0 || strcspn(b + same, "0123456789") == 0;
}

const char *class_name_meant(const char *name)
{
    size_t length = strlen(name), best = length < LONG ? 2 : 3;
    const char *meant = NULL;
    if (length < SHORTEST || length > LONGEST)
        return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_equal_nocase(name, names[i]))
            return NULL;
        size_t other = strlen(names[i]);
        if (other + 2 < length || length + 2 < other || other < SHORTEST)
            continue;
        size_t distance = str_distance(name, names[i]);
        if (distance < best) {
            best = distance;
            meant = names[i];
        }
    }
    return meant && !differs_in_digits(name, meant) ? meant : NULL;
}

bool class_name_known(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal_nocase(name, names[i]))
            return true;
    return false;
}

static void report(const struct level *level, const struct class_count *class, const char *meant,
                   struct diag *diag)
{
    struct diag_where where = map_where(level, class->first, NULL, NULL);
    (void)diag_report(diag, DIAG_CLASS_NEAR, &where, "\"%.80s\", used by %zu entit%s: is %s meant?",
                      entity_value(&class->first->keys, "classname"), class->count,
                      class->count == 1 ? "y" : "ies", meant);
}

void class_names_report(const struct level *level, struct diag *diag)
{
    struct class_count *classes = class_counts(level);
    for (size_t i = 0; i < arrlenu(classes); i++) {
        const char *meant = class_name_meant(entity_value(&classes[i].first->keys, "classname"));
        if (meant)
            report(level, &classes[i], meant, diag);
    }
    arrfree(classes);
}

/* --- entities that are only for the compilers --- */

static void report_told(const struct level *level, const struct class_count *class,
                        const char *told, struct diag *diag)
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
            report_told(level, &classes[i], told, diag);
    }
    arrfree(classes);
}

bool compile_time_only(const struct entity *keys)
{
    return entity_number(keys, "_removeaftercompile", 0) != 0;
}
