/* Game lumps of the maps of the corpus, unpacked, in the byte order of their file. They are read
 * without the rest of the map, so also from unsupported versions. */
#ifndef TESTS_GAME_LUMPS_H
#define TESTS_GAME_LUMPS_H

#include "common/bsp/codec/container.h"
#include "common/io/lzma.h"
#include "tests/support/bsp_files.h"

struct found_game_lump {
    const char *path;
    struct bytes data;
    enum byte_order order;
    int version;
    size_t leaf_count; /* of the map */
};

typedef void game_lump_visit(void *context, const struct found_game_lump *lump);

struct game_lump_walk {
    game_lump_visit *visit;
    void *context;
    uint32_t id;
    struct diag *diag;
};

enum { GAME_LUMP_ENTRY = 16, GAME_LUMP_PACKED = 1, GAME_LUMP_MAX = 1 << 24 };

/* Returns the data of an entry: offsets count from the file or, on consoles, from lump 35. */
static inline bool game_lump_data(const struct container *file, const struct byte_reader *lump,
                                  const unsigned char *entry, struct diag *diag, struct bytes *out)
{
    size_t at = load_u32_in(lump->order, entry + 8), size = load_u32_in(lump->order, entry + 12);
    size_t base = (size_t)file->lumps[LUMP_GAMELUMP].offset;
    if (load_u16_in(lump->order, entry + 4) & GAME_LUMP_PACKED) {
        size_t end =
            load_u32_in(lump->order, entry + GAME_LUMP_ENTRY + 8); /* offset of the next one */
        at -= lump->order == ORDER_BIG ? 0 : base;
        end -= lump->order == ORDER_BIG ? 0 : base;
        return at < end && end <= lump->size &&
               lzma_unpack_lump(lump->data + at, end - at, GAME_LUMP_MAX, NULL, diag, out) ==
                   STATUS_OK;
    }
    at -= lump->order == ORDER_BIG ? 0 : base;
    if (at > lump->size || size > lump->size - at)
        return false;
    bytes_append(out, lump->data + at, size);
    return true;
}

static inline void game_lump_file(void *context, const char *path, const struct bytes *file)
{
    struct game_lump_walk *walk = context;
    struct container container;
    struct bytes unpacked = {0};
    struct byte_reader lump;
    if (container_open(file->data, file->size, path, walk->diag, &container) != STATUS_OK ||
        container_lump(&container, LUMP_GAMELUMP, walk->diag, &unpacked, &lump) != STATUS_OK)
        return;
    size_t leaf_size = container.lumps[LUMP_LEAFS].version ? 32 : 56;
    size_t leaves = (size_t)container_lump_size(&container, LUMP_LEAFS) / leaf_size;
    size_t count = read_u32(&lump);
    for (size_t i = 0; i < count && lump.size >= 4 + (i + 1) * GAME_LUMP_ENTRY; i++) {
        const unsigned char *entry = lump.data + 4 + i * GAME_LUMP_ENTRY;
        struct found_game_lump found = {.path = path, .order = lump.order, .leaf_count = leaves};
        found.version = load_u16_in(lump.order, entry + 6);
        if (load_u32_in(lump.order, entry) == walk->id &&
            game_lump_data(&container, &lump, entry, walk->diag, &found.data))
            walk->visit(walk->context, &found);
        bytes_free(&found.data);
    }
    bytes_free(&unpacked);
}

/* Visits each lump of an id; returns the number of maps. */
static inline int game_lumps_visit(uint32_t id, game_lump_visit *visit, void *context)
{
    struct game_lump_walk walk = {visit, context, id, diag_new(bsp_print_entry, NULL)};
    int found = 0;
    for (int i = 0; i < BSP_CORPUS; i++)
        found += bsp_files_visit(bsp_corpus[i], game_lump_file, &walk);
    diag_free(walk.diag);
    return found;
}

#endif
