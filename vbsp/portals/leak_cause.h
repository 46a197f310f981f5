/* Causes of a leak besides the hole that is found. */
#ifndef VBSP_PORTALS_LEAK_CAUSE_H
#define VBSP_PORTALS_LEAK_CAUSE_H

struct arena;
struct compile;

/* Returns "; solid 12, dropped as unbounded solid (V012), may have closed it" when solids of the
 * world were reported as dropped in this run, else "". */
const char *leak_cause_text(const struct compile *compile, struct arena *arena);

#endif
