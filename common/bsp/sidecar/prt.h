/* Portal files: "PRT1", clusters, portals, then a line a portal. That is Valve's form. Quake 3's
 * has a third number for the faces around the clusters, flags in each portal behind its clusters,
 * and a line a face at the end; flags and faces are read over, and written. */
#ifndef BSP_SIDECAR_PRT_H
#define BSP_SIDECAR_PRT_H

#include "common/core/arena.h"
#include "common/env.h"
#include "common/geom/winding.h"

#include <stdint.h>

/* The winding's plane looks from clusters[1] into clusters[0]: its normal, by the clockwise rule of
 * winding.h, points into clusters[0]. */
struct prt_portal {
    int clusters[2]; /* each in 0 .. cluster_count - 1; may be equal in a hostile file */
    struct winding *winding;
};

/* A wall of a cluster, looking into it. */
struct prt_face {
    int cluster;
    struct winding *winding;
};

enum prt_flag { PRT_HINT = 1 };

/* In Quake 3's form too, for those who write it: */
struct prt_quake3 {
    bool wanted;            /* prt_format writes that form */
    uint8_t *flags;         /* stb_ds array: enum prt_flag, one a portal, or empty */
    struct prt_face *faces; /* stb_ds array */
};

struct prt {
    int cluster_count;
    struct prt_portal *portals; /* stb_ds array */
    struct arena arena;         /* the windings */
    struct prt_quake3 quake3;   /* empty when it was read */
};

/* Clusters are 16 bits wide in the formats that use them; more portals than that no map has that
 * could be seen through in a lifetime. */
enum { PRT_CLUSTERS_MAX = 65536, PRT_PORTALS_MAX = 65536 };

/* Windings have 3 .. 64 points. On failure (PRT_SYNTAX, PRT_RANGE, with the line) *out is empty. */
NODISCARD enum status prt_parse(const char *text, size_t size, const char *name, struct diag *diag,
                                struct prt *out);
/* Numbers within 0.001 of an integer are written as integers, else with six decimals. */
void prt_format(const struct prt *prt, struct bytes *out);
void prt_free(struct prt *prt);

#endif
