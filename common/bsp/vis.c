/* Decodes the visibility lump: a count, two offsets per cluster (visible, audible), and rows of
 * bits in which a run of zero bytes is a zero and its length (specification, visibility lump). IBSP
 * has rows of plain bits, used for both visibility and audibility. */
#include "common/bsp/query.h"

#include "common/bsp/vis.h"

enum { COUNT_SIZE = 4, ENTRY_SIZE = 8 };

/* Returns true for the rows of IBSP, which are not packed and of one kind. */
static bool is_plain(const struct bsp *bsp)
{
    return bsp->visibility_row > 0;
}

/* Returns a row and its length in bytes, which may be less than the clusters need. */
static struct byte_reader plain_row(const struct bsp *bsp, int cluster)
{
    size_t size = (size_t)bsp->visibility_row;
    return byte_reader(bsp->visibility.data + (size_t)cluster * size, size);
}

int bsp_vis_clusters(const struct bsp *bsp)
{
    if (is_plain(bsp))
        return bsp->visibility_clusters;
    if (bsp->visibility.size < COUNT_SIZE)
        return 0;
    return (int)load_u32(bsp->visibility.data);
}

bool vis_table_is_valid(const struct bytes *lump)
{
    if (!lump->size)
        return true;
    if (lump->size < COUNT_SIZE)
        return false;
    uint64_t count = load_u32(lump->data);
    if (count > (lump->size - COUNT_SIZE) / ENTRY_SIZE)
        return false;
    for (uint64_t i = 0; i < count * 2; i++)
        if (load_u32(lump->data + COUNT_SIZE + 4 * i) > lump->size)
            return false;
    return true;
}

struct byte_reader vis_row_data(const struct bytes *lump, int cluster, bool audible)
{
    const unsigned char *entry =
        lump->data + COUNT_SIZE + (size_t)cluster * (size_t)ENTRY_SIZE + (audible ? 4u : 0u);
    size_t at = load_u32(entry);
    if (at > lump->size) /* damaged: an empty row */
        at = lump->size;
    return byte_reader(lump->data + at, lump->size - at);
}

enum vis_row_form vis_decode_row(struct byte_reader *data, unsigned char *row, size_t size)
{
    size_t at = 0;
    while (at < size) {
        unsigned char byte = read_u8(data);
        size_t run = byte ? 1 : read_u8(data);
        if (data->failed || (!byte && !run)) {
            memset(row + at, 0, size - at);
            return VIS_ROW_SHORT;
        }
        if (run > size - at) {
            memset(row + at, 0, size - at);
            return VIS_ROW_LONG;
        }
        memset(row + at, byte, run);
        at += run;
    }
    return VIS_ROW_EXACT;
}

void bsp_vis_row(const struct bsp *bsp, int cluster, bool audible, unsigned char *row)
{
    int clusters = bsp_vis_clusters(bsp);
    size_t size = ((size_t)clusters + 7) / 8;
    memset(row, 0, size);
    if (cluster < 0 || cluster >= clusters)
        return;
    if (is_plain(bsp)) {
        struct byte_reader plain = plain_row(bsp, cluster);
        memcpy(row, plain.data, plain.size < size ? plain.size : size);
        return;
    }
    struct byte_reader data = vis_row_data(&bsp->visibility, cluster, audible);
    (void)vis_decode_row(&data, row, size);
}

bool bsp_vis_sees(const struct bsp *bsp, int from, int to)
{
    int clusters = bsp_vis_clusters(bsp);
    if (!clusters)
        return true;
    if (from < 0 || to < 0 || from >= clusters || to >= clusters)
        return false;
    if (is_plain(bsp)) {
        struct byte_reader row = plain_row(bsp, from);
        return (size_t)to / 8 < row.size && (row.data[to / 8] >> to % 8 & 1);
    }
    struct byte_reader data = vis_row_data(&bsp->visibility, from, false);
    for (int first = 0; first < clusters;) {
        unsigned char byte = read_u8(&data);
        int bits = byte ? 8 : 8 * read_u8(&data);
        if (data.failed || !bits || (!byte && to < first + bits))
            return false;
        if (to < first + bits)
            return (byte >> (to - first) & 1) != 0;
        first += bits;
    }
    return false;
}
