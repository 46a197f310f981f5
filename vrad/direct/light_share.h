/* What one light gives to the luxels of one face, and where that is in doubt. */
#ifndef VRAD_DIRECT_LIGHT_SHARE_H
#define VRAD_DIRECT_LIGHT_SHARE_H

#include "vrad/direct/receiver.h"

/* What the coarse samples of a luxel met on their way to a light. */
enum luxel_state {
    LUXEL_SEES = 1,
    LUXEL_BLOCKED = 2,
    LUXEL_STEEP = 4,
    LUXEL_PROBED = 8, /* one ray stood for all of it */
    LUXEL_TRIED = 16, /* rays were cast, or none had anything to bring */
};

/* On the luxels of a face, or on those of a window in it: by shadows cast on it
 * (analytic_visibility.h), or else by rays, and then the window is the face. */
struct light_share {
    const struct light *light;
    int number;                   /* of the light in its set */
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

/* Takes away what the luxel has of a share by rays, but for a part. */
static inline void light_share_scale(const struct face_light *face, struct light_share *share,
                                     int luxel, float part)
{
    for (int j = 0; j < face->slots; j++) {
        share->sum[j * face->count + luxel] *= part;
        for (int k = 0; k < 3 && share->tint; k++)
            share->tint[3 * (j * face->count + luxel) + k] *= part;
    }
}

static inline void light_share_forget(const struct face_light *face, struct light_share *share,
                                      int luxel)
{
    light_share_scale(face, share, luxel, 0);
}

/* Whether any luxel of a face may be doubtful: most lights are seen, or hidden, by all of it. */
static inline bool light_share_has_edges(const struct light_share *share, int count)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    unsigned char any = 0;
    for (int l = 0; l < count; l++)
        any |= share->state[l];
    return any & LUXEL_STEEP || (any & both) == both;
}

/* Whether a neighbour sees the light otherwise: between the two lies the edge of a shadow, and it
 * may cut a corner that the luxel's own samples miss. */
static inline bool luxel_borders_shadow(const struct face_light *face, const unsigned char *state,
                                        int luxel)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    int s = luxel % face->width, t = luxel / face->width;
    unsigned char own = state[luxel] & both;
    if (own == both)
        return true;
    for (int j = t > 0 ? t - 1 : t; j <= t + 1 && j < face->height; j++) {
        for (int i = s > 0 ? s - 1 : s; i <= s + 1 && i < face->width; i++) {
            unsigned char other = state[j * face->width + i] & both;
            if (own && other && other != own)
                return true;
        }
    }
    return false;
}

/* A light whose doubt in a luxel is under this share of the luxel's light, and under this much of
 * 255, is good enough as it is. */
#define MIN_SHARE 0.05f
#define MIN_DOUBT 0.1f

/* Whether light that is in doubt, of 255, is worth fine samples. */
static inline bool doubt_matters(const struct receiver *to, float doubt, int luxel)
{
    return doubt > MIN_DOUBT && doubt > MIN_SHARE * to->total[luxel];
}

#endif
