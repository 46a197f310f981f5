/* The header of a VTF: size and reflectivity. */
#ifndef ASSETS_TEXTURES_VTF_H
#define ASSETS_TEXTURES_VTF_H

#include "common/core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vtf_header {
    int major, minor;
    int width, height, depth, frames, mips, format;
    uint32_t flags;
    float reflectivity[3]; /* linear */
};

/* False when the bytes are no VTF or the header is cut short or absurd. */
bool vtf_read_header(const void *data, size_t size, struct vtf_header *out);

#endif
