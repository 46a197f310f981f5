/* What a map holds that this compiler does not make yet. */
#ifndef VBSP_LOAD_REPORT_H
#define VBSP_LOAD_REPORT_H

#include "vbsp/compile.h"

/* One report a class of entities, at the first of them, and one for all displacements. */
void load_report_losses(const struct compile *compile);

#endif
