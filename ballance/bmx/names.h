/* Names with a meaning in Ballance. */
#ifndef BMX_NAMES_H
#define BMX_NAMES_H

#include <stdbool.h>

enum { BMX_COMPONENTS = 27 };

/* Returns "P_Extra_Life" for 0 and so on: the number is the mesh of an object that is a component.
 * NULL past the last. */
const char *bmx_component(unsigned number);
/* Returns the first component whose name is a prefix of the text, or -1. Programs recognise
 * components by it. */
int bmx_component_of(const char *name);
/* Returns the group that the game looks for a component in; the component's own name for most. */
const char *bmx_component_group(const char *component);

/* A class of brush entities in maps: objects of one kind. */
struct bmx_class {
    const char *classname;
    const char *group;  /* that makes an object one; NULL: none does */
    const char *object; /* of objects without a name */
    bool hidden;        /* nobody sees them */
};

/* Returns the classes, the last of which has no group; NULL past the last. */
const struct bmx_class *bmx_class_at(unsigned number);

/* Returns true when the game has a texture of exactly that name. */
bool bmx_is_stock_texture(const char *file_name);
/* Returns the name of each of them in byte order, NULL past the last. */
const char *bmx_stock_texture(unsigned number);

#endif
