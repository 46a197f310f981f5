/* The checksum by which a server and a client tell whether they have the same map. */
#ifndef BSP_CODEC_CHECKSUM_H
#define BSP_CODEC_CHECKSUM_H

#include "common/bsp/codec/container.h"

/* The CRC-32 over the lumps of a VBSP in the order of their numbers, without lump 0 (the entities),
 * as they stand in the file: compressed ones are not unpacked. Header, directory and what lies
 * between the lumps do not count. (Source BSP specification, on the check of integrity.) */
uint32_t bsp_checksum(const struct container *container);

#endif
