/* The contribution of one light to the luxels of one face, and its penumbra. */
#ifndef VRAD_DIRECT_LIGHT_CONTRIBUTION_H
#define VRAD_DIRECT_LIGHT_CONTRIBUTION_H

#include "vrad/direct/receiver.h"

/* Results of the coarse samples of a luxel. */
enum luxel_state {
    LUXEL_SEES = 1,
    LUXEL_BLOCKED = 2,
    LUXEL_STEEP = 4,
    LUXEL_ONE_RAY = 8,  /* a single ray stands for all of it */
    LUXEL_TRACED = 16,  /* rays were traced, or there was nothing to trace */
    LUXEL_EDGE = 32,    /* the outline of an occluder may cross it: its shadow may be that small */
    LUXEL_UNKNOWN = 64, /* its neighbours do not tell what it sees */
};

/* For the luxels of a face, or of a window in it: by analytic visibility, or else by rays, and then
 * the window is the whole face. */
struct light_contribution {
    const struct light *light;
    int number;                   /* index of the light in its set */
    double reach;                 /* culling radius in units; INFINITY */
    float grey;                   /* mean intensity of the channels */
    float min;                    /* attenuation below which the light counts as nothing */
    float received;               /* the same with the cosine at the receiver */
    float end;                    /* the distance beyond which it does; INFINITY */
    int left, top, width, height; /* the window, in luxels; nothing falls outside */
    const unsigned char *near;    /* one per luxel: luxels that another contribution of the light
                                     lights (near_patch.h); NULL: none */
    bool cast;                    /* by analytic visibility: only sum and penumbra are used */
    int first_penumbra, penumbra_count;
    float *sum;  /* slots * count: mean of cosine, attenuation and visibility over the luxel */
    float *tint; /* 3 * slots * count: excess of each channel over `sum`; NULL: none */
    float *peak; /* count: the mean of the flat slot, unoccluded */
    unsigned char *state; /* count: enum luxel_state */
};

/* Scales what rays have contributed to the luxel. */
static inline void light_contribution_scale(const struct face_light *face,
                                            struct light_contribution *contribution, int luxel,
                                            float part)
{
    for (int j = 0; j < face->slots; j++) {
        contribution->sum[j * face->count + luxel] *= part;
        for (int k = 0; k < 3 && contribution->tint; k++)
            contribution->tint[3 * (j * face->count + luxel) + k] *= part;
    }
}

static inline void light_contribution_clear(const struct face_light *face,
                                            struct light_contribution *contribution, int luxel)
{
    light_contribution_scale(face, contribution, luxel, 0);
}

/* The union of the states of all luxels. */
static inline unsigned char light_contribution_any(const struct light_contribution *contribution,
                                                   int count)
{
    unsigned char any = 0;
    for (int l = 0; l < count; l++)
        any |= contribution->state[l];
    return any;
}

/* Returns true if any luxel of the face may be in the penumbra: most lights are visible, or
 * occluded, from all of it. */
static inline bool light_contribution_has_edges(const struct light_contribution *contribution,
                                                int count)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    unsigned char any = light_contribution_any(contribution, count);
    return any & (LUXEL_STEEP | LUXEL_EDGE) || (any & both) == both;
}

/* Returns true if an outline crosses the luxel that sees the light, or a neighbour sees it
 * differently: the shadow edge between them may cut a corner of the luxel that its samples miss. */
static inline bool luxel_borders_shadow(const struct face_light *face, const unsigned char *state,
                                        int luxel)
{
    const unsigned char both = LUXEL_SEES | LUXEL_BLOCKED;
    int s = luxel % face->width, t = luxel / face->width;
    unsigned char own = state[luxel] & both;
    if (own == both || (own == LUXEL_SEES && state[luxel] & LUXEL_EDGE))
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

/* Limits of supersampling: contributions to a luxel below this fraction of its light, or below this
 * value of 255, are accurate enough. */
#define MIN_SHARE    0.05f
#define MIN_PENUMBRA 0.1f

/* Returns true if a contribution in the penumbra, of 255, is worth supersampling. */
static inline bool penumbra_matters(const struct receiver *to, float penumbra, int luxel)
{
    return penumbra > MIN_PENUMBRA && penumbra > MIN_SHARE * to->total[luxel];
}

#endif
