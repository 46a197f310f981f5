/* Internal to ballance/bmx: blocks of a kind by their names. */
#ifndef BMX_NAME_INDEX_H
#define BMX_NAME_INDEX_H

#include "ballance/bmx/bmx.h"

struct name_entry {
    const struct bmx_text *name; /* the model's */
    uint32_t block;
};

/* Zero-initialised, it has no names. */
struct name_index {
    struct name_entry *entries; /* stb_ds array, sorted by name, then by block */
};

/* Borrows the model, whose blocks of the kind must not change. Free with name_index_free. */
void name_index_make(struct name_index *index, const struct bmx *bmx, enum bmx_kind kind);
void name_index_free(struct name_index *index);

/* Returns the number of blocks of that name, and sets *block to the first of them. */
size_t name_index_find(const struct name_index *index, const struct bmx_text *name,
                       uint32_t *block);

#endif
