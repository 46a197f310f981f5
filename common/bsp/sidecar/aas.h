/* The header of a file of bot navigation (.aas): "EAAS", a version, and the checksum of the BSP
 * that it was made for, by which the game tells whether it is out of date. In version 5 the bytes
 * behind the version, to the end of the header, are hidden: byte i is XORed with i * 119. (Found in
 * the files of OpenArena.) */
#ifndef BSP_SIDECAR_AAS_H
#define BSP_SIDECAR_AAS_H

#include <stdint.h>

#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* Replaces the checksum; nothing else changes. Fails (AAS) when the file is no .aas of version 4 or
 * 5. */
NODISCARD enum status aas_set_checksum(struct bytes *file, uint32_t checksum,
                                       const struct diag_where *where, struct diag *diag);

#endif
