#include "vrad/direct/sun_fine.h"

#include "vrad/direct/sun_ways.h"

#define FAR_AWAY 1e30f

bool sun_fine_serves(const struct direct_face *face, const struct light_share *share)
{
    return share->light->type == WORLDLIGHT_SKY && !face->scene->recall &&
           !face->scene->veils.triangles;
}

/* How many of some samples see the sun. */
static int count_open(struct direct_face *work, const struct fine_samples *fine,
                      const struct sun_ways *ways, int begin, int end)
{
    int open = 0;
    struct trace_packet packet;
    for (int first = begin; first < end; first += TRACE_PACKET) {
        int count = end - first < TRACE_PACKET ? end - first : TRACE_PACKET;
        for (int i = 0; i < TRACE_PACKET; i++) {
            int from = first + (i < count ? i : 0);
            for (int k = 0; k < 3; k++) {
                packet.origin[k][i] = fine->rows->origin[k][from];
                packet.direction[k][i] = ways->way[k][from];
            }
            packet.near[i] = 0;
            packet.far[i] = FAR_AWAY;
        }
        uint32_t valid = (1u << count) - 1;
        open +=
            __builtin_popcount(scene_sky16(work->scene, &packet, valid, true, work->face->area));
    }
    work->rays[RAYS_FINE] += end - begin;
    return open;
}

void sun_fine_measure(struct direct_face *work, struct light_share *share,
                      const struct fine_samples *fine, int luxel, int first)
{
    struct sun_ways ways;
    float weight[LUXEL_SLOTS];
    int slots = work->face->slots, luxels = work->face->count, count = first, open = 0;
    for (int j = 0; j < slots; j++)
        share->sum[j * luxels + luxel] = 0;
    if (!sun_weights(work, share->light, luxel, weight))
        return;
    sun_ways_make(work, share->light, luxel, &ways);
    open = count_open(work, fine, &ways, 0, first);
    if (open > 0 && open < first && first < fine->count) {
        count = fine->count;
        open += count_open(work, fine, &ways, first, count);
    }
    share->state[luxel] |=
        (unsigned char)((open > 0 ? LUXEL_SEES : 0) | (open < count ? LUXEL_BLOCKED : 0));
    for (int j = 0; j < slots; j++)
        share->sum[j * luxels + luxel] = weight[j] * (float)open / (float)count;
}
