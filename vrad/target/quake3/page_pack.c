#include "vrad/target/quake3/page_pack.h"

#include <stdbool.h>

#include "common/core/array.h"

/* Bit i of the result is bit i + steps. */
static struct pack_row shifted(struct pack_row row, int steps)
{
    if (steps == 0)
        return row;
    if (steps >= 64)
        return (struct pack_row){steps < 128 ? row.high >> (steps - 64) : 0, 0};
    return (struct pack_row){row.low >> steps | row.high << (64 - steps), row.high >> steps};
}

static struct pack_row both(struct pack_row a, struct pack_row b)
{
    return (struct pack_row){a.low & b.low, a.high & b.high};
}

/* The columns from which on `width` columns are free. */
static struct pack_row free_runs(struct pack_row taken, int width)
{
    struct pack_row runs = {~taken.low, ~taken.high};
    for (int have = 1; have < width;) {
        int more = have < width - have ? have : width - have;
        runs = both(runs, shifted(runs, more));
        have += more;
    }
    return runs;
}

static int first_bit(struct pack_row row)
{
    return row.low ? __builtin_ctzll(row.low) : 64 + __builtin_ctzll(row.high);
}

static bool find_place(const struct pack_page *page, int width, int height, int place[2])
{
    struct pack_row runs[PACK_SIDE];
    for (int row = 0; row < PACK_SIDE; row++)
        runs[row] = free_runs(page->taken[row], width);
    /* Then the same downwards, in rows. */
    for (int have = 1, rows = PACK_SIDE; have < height;) {
        int more = have < height - have ? have : height - have;
        rows -= more;
        for (int row = 0; row < rows; row++)
            runs[row] = both(runs[row], runs[row + more]);
        have += more;
    }
    for (int row = 0; row + height <= PACK_SIDE; row++) {
        if (!(runs[row].low | runs[row].high))
            continue;
        place[0] = first_bit(runs[row]);
        place[1] = row;
        return true;
    }
    return false;
}

void page_pack_add(struct page_pack *pack, int width, int height, int *page, int place[2])
{
    ptrdiff_t at = 0;
    while (at < arrlen(pack->pages) && !find_place(&pack->pages[at], width, height, place))
        at++;
    if (at == arrlen(pack->pages)) {
        arrput(pack->pages, (struct pack_page){0});
        place[0] = place[1] = 0;
    }
    for (int row = place[1]; row < place[1] + height; row++) {
        struct pack_row *taken = &pack->pages[at].taken[row];
        for (int i = place[0]; i < place[0] + width; i++) {
            taken->low |= i < 64 ? UINT64_C(1) << i : 0;
            taken->high |= i >= 64 ? UINT64_C(1) << (i - 64) : 0;
        }
    }
    *page = (int)at;
}

void page_pack_free(struct page_pack *pack)
{
    arrfree(pack->pages);
}
