/* Shadow rays from the samples of a face's luxels to one light, 16 at a time. */
#ifndef VRAD_DIRECT_RAY_QUEUE_H
#define VRAD_DIRECT_RAY_QUEUE_H

#include "vrad/direct/light_contribution.h"
#include "vrad/scene/ray_hit_cache.h"

enum ray_kind ray_kind_of(const struct light *light); /* RAYS_LIGHT or RAYS_SUN */

/* A queue of rays to one light, flushed when it is full. */
struct ray_queue {
    struct receiver *to;
    struct light_contribution *contribution;
    struct trace_packet packet;
    int luxel[TRACE_PACKET];
    float weight[TRACE_PACKET][LUXEL_SLOTS];
    struct visibility_ray of[TRACE_PACKET];
    struct light_visibility *visibility; /* cached results of an earlier run, or NULL */
    int count;
    enum ray_kind kind;
    bool sun;
};

void ray_queue_start(struct ray_queue *queue, struct receiver *to,
                     struct light_contribution *contribution, enum ray_kind kind);
/* Evaluates the light, unoccluded, at the first `count` of the samples. */
void ray_queue_evaluate(const struct ray_queue *queue, struct sample_rows *rows, int count);
/* Adds rays from rows `first` to first + count - 1, which stand for the whole luxel. */
void ray_queue_add(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int first,
                   int count);
/* Adds rays from rows `begin` to end - 1 of the `of` fine ones of a luxel. */
void ray_queue_add_part(struct ray_queue *queue, int luxel, const struct sample_rows *rows,
                        int begin, int end, int of);
/* Adds a single ray for the whole luxel if it suffices, and sets LUXEL_ONE_RAY. */
void ray_queue_add_single(struct ray_queue *queue, int luxel, const struct sample_rows *rows,
                          int first, int count);
/* The same for a far light, whose value at the luxel's middle (`middle`) stands for all of it; the
 * ray starts at row `row` of `rows`. */
void ray_queue_add_single_far(struct ray_queue *queue, int luxel, const struct sample_rows *middle,
                              const struct sample_rows *rows, int row);
/* Takes the whole luxel as visible or occluded without a ray. Where the light changes fast, rays
 * are added nonetheless. */
void ray_queue_assume(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int first,
                      int count, bool sees);
void ray_queue_assume_far(struct ray_queue *queue, int luxel, const struct sample_rows *middle,
                          bool sees);
/* Adds ray number `index` of the fine ones of a luxel: from the origin of a row, up to `towards`
 * from there, with its weights. */
void ray_queue_add_ray(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int row,
                       int index, const float towards[3], const float weight[LUXEL_SLOTS]);
void ray_queue_flush(struct ray_queue *queue);

#endif
