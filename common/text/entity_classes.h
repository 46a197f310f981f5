/* Entities by class. */
#ifndef TEXT_ENTITY_CLASSES_H
#define TEXT_ENTITY_CLASSES_H

#include "common/text/entities.h"

struct entity_class {
    const char *name; /* borrowed from the list; "": none */
    size_t count;
};

/* Returns the classes, sorted by name: an stb_ds array. */
struct entity_class *entity_classes(const struct entity_list *list);

#endif
