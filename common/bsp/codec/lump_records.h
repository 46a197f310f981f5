/* Lumps as lists of records, for code that treats all fields alike. */
#ifndef BSP_CODEC_LUMP_RECORDS_H
#define BSP_CODEC_LUMP_RECORDS_H

#include "common/bsp/bsp.h"
#include "common/bsp/record.h"

struct lump_records {
    const struct record *record;
    void *array; /* address of the stb_ds array in the bsp */
};

/* Returns false for a lump that is no list of records in the format that the bsp was read as. */
bool lump_records_of(struct bsp *bsp, int lump, struct lump_records *out);

#endif
