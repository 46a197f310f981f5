#include "vrad/target/quake3/pages/page_pack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"

enum { MAX_WORDS = PACK_MAX / 64 };

/* Luxels of a row of a shape, one beside the other, that need room. */
struct run {
    int row, from, length;
    bool over_common; /* where luxels of the common colour lie, there is room for these */
};

static bool bit_at(const uint64_t *row, int at)
{
    return row[at / 64] >> (at % 64) & 1;
}

/* Bit i of out is bit i + steps of row. */
static void shift(const uint64_t *row, int words, int steps, uint64_t *out)
{
    int whole = steps / 64, part = steps % 64;
    for (int i = 0; i < words; i++) {
        uint64_t low = i + whole < words ? row[i + whole] : 0;
        uint64_t high = i + whole + 1 < words ? row[i + whole + 1] : 0;
        out[i] = part ? low >> part | high << (64 - part) : low;
    }
}

/* Takes out of `places` those at which a run would meet taken luxels; false when none is left. */
static bool keep_free(const uint64_t *taken, int words, const struct run *run, uint64_t *places)
{
    uint64_t free[MAX_WORDS], other[MAX_WORDS], any = 0;
    for (int i = 0; i < words; i++)
        free[i] = ~taken[i];
    for (int have = 1; have < run->length;) {
        int more = have < run->length - have ? have : run->length - have;
        shift(free, words, more, other);
        for (int i = 0; i < words; i++)
            free[i] &= other[i];
        have += more;
    }
    shift(free, words, run->from, other);
    for (int i = 0; i < words; i++)
        any |= places[i] &= other[i];
    return any != 0;
}

static int first_bit(const uint64_t *row)
{
    int word = 0;
    while (!row[word])
        word++;
    return 64 * word + __builtin_ctzll(row[word]);
}

static int longest_at(const struct pack_page *page, int top, const struct run *run)
{
    return (run->over_common ? page->longest_not_own : page->longest_free)[top + run->row];
}

static bool find_place(const struct page_pack *pack, const struct pack_page *page,
                       const struct pack_shape *shape, const struct run *runs, int place[2])
{
    int words = texel_words(pack->side), last = pack->side - shape->width;
    for (int top = 0; top + shape->height <= pack->side; top++) {
        uint64_t places[MAX_WORDS] = {0};
        for (int i = 0; i < words; i++) {
            int bits = last + 1 - 64 * i;
            places[i] = bits >= 64 ? ~UINT64_C(0) : bits > 0 ? (UINT64_C(1) << bits) - 1 : 0;
        }
        bool fits = true;
        for (ptrdiff_t i = 0; i < arrlen(runs) && fits; i++)
            fits = runs[i].length <= longest_at(page, top, &runs[i]);
        for (ptrdiff_t i = 0; i < arrlen(runs) && fits; i++) {
            const uint64_t *taken = runs[i].over_common ? page->own : page->taken;
            fits = keep_free(taken + (size_t)(top + runs[i].row) * (size_t)words, words, &runs[i],
                             places);
        }
        if (!fits)
            continue;
        place[0] = first_bit(places);
        place[1] = top;
        return true;
    }
    return false;
}

/* The runs of bits of a row, without those of `without`, if that is given. */
static struct run *add_runs(struct run *runs, const uint64_t *row, const uint64_t *without,
                            int width, struct run like)
{
    for (int i = 0; i < width; i++) {
        if (!bit_at(row, i) || (without && bit_at(without, i)))
            continue;
        like.from = i;
        while (i < width && bit_at(row, i) && !(without && bit_at(without, i)))
            i++;
        like.length = i - like.from;
        arrput(runs, like);
    }
    return runs;
}

/* Long runs first: they leave the fewest places. */
static int longer_first(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    if (x->length != y->length)
        return y->length - x->length;
    if (x->row != y->row)
        return x->row - y->row;
    return x->from != y->from ? x->from - y->from : x->over_common - y->over_common;
}

static struct run *runs_of(const struct pack_shape *shape)
{
    struct run *runs = NULL;
    int words = texel_words(shape->width);
    for (int row = 0; row < shape->height; row++) {
        const uint64_t *needed = shape->needed + (size_t)row * (size_t)words;
        const uint64_t *common = shape->common ? shape->common + (size_t)row * (size_t)words : NULL;
        uint64_t any = 0;
        for (int i = 0; common && i < words; i++)
            any |= common[i];
        runs = add_runs(runs, needed, any ? common : NULL, shape->width, (struct run){.row = row});
        if (any)
            runs = add_runs(runs, common, NULL, shape->width,
                            (struct run){.row = row, .over_common = true});
    }
    if (runs)
        qsort(runs, arrlenu(runs), sizeof *runs, longer_first);
    return runs;
}

static int needed_luxels(const struct run *runs)
{
    int count = 0;
    for (ptrdiff_t i = 0; i < arrlen(runs); i++)
        count += runs[i].over_common ? 0 : runs[i].length;
    return count;
}

static int longest_run(const uint64_t *taken, int side)
{
    int longest = 0, length = 0;
    for (int i = 0; i < side; i++) {
        length = bit_at(taken, i) ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void take(struct page_pack *pack, struct pack_page *page, const struct run *runs,
                 const int place[2], int height)
{
    size_t words = (size_t)texel_words(pack->side);
    for (ptrdiff_t n = 0; n < arrlen(runs); n++) {
        size_t row = (size_t)(place[1] + runs[n].row) * words;
        for (int i = 0; i < runs[n].length; i++) {
            int at = place[0] + runs[n].from + i;
            uint64_t bit = UINT64_C(1) << (at % 64), *word = &page->taken[row + (size_t)at / 64];
            page->room -= !(*word & bit);
            *word |= bit;
            if (!runs[n].over_common)
                page->own[row + (size_t)at / 64] |= bit;
        }
    }
    for (int i = place[1]; i < place[1] + height; i++) {
        page->longest_free[i] = longest_run(page->taken + (size_t)i * words, pack->side);
        page->longest_not_own[i] = longest_run(page->own + (size_t)i * words, pack->side);
    }
}

static void open_page(struct page_pack *pack)
{
    size_t size = (size_t)pack->side * (size_t)texel_words(pack->side);
    size_t rows = (size_t)pack->side;
    struct pack_page page = {.room = pack->side * pack->side};
    page.taken = memory_zalloc(size, sizeof *page.taken);
    page.own = memory_zalloc(size, sizeof *page.own);
    page.longest_free = memory_alloc(rows * sizeof *page.longest_free);
    page.longest_not_own = memory_alloc(rows * sizeof *page.longest_not_own);
    for (size_t i = 0; i < rows; i++)
        page.longest_free[i] = page.longest_not_own[i] = pack->side;
    arrput(pack->pages, page);
}

void page_pack_add(struct page_pack *pack, const struct pack_shape *shape, int *page, int place[2])
{
    struct run *runs = runs_of(shape);
    int needed = needed_luxels(runs);
    ptrdiff_t at = 0;
    while (at < arrlen(pack->pages) && (pack->pages[at].room < needed ||
                                        !find_place(pack, &pack->pages[at], shape, runs, place)))
        at++;
    if (at == arrlen(pack->pages)) {
        open_page(pack);
        place[0] = place[1] = 0;
    }
    take(pack, &pack->pages[at], runs, place, shape->height);
    *page = (int)at;
    arrfree(runs);
}

void page_pack_free(struct page_pack *pack)
{
    for (ptrdiff_t i = 0; i < arrlen(pack->pages); i++) {
        memory_free(pack->pages[i].taken);
        memory_free(pack->pages[i].own);
        memory_free(pack->pages[i].longest_free);
        memory_free(pack->pages[i].longest_not_own);
    }
    arrfree(pack->pages);
}
