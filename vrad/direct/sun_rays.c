#include "vrad/direct/sun_rays.h"

#include "vrad/scene/hemisphere.h"

/* Sun-disk samples: directions from a luxel. */
struct sun_disk_samples {
    float way[3][LUXEL_FINE];
};

/* One direction per fine sample of a luxel, each to its own point of the sun's disk. */
static void make_sun_disk_samples(const struct receiver *to, const struct light *sun, int luxel,
                                  struct sun_disk_samples *out)
{
    double u[LUXEL_FINE], v[LUXEL_FINE], points[3][LUXEL_FINE];
    uint64_t seed = luxel_seed(to->map, to->face, luxel);
    uint32_t count = (uint32_t)to->options->fine;
    if (sun->spread > 0) {
        luxel_pattern((int)count, sample_scramble(~seed), u, v);
        for (uint32_t i = 0; i < count; i++)
            sphere_point_in_quarters(u[i], v[i], &points[0][i], &points[1][i], &points[2][i]);
    }
    for (int k = 0; k < 3; k++) {
        float *restrict way = out->way[k];
        for (uint32_t i = 0; i < count && sun->spread > 0; i++) {
            /* An odd factor shuffles the order, so that positions in the luxel and on the sun are
             * independent. */
            uint32_t mixed = (i * 37 + (uint32_t)seed) & (count - 1);
            way[i] = (float)(-sun->normal.e[k] + points[k][mixed] * sun->spread);
        }
        for (uint32_t i = 0; i < count && !(sun->spread > 0); i++)
            way[i] = (float)-sun->normal.e[k];
    }
}

bool sun_weights(const struct receiver *to, const struct light *sun, int luxel,
                 float weight[LUXEL_SLOTS])
{
    const float(*normals)[3] = receiver_normals(to, luxel);
    const float *surface = to->face->mesh ? normals[0] : to->surface;
    float facing = 0;
    for (int k = 0; k < 3; k++)
        facing -= (float)sun->normal.e[k] * surface[k];
    for (int j = 0; j < to->face->slots; j++) {
        float cosine = 0;
        for (int k = 0; k < 3; k++)
            cosine -= (float)sun->normal.e[k] * normals[j][k];
        weight[j] = cosine > 0 ? cosine : 0;
    }
    return facing > LIGHT_GRAZING;
}

bool sun_rays_can_count(const struct receiver *to, const struct light_contribution *contribution)
{
    return contribution->light->type == WORLDLIGHT_SKY && !to->scene->ray_hit_cache &&
           !to->scene->alpha_shadows.triangles;
}

/* The number of samples that see the sun. */
static int count_open(struct receiver *to, const struct fine_samples *fine,
                      const struct sun_disk_samples *ways, int begin, int end)
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
            packet.far[i] = SCENE_FAR_AWAY;
        }
        uint32_t valid = (1u << count) - 1;
        open += __builtin_popcount(scene_sky16(to->scene, &packet, valid, true, to->face->area));
    }
    to->rays[RAYS_FINE] += end - begin;
    return open;
}

void sun_rays_measure(struct receiver *to, struct light_contribution *contribution,
                      const struct fine_samples *fine, int luxel, int first)
{
    struct sun_disk_samples ways;
    float weight[LUXEL_SLOTS];
    int slots = to->face->slots, luxels = to->face->count, count = first, open = 0;
    for (int j = 0; j < slots; j++)
        contribution->sum[j * luxels + luxel] = 0;
    if (!sun_weights(to, contribution->light, luxel, weight))
        return;
    make_sun_disk_samples(to, contribution->light, luxel, &ways);
    open = count_open(to, fine, &ways, 0, first);
    if (open > 0 && open < first && first < fine->count) {
        count = fine->count;
        open += count_open(to, fine, &ways, first, count);
    }
    contribution->state[luxel] |=
        (unsigned char)((open > 0 ? LUXEL_SEES : 0) | (open < count ? LUXEL_BLOCKED : 0));
    for (int j = 0; j < slots; j++)
        contribution->sum[j * luxels + luxel] = weight[j] * (float)open / (float)count;
}
