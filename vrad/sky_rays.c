#include "vrad/direct_face.h"

#include "vrad/hemisphere.h"

#define FAR_AWAY 1e30f

/* Light of a whole bright hemisphere as a bump direction sees it: the direction leans from the
 * normal by the angle of cosine 1 / sqrt 3, and what lies below the surface is cut off. */
#define BUMP_SHARE 0.78867513459481288

/* 16 luxels look at the same small part of their hemispheres at once, each at its own random point
 * of that part: rays of a packet run alike, and neighbours do not share their noise. */
struct sky_packet {
    struct direct_face *face;
    struct trace_packet packet;
    uint32_t valid;
    int luxels[TRACE_PACKET];
    int count;
    struct vec3 frames[TRACE_PACKET][3]; /* the last is the normal */
    double seen[TRACE_PACKET][LUXEL_SLOTS], all[TRACE_PACKET][LUXEL_SLOTS];
    double weight[TRACE_PACKET][LUXEL_SLOTS];
};

/* Cell `index` of a square cut into `columns` x `rows`, at a random point of it. */
static void cell_point(int index, int columns, int rows, uint64_t random, double square[2])
{
    square[0] = (index % columns + (double)(uint32_t)random * 0x1p-32) / columns;
    square[1] = (index / columns + (double)(random >> 32) * 0x1p-32) / rows;
}

/* A bumped luxel has every second direction uniform, so that no bump map gives a ray near the
 * surface a great weight. */
static struct vec3 local_direction(const struct sky_packet *p, int index, int rays, uint64_t random)
{
    bool bumped = p->face->face->slots > 1, uniform = bumped && index & 1;
    int cells = bumped ? rays / 2 : rays, columns = 1;
    double square[2];
    while (columns * columns < cells)
        columns *= 2;
    cell_point(bumped ? index / 2 : index, columns, cells / columns, random, square);
    struct vec3 local = square_to_cosine(square);
    if (!uniform)
        return local;
    double height = local.z * local.z, disk = sqrt(fmax(1 - height, 1e-12));
    double scale = sqrt(fmax(1 - height * height, 0)) / disk;
    return vec3(local.x * scale, local.y * scale, height);
}

static void set_weights(struct sky_packet *p, int lane, struct vec3 direction)
{
    const struct vec3 *normals = p->face->normals[p->luxels[lane]];
    int slots = p->face->face->slots;
    double cosine = fmax(vec3_dot(direction, normals[0]), 0);
    for (int j = 0; j < slots; j++) {
        double weight = 1;
        if (slots > 1)
            weight = fmax(vec3_dot(direction, normals[j]), 0) / (cosine + 0.5);
        p->weight[lane][j] = weight;
        p->all[lane][j] += weight;
    }
}

static void trace_cell(struct sky_packet *p, int index, int rays)
{
    const struct direct_face *face = p->face;
    p->valid = 0;
    for (int lane = 0; lane < p->count; lane++) {
        int luxel = p->luxels[lane];
        uint64_t random = hash_pair(luxel_seed(face->map, face->face, luxel), (uint64_t)index);
        struct vec3 local = local_direction(p, index, rays, random);
        const struct vec3 *frame = p->frames[lane];
        struct vec3 direction = frame_point(local, frame[0], frame[1], frame[2]);
        set_weights(p, lane, direction);
        struct vec3 surface = face->face->mesh ? frame[2] : face->face->normal;
        if (vec3_dot(direction, surface) <= 0)
            continue;
        const struct luxel_sample *samples = face->coarse + (size_t)luxel * LUXEL_COARSE;
        const struct luxel_sample *from =
            &samples[(uint32_t)(index + (int)(random & 3)) % face->coarse_count[luxel]];
        for (int k = 0; k < 3; k++) {
            p->packet.origin[k][lane] = from->origin[k];
            p->packet.direction[k][lane] = (float)direction.e[k];
        }
        p->packet.near[lane] = 0;
        p->packet.far[lane] = FAR_AWAY;
        p->valid |= 1u << lane;
        p->face->rays[RAYS_SKY]++;
    }
    uint32_t sky = scene_sky16(face->scene, &p->packet, p->valid, true, face->face->area);
    for (int lane = 0; lane < p->count; lane++)
        for (int j = 0; j < face->face->slots && sky >> lane & 1; j++)
            p->seen[lane][j] += p->weight[lane][j];
}

static void look_up(struct sky_packet *p, float *sums)
{
    struct face_light *face = p->face->face;
    int rays = p->face->options->sky_rays;
    for (int lane = 0; lane < p->count; lane++) {
        struct vec3 *frame = p->frames[lane];
        frame[2] = p->face->normals[p->luxels[lane]][0];
        frame_around(frame[2], &frame[0], &frame[1]);
        for (int j = 0; j < LUXEL_SLOTS; j++)
            p->seen[lane][j] = p->all[lane][j] = 0;
    }
    for (int i = 0; i < rays; i++)
        trace_cell(p, i, rays);
    for (int lane = 0; lane < p->count; lane++)
        for (int j = 0; j < face->slots; j++)
            if (p->all[lane][j] > 0)
                sums[j * face->count + p->luxels[lane]] =
                    (float)((j ? BUMP_SHARE : 1) * p->seen[lane][j] / p->all[lane][j]);
    p->count = 0;
}

void sky_rays(struct direct_face *face, const int *luxels, int count, float *sums)
{
    struct sky_packet p = {.face = face};
    for (int i = 0; i < count; i++) {
        if (face->coarse_count[luxels[i]] == 0)
            continue;
        p.luxels[p.count++] = luxels[i];
        if (p.count == TRACE_PACKET)
            look_up(&p, sums);
    }
    look_up(&p, sums);
}
