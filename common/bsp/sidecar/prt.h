/* Portal files: "PRT1", number of clusters, number of portals, then one portal per line. That is
 * Valve's form. Quake 3's has a third number for the faces around the clusters, flags in each
 * portal after its clusters, and one line per face at the end; flags and faces are skipped on
 * reading, and written. */
#ifndef BSP_SIDECAR_PRT_H
#define BSP_SIDECAR_PRT_H

#include "common/core/arena.h"
#include "common/env.h"
#include "common/geom/winding.h"

#include <stdint.h>

/* The normal of the winding's plane, by the clockwise rule of winding.h, points from clusters[1]
 * into clusters[0]. */
struct prt_portal {
    int clusters[2]; /* each in 0 .. cluster_count - 1; may be equal in an invalid file */
    struct winding *winding;
};

/* A solid face around a cluster, facing into it. */
struct prt_face {
    int cluster;
    struct winding *winding;
};

enum prt_flag { PRT_HINT = 1 };

/* Additional data of Quake 3's form, for writing. */
struct prt_quake3 {
    bool wanted;            /* prt_format writes that form */
    uint8_t *flags;         /* stb_ds array: enum prt_flag, one per portal, or empty */
    struct prt_face *faces; /* stb_ds array */
};

struct prt {
    int cluster_count;
    struct prt_portal *portals; /* stb_ds array */
    struct arena arena;         /* the windings */
    struct prt_quake3 quake3;   /* empty after reading */
};

/* Cluster numbers are 16 bits wide in the formats that use them; portal flow through more portals
 * than this would take longer than anyone can wait. */
enum { PRT_CLUSTERS_MAX = 65536, PRT_PORTALS_MAX = 65536, PRT_POINTS_MAX = 64 };

/* Parses a portal file. Windings have 3 .. 64 points. On failure (PRT_SYNTAX, PRT_RANGE, with the
 * line) *out is empty. */
NODISCARD enum status prt_parse(const char *text, size_t size, const char *name, struct diag *diag,
                                struct prt *out);
/* Writes a portal file. Numbers within 0.001 of an integer are written as integers, others with six
 * decimals. */
void prt_format(const struct prt *prt, struct bytes *out);
void prt_free(struct prt *prt);

#endif
