/* Keys of entities that do not do what their author may expect of them. */
#ifndef VBSP_LEVEL_KEY_NOTES_H
#define VBSP_LEVEL_KEY_NOTES_H

#include "vbsp/level/level.h"

/* Reports, of a merged level of Source, outputs whose parameters have commas (OUTPUT_COMMAS) and
 * shadow keys of func_detail (DETAIL_SHADOWS): each once, with the first and their number. */
void key_notes_report(const struct level *level, struct diag *diag);

#endif
