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

/* Returns true when the game has a texture of exactly that name. */
bool bmx_is_stock_texture(const char *file_name);

#endif
