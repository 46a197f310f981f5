/* Inside the direct light: one face and what each light gives to it. */
#ifndef VRAD_DIRECT_DIRECT_FACE_H
#define VRAD_DIRECT_DIRECT_FACE_H

#include "vrad/direct/direct.h"
#include "vrad/direct/sky_rays.h"
#include "vrad/lights/light_many.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/scene/recall.h"

/* Light that runs along a surface (the cosine is less than rounding makes of none) does not fall on
 * it, nor on its bump maps. */
#define LIGHT_GRAZING 1e-5f

/* What the coarse samples of a luxel met on their way to a light. */
enum luxel_state {
    LUXEL_SEES = 1,
    LUXEL_BLOCKED = 2,
    LUXEL_STEEP = 4,
    LUXEL_PROBED = 8, /* one ray stood for all of it */
    LUXEL_TRIED = 16, /* rays were cast, or none had anything to bring */
};

/* A light whose doubt in a luxel is under this share of the luxel's light, and under this much of
 * 255, is good enough as it is. */
#define LEAST_SHARE 0.05f
#define LEAST_DOUBT 0.1f

/* A luxel that a shadow's edge crosses, or where the light changes fast. */
struct share_doubt {
    int luxel, at; /* of the face; of the window */
    int first;     /* the outlines that cross it, as shadow_hide takes them; -1: none */
    float peak;    /* as of the share */
};

/* One light on the luxels of one face, or on those of a window in it: by shadows cast on it
 * (lamp_share.h), or else by rays, and then the window is the face. */
struct light_share {
    const struct light *light;
    double reach;                 /* beyond it, in units, it gives nothing; INFINITY */
    float grey;                   /* its intensity, mean of the channels */
    int left, top, width, height; /* the window, in luxels; nothing falls outside */
    bool cast;                    /* by shadows: the rest but sum and doubts is for rays */
    int first_doubt, doubt_count;
    float *sum;  /* slots * count: mean over the luxel of cosine, falloff and visibility */
    float *tint; /* 3 * slots * count: what each channel has more than `sum`; NULL: nothing */
    float *peak; /* count: the mean of the flat slot if nothing stood in the way */
    unsigned char *state; /* count: enum luxel_state */
};

enum ray_kind { RAYS_LIGHT, RAYS_SUN, RAYS_SKY, RAYS_FINE, RAY_KINDS };

enum ray_kind ray_kind_of(const struct light *light); /* RAYS_LIGHT or RAYS_SUN */

/* Samples side by side, and what a light gives to each. */
struct aimed_rows {
    float *point[3];
    float *origin[3]; /* of rays */
    struct light_rows light;
};

/* Numbers for a face, not set to anything; one a thread. */
struct float_room {
    float *floats; /* on the heap */
    size_t size, used;
};

struct lamp_face;
struct lamp_reach;
struct shadow_plane;
struct shadow_bodies;

struct direct_face {
    const struct scene *scene;
    const struct light_set *lights;
    const struct direct_options *options;
    const struct luxel_map *map;
    const struct sky_table *sky_table;
    struct face_light *face;
    struct arena *arena; /* scratch */
    float surface[3];    /* normal of the plane */
    struct float_room *room;
    bool even;                          /* all luxels have the normals of the first */
    float (*normals)[LUXEL_SLOTS][3];   /* one row a luxel: smoothed, then the bump basis */
    struct aimed_rows coarse;           /* LUXEL_COARSE a luxel; direct_rows makes it */
    struct aimed_rows middle;           /* one a luxel; the same, but for points */
    unsigned char *coarse_count;        /* one a luxel */
    struct aimed_rows fine;             /* room for fine samples, of any luxel */
    struct light_share *shares;         /* stb_ds array: the lights that may reach the face */
    struct share_doubt *doubts;         /* stb_ds array: of all shares */
    float *total;                       /* count: flat light of all styles so far */
    const struct shadow_bodies *bodies; /* NULL: all lights take rays, without what follows */
    const struct shadow_bodies *skies;  /* polygons of the sky */
    struct shadow_plane *plane;
    int *covers; /* one a light: the body that hid all of a face from it last, or -1 */
    struct lamp_face *lamp;
    struct bounds *blocks; /* of luxels, for rays; NULL: not made yet */
    const struct lamp_reach *reach;
    int64_t rays[RAY_KINDS];
};

static inline const float (*direct_normals(const struct direct_face *face, int luxel))[3]
{
    return (const float(*)[3])face->normals[face->even ? 0 : luxel];
}

/* Makes the samples that rays leave from, once for the face. */
void direct_rows(struct direct_face *face);

void aimed_rows_init(struct aimed_rows *rows, struct arena *arena, size_t room);
void aimed_rows_put(const struct aimed_rows *rows, size_t row, const struct luxel_sample *sample);

/* The fine samples of the luxels that any light asks for, made once. */
struct fine_samples {
    struct aimed_rows *rows; /* NULL: not made yet */
    float *st[2];            /* their luxel coordinates, on flat faces */
    int count;
};
const struct fine_samples *fine_samples(struct direct_face *face, struct fine_samples *cache,
                                        int luxel);

/* Whether light that is in doubt, of 255, is worth fine samples. */
static inline bool doubt_matters(const struct direct_face *face, float doubt, int luxel)
{
    return doubt > LEAST_DOUBT && doubt > LEAST_SHARE * face->total[luxel];
}

/* Rays to one light. They wait in the queue until it is full. */
struct ray_queue {
    struct direct_face *face;
    struct light_share *share;
    struct trace_packet packet;
    int luxel[TRACE_PACKET];
    float weight[TRACE_PACKET][LUXEL_SLOTS];
    struct sight_ray of[TRACE_PACKET];
    struct sight *sight; /* what earlier rays met, or NULL */
    int count;
    enum ray_kind kind;
    bool sun;
};

void ray_queue_start(struct ray_queue *queue, struct direct_face *face, struct light_share *share,
                     enum ray_kind kind);
/* What the light gives to the first `count` of the samples. */
void ray_queue_aim(const struct ray_queue *queue, struct aimed_rows *rows, int count);
/* Takes away what the luxel has of the share, but for a part. */
void light_share_scale(const struct direct_face *face, struct light_share *share, int luxel,
                       float part);
static inline void light_share_forget(const struct direct_face *face, struct light_share *share,
                                      int luxel)
{
    light_share_scale(face, share, luxel, 0);
}
/* Adds the light at rows `first` to first + count - 1, which stand for the whole luxel. */
void ray_queue_add(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int first,
                   int count);
/* The same for rows `begin` to end - 1 of the `of` fine ones of a luxel. */
void ray_queue_add_part(struct ray_queue *queue, int luxel, const struct aimed_rows *rows,
                        int begin, int end, int of);
/* The same by one ray for all of the luxel, where that may do: LUXEL_PROBED tells that it was so.
 */
void ray_queue_probe(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int first,
                     int count);
/* The same for a light so far away that it gives to all of the luxel what it gives to its middle:
 * `middle` is aimed, and the ray leaves from row `row` of `rows`. */
void ray_queue_probe_far(struct ray_queue *queue, int luxel, const struct aimed_rows *middle,
                         const struct aimed_rows *rows, int row);
/* The same without a ray: the whole luxel sees the light, or is blocked. Where the light changes
 * fast, rays are cast nonetheless. */
void ray_queue_assume(struct ray_queue *queue, int luxel, const struct aimed_rows *rows, int first,
                      int count, bool sees);
void ray_queue_assume_far(struct ray_queue *queue, int luxel, const struct aimed_rows *middle,
                          bool sees);
void ray_queue_flush(struct ray_queue *queue);

/* Casts the rays of a light to a face: to some luxels, and to those between them only where they do
 * not agree. */
void probe_share(struct direct_face *face, struct light_share *share, bool far);

/* Whether a neighbour sees the light otherwise: between the two lies the edge of a shadow, and it
 * may cut a corner that the luxel's own samples miss. */
bool luxel_borders_shadow(const struct face_light *face, const unsigned char *state, int luxel);

/* Whether any luxel of a face may be doubtful: most lights are seen, or hidden, by all of it. */
bool share_has_edges(const struct light_share *share, int count);

/* Does again, finely, the luxels where a light has a shadow's edge or changes fast. */
void supersample(struct direct_face *face);

/* The share of the sky's light that falls on each luxel: slots * count floats. */
void sky_light(struct direct_face *face, float *sums);

#endif
