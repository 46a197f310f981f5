/* Inside common/bsp: the rows of the visibility lump with their faults. Others use query.h. */
#ifndef BSP_VIS_H
#define BSP_VIS_H

#include "common/core/bytes.h"

enum vis_row_form {
    VIS_ROW_EXACT,
    VIS_ROW_SHORT, /* the lump ends before the row does, or a run is of no length */
    VIS_ROW_LONG,  /* the last run goes past the row's end */
};

/* Count and offsets lie inside the lump. */
bool vis_table_is_sound(const struct bytes *lump);

/* From where the row starts to the lump's end; the table must be sound and the cluster in it. */
struct byte_reader vis_row_data(const struct bytes *lump, int cluster, bool audible);

/* Fills `size` bytes, in any case. */
enum vis_row_form vis_decode_row(struct byte_reader *data, unsigned char *row, size_t size);

#endif
