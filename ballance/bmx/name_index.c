#include "ballance/bmx/name_index.h"

#include <stdlib.h>

#include "common/core/array.h"

static int order(const void *a, const void *b)
{
    const struct name_entry *left = a, *right = b;
    int names = bmx_text_compare(left->name, right->name);
    return names ? names : (left->block > right->block) - (left->block < right->block);
}

void name_index_make(struct name_index *index, const struct bmx *bmx, enum bmx_kind kind)
{
    size_t count = bmx_count(bmx, kind);
    for (size_t i = 0; i < count; i++)
        arrput(index->entries, ((struct name_entry){bmx_name(bmx, kind, i), (uint32_t)i}));
    if (count)
        qsort(index->entries, count, sizeof *index->entries, order);
}

void name_index_free(struct name_index *index)
{
    arrfree(index->entries);
}

/* Returns the first entry that is not before the name. */
static size_t lower_bound(const struct name_index *index, const struct bmx_text *name)
{
    size_t low = 0, high = arrlenu(index->entries);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (bmx_text_compare(index->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t name_index_find(const struct name_index *index, const struct bmx_text *name, uint32_t *block)
{
    size_t first = lower_bound(index, name), end = first;
    while (end < arrlenu(index->entries) && bmx_text_compare(index->entries[end].name, name) == 0)
        end++;
    if (end > first)
        *block = index->entries[first].block;
    return end - first;
}
