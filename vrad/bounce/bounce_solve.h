/* All bounces but the last, along cached transport rays between sparse points. */
#ifndef VRAD_BOUNCE_BOUNCE_SOLVE_H
#define VRAD_BOUNCE_BOUNCE_SOLVE_H

#include "common/env.h"
#include "vrad/bounce/final_gather.h"
#include "vrad/bounce/irradiance_grid.h"
#include "vrad/bounce/steep_luxels.h"
#include "vrad/bounce/subluxel_bounce.h"

struct bounce_counts {
    int64_t points, rays,
        secondary_rays; /* gather points, gather rays, shadow rays to secondary lights */
};

/* The transport points of a face, and the hits of their rays. */
struct face_transport {
    struct irradiance_grid grid; /* without columns: the face is unlit */
    uint32_t *seen;              /* table->rays per point, from gather_trace; NULL: another rank
                                    has traced them, or the face has no points */
    float *secondary;            /* 3 per point: residuals of secondary lights; NULL as `seen` */
    int64_t secondary_rays;
};

struct transport_rays {
    struct radiosity *radiosity;
    const struct secondary_lights *secondary;
    struct culled_lights *views;      /* one per face: see transport_view */
    struct face_transport *of_face;   /* one per face */
    const struct gather_table *table; /* plain; borrowed */
    double spacing;                   /* of the points */
    bool inset;
    int64_t points;                        /* once all are placed */
    const struct subluxel_rays *subluxels; /* of the map; borrowed */
    struct steep_luxels *steep;            /* the same */
};

static inline float mean_channel(const float colour[3])
{
    return (colour[0] + colour[1] + colour[2]) * (1.0f / 3);
}

/* The brightness of the direct light of style 0 at a luxel; 0 if the face has none. */
static inline float direct_brightness(const struct face_light *light, int luxel)
{
    return light->direct[0] ? mean_channel(light->direct[0] + 3 * (ptrdiff_t)luxel) : 0;
}

/* The brightness of what a ray of gather_trace has met, without what is left to secondary lights.
 */
static inline float transport_brightness(const struct transport_rays *transport, uint32_t seen)
{
    size_t luxel = seen & ~GATHER_CLAMPED;
    float room[3], bright = mean_channel(radiosity_at(transport->radiosity, luxel, room));
    if (seen & GATHER_CLAMPED)
        bright -= mean_channel(secondary_luxel_at(transport->secondary, luxel)->residual);
    return bright;
}

/* Points are to be at most `spacing` units apart: from border to border, or inset
 * (irradiance_grid.h). Borrows all arguments, `views` one per face; free with transport_rays_free.
 */
void transport_rays_init(struct radiosity *radiosity, const struct secondary_lights *secondary,
                         struct culled_lights *views, double spacing, bool inset,
                         struct transport_rays *out);
/* Places the points of one face, or those of all. */
void transport_place_face(const struct transport_rays *transport, int face);
void transport_rays_place(const struct env *env, struct transport_rays *transport);
/* The secondary lights that are culled for a face, which who asks first does: no rank needs those
 * of all faces. Different threads may ask for different faces. */
const struct culled_lights *transport_view(const struct transport_rays *transport, int face);
/* Traces the rays of a plain table from all points. Each rank keeps those of some faces. */
void transport_rays_trace(const struct env *env, struct transport_rays *transport,
                          const struct gather_table *table);
void transport_rays_free(struct transport_rays *transport);

/* Returns true for a face that is few luxels wide: its points lie close together, and are many for
 * its area. */
bool transport_face_is_narrow(const struct face_light *light);

/* The luxel of a grid point, row by row. */
static inline int irradiance_grid_luxel(const struct face_light *light,
                                        const struct irradiance_grid *grid, int point)
{
    int column = grid->columns[point % grid->column_count];
    return grid->rows[point / grid->column_count] * light->width + column;
}

/* Iterates up to `bounces` bounces, until they add nothing, from inset and traced points. The
 * radiosity then holds the direct and the bounced light, on narrow maps as long as the solution and
 * `transport` live. `followed` gets the number of bounces. Free with bounce_solution_free. */
struct bounce_solution;
struct bounce_solution *bounce_solve(const struct env *env, const struct transport_rays *transport,
                                     int bounces, int *followed);
void bounce_solution_free(struct bounce_solution *solution);

#endif
