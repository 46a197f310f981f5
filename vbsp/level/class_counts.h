/* The entity classes of a level. */
#ifndef VBSP_LEVEL_CLASS_COUNTS_H
#define VBSP_LEVEL_CLASS_COUNTS_H

#include <stddef.h>

struct level;
struct map_entity;

struct class_count {
    const struct map_entity *first; /* entity of the class */
    size_t count;
};

/* Returns an stb_ds array of the classes of all entities but the world, in any case of their names,
 * in the order of their first entities. */
struct class_count *class_counts(const struct level *level);

#endif
