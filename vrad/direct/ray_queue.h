/* Rays from the samples of a face's luxels to one light, sixteen at a time. */
#ifndef VRAD_DIRECT_RAY_QUEUE_H
#define VRAD_DIRECT_RAY_QUEUE_H

#include "vrad/direct/light_contribution.h"
#include "vrad/scene/ray_hit_cache.h"

enum ray_kind ray_kind_of(const struct light *light); /* RAYS_LIGHT or RAYS_SUN */

/* Rays to one light. They wait in the queue until it is full. */
struct ray_queue {
    struct receiver *to;
    struct light_contribution *contribution;
    struct trace_packet packet;
    int luxel[TRACE_PACKET];
    float weight[TRACE_PACKET][LUXEL_SLOTS];
    struct visibility_ray of[TRACE_PACKET];
    struct light_visibility *visibility; /* what earlier rays met, or NULL */
    int count;
    enum ray_kind kind;
    bool sun;
};

void ray_queue_start(struct ray_queue *queue, struct receiver *to,
                     struct light_contribution *contribution, enum ray_kind kind);
/* What the light gives to the first `count` of the samples. */
void ray_queue_evaluate(const struct ray_queue *queue, struct sample_rows *rows, int count);
/* Adds the light at rows `first` to first + count - 1, which stand for the whole luxel. */
void ray_queue_add(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int first,
                   int count);
/* The same for rows `begin` to end - 1 of the `of` fine ones of a luxel. */
void ray_queue_add_part(struct ray_queue *queue, int luxel, const struct sample_rows *rows,
                        int begin, int end, int of);
/* The same by one ray for all of the luxel, where that may do: LUXEL_ONE_RAY tells that it was so.
 */
void ray_queue_add_single(struct ray_queue *queue, int luxel, const struct sample_rows *rows,
                          int first, int count);
/* The same for a light so far away that it gives to all of the luxel what it gives to its middle:
 * `middle` is aimed, and the ray leaves from row `row` of `rows`. */
void ray_queue_add_single_far(struct ray_queue *queue, int luxel, const struct sample_rows *middle,
                              const struct sample_rows *rows, int row);
/* The same without a ray: the whole luxel sees the light, or is blocked. Where the light changes
 * fast, rays are cast nonetheless. */
void ray_queue_assume(struct ray_queue *queue, int luxel, const struct sample_rows *rows, int first,
                      int count, bool sees);
void ray_queue_assume_far(struct ray_queue *queue, int luxel, const struct sample_rows *middle,
                          bool sees);
void ray_queue_flush(struct ray_queue *queue);

#endif
