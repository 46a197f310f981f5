/* The limits of the target against what was made, while it is still known what was made of what. */
#ifndef VBSP_REPORT_LIMITS_H
#define VBSP_REPORT_LIMITS_H

#include "common/bsp/codec/limit_report.h"
#include "vbsp/context.h"

/* Once everything is in the bsp: reports each limit that is passed (BSP_LIMIT) with its use, the
 * maximum and what uses most of it, and fails. The report, with the parts of those limits, or of
 * all where the options ask for it, is put into *out; without a format nothing is checked. */
NODISCARD enum status limits_check(const struct compile *compile, struct limit_report *out);

/* limit_parts.c: sets the parts of one limit. Their strings live in the arena. */
void limit_parts_find(const struct compile *compile, struct arena *arena, struct limit_use *use);

#endif
