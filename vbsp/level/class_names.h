/* The entity classes of a level, and names of classes that are mistyped. */
#ifndef VBSP_LEVEL_CLASS_NAMES_H
#define VBSP_LEVEL_CLASS_NAMES_H

#include <stddef.h>

struct diag;
struct level;
struct map_entity;

struct class_count {
    const struct map_entity *first; /* entity of the class */
    size_t count;
};

/* Returns an stb_ds array of the classes of all entities but the world, in any case of their names,
 * in the order of their first entities. */
struct class_count *class_counts(const struct level *level);

/* Returns the class of the stock games that is meant by one that they do not have: it differs in a
 * letter, two of a long name, or two that are swapped. NULL when the games have the class, and when
 * none is so near. */
const char *class_name_meant(const char *name);

/* Reports (CLASS_NEAR) each class of a map that is so near to another, once. */
void class_names_report(const struct level *level, struct diag *diag);

#endif
