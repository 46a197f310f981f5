/* All bounces but the last, on a sparse lattice. */
#ifndef VRAD_BOUNCE_BOUNCE_SOLVE_H
#define VRAD_BOUNCE_BOUNCE_SOLVE_H

#include "common/env.h"
#include "vrad/bounce/final_gather.h"
#include "vrad/bounce/irradiance_grid.h"

struct bounce_counts {
    int64_t points, rays, hot_rays; /* gathered, in all directions, to hot spots */
};

/* The lattice points of a face, and what their rays saw. */
struct bounce_web {
    struct lattice lattice; /* without columns: the face is not lit, or kept */
    uint32_t *seen; /* table->rays a point, of gather_look; NULL: they have not looked around */
    float *hot;     /* 3 a point: what hot spots give above the cap */
    int64_t hot_rays;
};

struct bounce_webs {
    struct radiosity *radiosity;
    const struct hot_spots *hot;
    const struct hot_view *views;     /* one a face */
    struct bounce_web *of_face;       /* one a face */
    const struct gather_table *table; /* plain; borrowed */
    int64_t points;
};

/* Lays the points, `spacing` units apart: from rim to rim, or inset (irradiance_grid.h). Borrows
 * all that it takes, `views` one a face; free with bounce_webs_free. */
void bounce_webs_lay(const struct env *env, struct radiosity *radiosity,
                     const struct hot_spots *hot, const struct hot_view *views, double spacing,
                     bool inset, struct bounce_webs *out);
/* Lets them look around by a plain table. */
void bounce_webs_cast(const struct env *env, struct bounce_webs *webs,
                      const struct gather_table *table);
void bounce_webs_free(struct bounce_webs *webs);

/* A face of few luxels across: its points lie close, and are many for its area. */
bool bounce_is_narrow(const struct face_light *light);

/* The luxel of a lattice point, row after row. */
static inline int lattice_luxel(const struct face_light *light, const struct lattice *lattice,
                                int point)
{
    int column = lattice->columns[point % lattice->column_count];
    return lattice->rows[point / lattice->column_count] * light->width + column;
}

/* Leaves in the radiosity of the webs, whose points are inset and have all looked around, the
 * direct light and up to `bounces` bounces of it. Returns the number of bounces that were followed
 * until nothing was added. */
int bounce_solve(const struct env *env, const struct bounce_webs *webs, int bounces);

#endif
