/* The final gather of one face: the light of some of its luxels by rays, on the adaptive irradiance
 * grid of the face. */
#ifndef VRAD_BOUNCE_FACE_GATHER_H
#define VRAD_BOUNCE_FACE_GATHER_H

#include "vrad/bounce/bounce_rays.h"
#include "vrad/bounce/bounce_solve.h"
#include "vrad/bounce/guided_rays.h"
#include "vrad/luxels/bounced.h"

/* Gather tables by the logarithm of their ray count, as far as faces use them. */
enum { GATHER_TABLES = 11 };

struct gather_tables {
    struct gather_table plain[GATHER_TABLES], bumped[GATHER_TABLES], squares[GATHER_TABLES];
};

/* Shared by all faces; borrowed. */
struct gather_job {
    const struct transport_rays *transport;
    const struct gather_tables *tables;
    const struct bounce_rays *estimates;
    const struct ray_guide *guide;
    bool spares; /* middles may be predicted without rays. Small maps can afford the rays. */
    int rays;    /* default count of a wide face */
    struct luxel_map *map;
    double tolerance;
    double worth;                 /* of a shadow ray, times the usual one */
    struct bounce_counts *counts; /* one per face */
    struct progress *progress;
};

struct face_gather {
    const struct gather_job *shared;
    const struct face_transport *traced;
    const struct gather_table *tables; /* by the logarithm of the ray count */
    int usual_rays;
    struct face_light *light;
    int face;
    unsigned char *known;           /* one per luxel: LUXEL_GATHERED when it is, or is queued */
    int *wanted;                    /* stb_ds array: luxels to gather next */
    struct irradiance_cell *cells;  /* stb_ds array: to be tested */
    struct irradiance_cell *smooth; /* stb_ds array: light may be interpolated in them */
    float *variance;                /* slots * count: of the gathered light */
    struct light_cells light_cells;
    struct face_guide guide;
    struct bounce_counts counts;
};

/* Gathers at the points of the grid, and refines its cells level by level, so that the points of a
 * level are traced together, until light may be interpolated in each, or none is left: `smooth`
 * gets those in which it may. */
void face_refine(struct face_gather *at);

enum { GATHER_DEFAULT_RAYS = 64 };

/* For points of faces that gather `rays` rays by default. Free with gather_tables_free. */
void gather_tables_init(struct gather_tables *tables, int rays);
void gather_tables_free(struct gather_tables *tables);

/* Gives the face light of no luxels yet, in `indirect`. Close with face_gather_close. */
void face_gather_open(const struct gather_job *shared, int face, struct face_gather *out);
void face_gather_close(struct face_gather *at);

#endif
