#include "common/text/entity_classes.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct entity_class *)a)->name, ((const struct entity_class *)b)->name);
}

struct entity_class *entity_classes(const struct entity_list *list)
{
    struct entity_class *classes = NULL;
    size_t count = arrlenu(list->entities), last = 0;
    if (!count)
        return NULL;
    for (size_t i = 0; i < count; i++)
        arrput(classes, ((struct entity_class){entity_value(&list->entities[i], "classname"), 1}));
    qsort(classes, count, sizeof *classes, compare_names);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(classes[i].name, classes[last].name) == 0)
            classes[last].count++;
        else
            classes[++last] = classes[i];
    }
    arrsetlen(classes, last + 1);
    return classes;
}
