/* The names that Ballance gives a meaning to. */
#ifndef BMX_NAMES_H
#define BMX_NAMES_H

#include <stdbool.h>

enum { BMX_COMPONENTS = 27 };

/* "P_Extra_Life" of 0 and so on: the number is the mesh of an object that is a component. */
const char *bmx_component(unsigned number);
/* The first component whose name begins the text, or -1. Programs tell components by it. */
int bmx_component_of(const char *name);

/* Whether the game has a texture of that name, by exact spelling. */
bool bmx_is_stock_texture(const char *file_name);

#endif
