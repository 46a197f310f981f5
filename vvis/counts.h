/* Counters of vvis, and warnings about its result. */
#ifndef VVIS_COUNTS_H
#define VVIS_COUNTS_H

#include "vvis/resolve.h"

/* Tells the progress. Warns of portals that were dropped, of a map in which nearly all is visible
 * (VIS_OPEN), and of what a budget has left open (VIS_BUDGET, _TIME). */
void vis_report_counts(const struct vis_work *work);

#endif
