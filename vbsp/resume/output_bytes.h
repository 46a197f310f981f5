/* The result of a compile as bytes: for a build that goes on, and for later compiles. */
#ifndef VBSP_RESUME_OUTPUT_BYTES_H
#define VBSP_RESUME_OUTPUT_BYTES_H

#include "common/core/bytes.h"
#include "vbsp/vbsp.h"

/* Appends the portal file. */
void vbsp_format_portals(const struct vbsp_output *output, struct bytes *out);

/* Appends the BSP, its portals, surface notes and the path around an areaportal. Returns false when
 * the format cannot hold the BSP, which writing it reports. */
bool vbsp_output_append(const struct vbsp_output *output, const struct bsp_format *format,
                        struct bytes *out);

/* Fills an empty output, to be freed in any case. Returns false when the reader does not have what
 * vbsp_output_append has written. */
bool vbsp_output_read(struct byte_reader *from, const struct bsp_format *format,
                      struct vbsp_output *out);

#endif
