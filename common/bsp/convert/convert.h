/* Converts a BSP from one branch of the engine to another, and the ambient light of leaves between
 * the forms of the branches. */
#ifndef BSP_CONVERT_CONVERT_H
#define BSP_CONVERT_CONVERT_H

#include "common/bsp/codec/format.h"

/* Rewrites the bsp, which may be of any readable format, into the records of the target, so that
 * bsp_encode can write it as such: ambient light moves between leaf, list and index, static props
 * change their version, lumps that the target does not have are removed. Each kind of loss is
 * reported once (BSP_LOSS, a warning) with its count; *losses is the number of reports. Byte order
 * and compression stay as they are in bsp->encoding.
 *
 * Between games of the family of Quake 3 flags of shaders are stored as the target has them, light
 * of styles is added or removed, and lightmap pages of another size are removed.
 *
 * Fails (BSP_TARGET) between the families of Source and Quake 3, whose maps must be compiled from
 * their source, for read-only targets, and when static props cannot be decoded. */
NODISCARD enum status bsp_convert(struct bsp *bsp, const struct bsp_format *target,
                                  const char *name, struct diag *diag, int *losses);

struct bsp_ambient_loss {
    size_t joined; /* leaves whose several samples were averaged */
    size_t moved;  /* leaves whose only sample was not in the middle */
};

/* Converts the samples to the form: any number per leaf with an index, or one per leaf. A leaf
 * without samples of its own gets those of the leaf whose light it uses. Indices must be in
 * range. */
struct bsp_ambient_loss bsp_ambient_fit(struct bsp_light_set *set, size_t leaves,
                                        enum bsp_ambient_form form);

/* Converts both sets of a bsp that will be written in the format. */
void bsp_ambient_fit_all(struct bsp *bsp, const struct bsp_format *format);

/* Makes the light of a bsp fit the format that it will be written in: bsp_ambient_fit_all, then
 * bsp_worldlights_fit. */
void bsp_light_fit(struct bsp *bsp, const struct bsp_format *format, struct diag *diag);

/* Leaves out the weakest worldlights of each set beyond the limit of the format, first those that
 * the leaves' ambient light has, with a report (BSP_LIGHTS_LEFT_OUT). The sun and the sky stay. */
void bsp_worldlights_fit(struct bsp *bsp, const struct bsp_format *format, struct diag *diag);

#endif
