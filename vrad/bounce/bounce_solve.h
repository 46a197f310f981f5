/* All bounces but the last, on a sparse lattice. */
#ifndef VRAD_BOUNCE_BOUNCE_SOLVE_H
#define VRAD_BOUNCE_BOUNCE_SOLVE_H

#include "common/env.h"
#include "vrad/bounce/final_gather.h"
#include "vrad/bounce/irradiance_grid.h"

struct bounce_counts {
    int64_t points, rays, secondary_rays; /* gathered, in all directions, to hot spots */
};

/* The lattice points of a face, and what their rays saw. */
struct face_transport {
    struct irradiance_grid grid; /* without columns: the face is not lit, or kept */
    uint32_t *seen;   /* table->rays a point, of gather_trace; NULL: they have not looked around */
    float *secondary; /* 3 a point: what hot spots give above the cap */
    int64_t secondary_rays;
};

struct transport_rays {
    struct radiosity *radiosity;
    const struct secondary_lights *secondary;
    const struct culled_lights *views; /* one a face */
    struct face_transport *of_face;    /* one a face */
    const struct gather_table *table;  /* plain; borrowed */
    int64_t points;
};

/* Lays the points, `spacing` units apart: from rim to rim, or inset (irradiance_grid.h). Borrows all that
 * it takes, `views` one a face; free with transport_rays_free. */
void transport_rays_place(const struct env *env, struct radiosity *radiosity,
                          const struct secondary_lights *secondary,
                          const struct culled_lights *views, double spacing, bool inset,
                          struct transport_rays *out);
/* Lets them look around by a plain table. */
void transport_rays_trace(const struct env *env, struct transport_rays *transport,
                          const struct gather_table *table);
void transport_rays_free(struct transport_rays *transport);

/* A face of few luxels across: its points lie close, and are many for its area. */
bool transport_face_is_narrow(const struct face_light *light);

/* The luxel of a lattice point, row after row. */
static inline int irradiance_grid_luxel(const struct face_light *light,
                                        const struct irradiance_grid *grid, int point)
{
    int column = grid->columns[point % grid->column_count];
    return grid->rows[point / grid->column_count] * light->width + column;
}

/* Leaves in the radiosity of the webs, whose points are inset and have all looked around, the
 * direct light and up to `bounces` bounces of it. Returns the number of bounces that were followed
 * until nothing was added. */
int bounce_solve(const struct env *env, const struct transport_rays *transport, int bounces);

#endif
