/* What a hint brush would do: a cluster is cut in two, and each half sees through its own portals
 * and through the cut. */
#ifndef VVIS_REPORT_HINT_CANDIDATES_H
#define VVIS_REPORT_HINT_CANDIDATES_H

#include "vvis/flow/flow.h"

struct cut {
    int axis; /* 0 .. 2 */
    double at;
    int sees[2]; /* clusters: the half below and the half above */
};

struct cutter;

/* `rows` are those of the portals. Both are borrowed. */
struct cutter *cutter_new(const struct portals *portals, const struct bit_rows *rows);
void cutter_free(struct cutter *cutter);

/* Fills out->sees for the plane that `out` names; `box` is that of the cluster. False when no half
 * would have a portal, or the cut goes through too many. Walks of more than `most` chains count as
 * seeing all that they might. */
bool cutter_try(struct cutter *cutter, int cluster, const struct bounds *box, int64_t max,
                struct cut *out);

#endif
