/* How pairs of clusters are decided, a part of the options of vvis. */
#ifndef VVIS_RESOLVE_OPTIONS_H
#define VVIS_RESOLVE_OPTIONS_H

#include <stdbool.h>

struct resolve_options {
    bool portal_flow;      /* per portal instead of per pair of clusters: slow, a cross-check */
    bool no_sort;          /* process pairs (or portals) in file order, not easiest first */
    double budget;         /* > 0: chains that the flow may take; undecided pairs are visible */
    double budget_seconds; /* > 0: the same in seconds: not repeatable, never cached */
};

extern const struct resolve_options resolve_defaults;

#endif
