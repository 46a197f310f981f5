/* Entities that are only for the compilers: those of classes that other tools do, which are told,
 * and those whose key says that the game does not get them. */
#ifndef VBSP_LEVEL_COMPILE_TIME_H
#define VBSP_LEVEL_COMPILE_TIME_H

#include "vbsp/level/level.h"

/* Reports the classes of a merged level that are not done (COMPILE_TIME_CLASS), each once with its
 * first entity. */
void compile_time_report(const struct level *level, struct diag *diag);

/* True if the key _removeaftercompile has a number other than 0: the entity takes part in the
 * compile, and is not written. */
bool compile_time_only(const struct entity *keys);

#endif
