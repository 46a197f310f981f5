/* The ambient light of leaves, between the forms that branches of the engine have for it. */
#ifndef BSP_CONVERT_AMBIENT_H
#define BSP_CONVERT_AMBIENT_H

#include "common/bsp/codec/format.h"

struct bsp_ambient_loss {
    size_t joined; /* leaves that had several samples and have their mean now */
    size_t moved;  /* leaves whose one sample stood elsewhere than in the middle */
};

/* Brings the samples into the form: any number a leaf with an index, or one a leaf. A leaf without
 * samples of its own gets those of the leaf that it takes its light from. Indices must be sound. */
struct bsp_ambient_loss bsp_ambient_fit(struct bsp_light_set *set, size_t leaves,
                                        enum bsp_ambient_form form);

/* Both sets of a bsp that is about to be written in the format. */
void bsp_ambient_fit_all(struct bsp *bsp, const struct bsp_format *format);

#endif
