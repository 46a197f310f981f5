/* Light styles of lights that can be switched by name. */
#ifndef VBSP_SOURCE_MATERIALS_LIGHT_STYLES_H
#define VBSP_SOURCE_MATERIALS_LIGHT_STYLES_H

#include "vbsp/compile.h"

enum { FIRST_SWITCHED_STYLE = 32, SWITCHED_STYLES = 32 };

/* Gives the lights of each targetname a style of their own, from 32 up in the order of the
 * entities. An older style moves to the key "defaultstyle". Reports when the styles run out. */
void light_styles_assign(struct compile *compile);

#endif
