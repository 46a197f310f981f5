/* Inside the light of lamps: the samples of a flat face side by side, made once for all lamps. */
#ifndef VRAD_DIRECT_LAMP_FACE_H
#define VRAD_DIRECT_LAMP_FACE_H

#include "vrad/direct/receiver.h"
#include "vrad/shadows/shadow_cast.h"

/* Luxels of a block, each way. */
enum { LAMP_BLOCK = 8 };

/* The part of luxel coordinates that the samples of a block of luxels lie in. */
struct lamp_block {
    float s0, t0, s1, t1; /* s0 > s1: no samples */
};

static inline void lamp_block_grow(struct lamp_block *block, float s, float t)
{
    block->s0 = s < block->s0 ? s : block->s0;
    block->t0 = t < block->t0 ? t : block->t0;
    block->s1 = s > block->s1 ? s : block->s1;
    block->t1 = t > block->t1 ? t : block->t1;
}

/* Samples in planes of one a luxel: number k of luxel l is k * count + l. */
struct lamp_face {
    int samples;                   /* of a luxel, at most */
    float *point[3], *st[2];       /* near lamps */
    float *part;                   /* of the luxel, that the sample stands for; 0: there is none */
    float *middle[3];              /* one a luxel, which stands for all of it far from lamps */
    float *whole;                  /* one a luxel: 1, or 0 when it has no samples */
    float *normal[LUXEL_SLOTS][3]; /* one a luxel; NULL: all have those of the first */
    bool *rim;                     /* one a luxel: its sample lies in another's square */
    struct lamp_block bounds;      /* of the face */
    struct lamp_block *blocks;
    int across, along;      /* blocks */
    struct light_rows rows; /* room for all samples */
    float *facing;          /* room for the cosines of all samples to the surface */
    float *cosine;          /* room for those of one plane, to another normal */
    float *room[3];         /* the points of a window */
    float *parts;
    float *normals[LUXEL_SLOTS][3];
    float *min, *max;
};

/* Numbers for a face, not set to anything; one a thread. */
struct float_room {
    float *floats; /* on the heap */
    size_t size, used;
};

/* Makes the samples, and counts them for the receiver; in its scratch and the room. Starts the
 * plane that shadows are cast on: NULL when none can be. */
struct lamp_face *lamp_face_new(const struct receiver *to, struct shadow_plane *plane,
                                struct float_room *room);

/* The same samples as rays need them. */
void lamp_face_rows(const struct lamp_face *lamp, const struct receiver *to,
                    const struct aimed_rows *coarse);

#endif
