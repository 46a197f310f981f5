#include "vrad/direct/sun_rays.h"

#include "vrad/scene/ray_hit_cache.h"

#include "vrad/scene/hemisphere.h"

/* Columns of the sequence of Sobol after those of the positions in the luxel, for two coordinates
 * and a sign (S. Joe and F. Y. Kuo 2008): positions and directions together are even in four
 * dimensions, so that a straight shadow edge cuts them evenly wherever it lies. */
static const uint32_t sobol[3][7] = {
    {0x80000000u, 0xc0000000u, 0x60000000u, 0x90000000u, 0xe8000000u, 0x5c000000u, 0x8e000000u},
    {0x80000000u, 0xc0000000u, 0x20000000u, 0x50000000u, 0xf8000000u, 0x74000000u, 0xa2000000u},
    {0x80000000u, 0x40000000u, 0x20000000u, 0xb0000000u, 0xf8000000u, 0xdc000000u, 0x7a000000u},
};

/* Area-preserving map of the square onto half of the unit sphere that keeps neighbours together;
 * z is up. */
static struct vec3 half_sphere(double a, double b)
{
    bool wide = fabs(a) > fabs(b);
    double radius = wide ? a : b, other = wide ? b : a, sine, cosine;
    if (radius == 0)
        return vec3(0, 0, 1);
    small_sine_cosine(PI / 4 * (other / radius), &sine, &cosine);
    double square = radius * radius, across = radius * sqrt(2 - square);
    return vec3(across * (wide ? cosine : sine), across * (wide ? sine : cosine), 1 - square);
}

struct sun_disk sun_disk_of(const struct receiver *to, const struct light *sun, int luxel)
{
    struct sun_disk disk = {.towards = vec3_neg(sun->normal), .spread = sun->spread};
    uint64_t seed = luxel_seed(to->map, to->face, luxel);
    frame_around(disk.towards, &disk.x, &disk.y);
    for (int k = 0; k < 3; k++)
        disk.scramble[k] = (uint32_t)(hash_pair(~seed, (uint64_t)k) >> 32);
    return disk;
}

struct vec3 sun_disk_direction(const struct sun_disk *disk, uint32_t index)
{
    uint32_t at[3] = {disk->scramble[0], disk->scramble[1], disk->scramble[2]};
    if (!(disk->spread > 0))
        return disk->towards;
    for (int bit = 0; index >> bit; bit++)
        for (int k = 0; k < 3 && index >> bit & 1; k++)
            at[k] ^= sobol[k][bit];
    struct vec3 place = half_sphere(at[0] * 0x1p-31 - 1, at[1] * 0x1p-31 - 1);
    if (at[2] >> 31)
        place.z = -place.z;
    place = frame_point(place, disk->x, disk->y, disk->towards);
    return vec3_mad(disk->towards, place, disk->spread);
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
    return contribution->light->type == WORLDLIGHT_SKY &&
           !ray_hit_cache_has_visibility(to->scene->ray_hit_cache) &&
           !to->scene->alpha_shadows.triangles;
}

/* The number of samples that see the sun. */
static int count_open(struct receiver *to, const struct fine_samples *fine,
                      const struct sun_disk *disk, int begin, int end)
{
    int open = 0;
    struct trace_packet packet;
    for (int first = begin; first < end; first += TRACE_PACKET) {
        int count = end - first < TRACE_PACKET ? end - first : TRACE_PACKET;
        for (int i = 0; i < TRACE_PACKET; i++) {
            int from = first + (i < count ? i : 0);
            struct vec3 way = sun_disk_direction(disk, (uint32_t)from);
            for (int k = 0; k < 3; k++) {
                packet.origin[k][i] = fine->rows->origin[k][from];
                packet.direction[k][i] = (float)way.e[k];
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
    const struct sun_disk disk = sun_disk_of(to, contribution->light, luxel);
    float weight[LUXEL_SLOTS];
    int slots = to->face->slots, luxels = to->face->count, count = first, open = 0;
    for (int j = 0; j < slots; j++)
        contribution->sum[j * luxels + luxel] = 0;
    if (!sun_weights(to, contribution->light, luxel, weight))
        return;
    open = count_open(to, fine, &disk, 0, first);
    if (open > 0 && open < first && first < fine->count) {
        count = fine->count;
        open += count_open(to, fine, &disk, first, count);
    }
    contribution->state[luxel] |=
        (unsigned char)((open > 0 ? LUXEL_SEES : 0) | (open < count ? LUXEL_BLOCKED : 0));
    for (int j = 0; j < slots; j++)
        contribution->sum[j * luxels + luxel] = weight[j] * (float)open / (float)count;
}
