/* Lumps as JSON, to read, change and write back: docs/json.md describes the text. Of Quake 3 all
 * but the lightmaps have this form, of Source the entities and lists of records. */
#ifndef BSP_JSON_LUMP_JSON_H
#define BSP_JSON_LUMP_JSON_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"

/* Appends the lump, with a record per line. Returns false, and appends nothing, for a lump that has
 * no such form. */
bool lump_to_json(struct bsp *bsp, int lump, struct bytes *out);

/* Replaces the lump by what the text says. Numbers beyond a field, unknown fields and missing ones
 * are reported (LUMP_FILE) and fail; the lump is then undefined. Indices are not checked. */
NODISCARD enum status lump_from_json(struct bsp *bsp, int lump, const struct bytes *text,
                                     const char *name, struct diag *diag);

#endif
