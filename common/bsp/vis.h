/* Internal to common/bsp: decodes the rows of the visibility lump and reports their faults. Others
 * use query.h. */
#ifndef BSP_VIS_H
#define BSP_VIS_H

#include "common/core/bytes.h"

enum vis_row_form {
    VIS_ROW_EXACT,
    VIS_ROW_SHORT, /* the lump ends before the row does, or a run has length 0 */
    VIS_ROW_LONG,  /* the last run extends past the end of the row */
};

/* Returns true when count and offsets lie inside the lump. */
bool vis_table_is_valid(const struct bytes *lump);

/* Returns the bytes from the start of the row to the end of the lump; the table must be valid and
 * contain the cluster. */
struct byte_reader vis_row_data(const struct bytes *lump, int cluster, bool audible);

/* Always fills `size` bytes. */
enum vis_row_form vis_decode_row(struct byte_reader *data, unsigned char *row, size_t size);

#endif
