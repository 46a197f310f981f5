/* Portal files in Valve's form: "PRT1", clusters, portals, then a line a portal. */
#ifndef BSP_PRT_H
#define BSP_PRT_H

#include "common/core/arena.h"
#include "common/core/env.h"
#include "common/geom/winding.h"

/* The winding's plane looks from clusters[1] into clusters[0]: its normal, by the clockwise rule of
 * winding.h, points into clusters[0]. */
struct prt_portal {
    int clusters[2];
    struct winding *winding;
};

struct prt {
    int cluster_count;
    struct prt_portal *portals; /* stb_ds array */
    struct arena arena;         /* the windings */
};

NODISCARD enum status prt_parse(const char *text, size_t size, const char *name,
                                struct diag *diag, struct prt *out);
/* Numbers within 0.001 of an integer are written as integers, else with six decimals. */
void prt_format(const struct prt *prt, struct bytes *out);
void prt_free(struct prt *prt);

#endif
