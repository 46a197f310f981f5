/* Classes of a level that are told of: those whose names are mistyped, and those that are only for
 * the compilers. */
#ifndef VBSP_LEVEL_CLASS_NAMES_H
#define VBSP_LEVEL_CLASS_NAMES_H

#include <stdbool.h>

#include "vbsp/level/level.h"

/* Returns the class of the stock games that is meant by one that they do not have: it differs in a
 * letter, two of a long name, or two that are swapped. NULL when the games have the class, and when
 * none is so near. */
const char *class_name_meant(const char *name);

/* True for a class of the stock games. */
bool class_name_known(const char *name);

/* Reports (CLASS_NEAR) each class of a map that is so near to another, once. */
void class_names_report(const struct level *level, struct diag *diag);

/* --- entities that are only for the compilers: those of classes that other tools do, which are
 * told, and those whose key says that the game does not get them --- */

/* Reports the classes of a merged level that are not done (COMPILE_TIME_CLASS), each once with its
 * first entity. */
void compile_time_report(const struct level *level, struct diag *diag);

/* True if the key _removeaftercompile has a number other than 0: the entity takes part in the
 * compile, and is not written. */
bool compile_time_only(const struct entity *keys);

#endif
