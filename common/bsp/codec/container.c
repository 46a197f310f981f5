#include "common/bsp/codec/container.h"

#include <stdio.h>

#define ZLIB_CONST
#include <zlib.h>

#include "common/core/md4.h"
#include "common/io/lzma.h"

enum {
    IDENT_SIZE = 8,
    PAKFILE = 40, /* of VBSP: a zip archive, compressed by its own means or not at all */
    GAME_LUMP = 35,
    /* Maximum unpacked size. The engines' own limits are far below; a zip bomb is far above. */
    UNPACKED_MAX = 256 << 20,
};

/* Offsets in the header of a family. */
struct header_shape {
    char magic[5], swapped[5];
    enum container_family family;
    size_t directory_at, entry_size, revision_at, header_size;
    int lump_count;
};

static const struct header_shape shapes[] = {
    {"VBSP", "PSBV", CONTAINER_VBSP, 8, 16, 1032, 1036, 64},
    {"IBSP", "", CONTAINER_IBSP, 8, 8, 0, 144, 17},
    {"rBSP", "", CONTAINER_RBSP, 16, 16, 8, 16 + 128 * 16, 128},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static const struct header_shape *find_shape(const unsigned char *data, enum byte_order *order)
{
    for (int i = 0; i < SHAPES; i++) {
        if (!memcmp(data, shapes[i].magic, 4)) {
            *order = ORDER_LITTLE;
            return &shapes[i];
        }
        if (*shapes[i].swapped && !memcmp(data, shapes[i].swapped, 4)) {
            *order = ORDER_BIG;
            return &shapes[i];
        }
    }
    return NULL;
}

static struct container_lump read_entry(const struct container *container,
                                        const struct header_shape *shape,
                                        enum container_entry entry, int lump)
{
    const unsigned char *at =
        container->data + shape->directory_at + (size_t)lump * shape->entry_size;
    struct container_lump read = {0};
    size_t offset_at = entry == ENTRY_VERSION_FIRST ? 4 : 0;
    read.offset = (int32_t)load_u32_in(container->order, at + offset_at);
    read.length = (int32_t)load_u32_in(container->order, at + offset_at + 4);
    if (entry != ENTRY_SHORT) {
        read.version =
            (int32_t)load_u32_in(container->order, at + (entry == ENTRY_VERSION_FIRST ? 0 : 8));
        memcpy(read.four_cc, at + 12, sizeof read.four_cc);
    }
    read.present = read.offset != 0 || read.length != 0;
    return read;
}

static bool lies_inside(const struct container *container, const struct container_lump *lump)
{
    int64_t size = (int64_t)container->size;
    return !lump->length || (lump->length > 0 && lump->offset >= (int64_t)container->header_size &&
                             lump->offset <= size && lump->length <= size - lump->offset);
}

/* Left 4 Dead 2 has another order of fields under the same version as others: with this order every
 * lump lies in the file, with the usual one not. */
static bool has_version_first(const struct container *container, const struct header_shape *shape)
{
    bool usual = true, other = true;
    if (container->family != CONTAINER_VBSP || container->version != 21)
        return false;
    for (int lump = 0; lump < shape->lump_count; lump++) {
        struct container_lump a = read_entry(container, shape, ENTRY_OFFSET_FIRST, lump);
        struct container_lump b = read_entry(container, shape, ENTRY_VERSION_FIRST, lump);
        usual = usual && lies_inside(container, &a);
        other = other && lies_inside(container, &b);
    }
    return other && !usual;
}

static enum status check_place(const struct container *container, int lump, struct diag *diag)
{
    const struct container_lump *entry = &container->lumps[lump];
    struct diag_where where = {.file = container->name};
    if (lies_inside(container, entry))
        return STATUS_OK;
    return diag_report(diag, DIAG_BSP_TRUNCATED, &where,
                       "lump %d at offset %lld has %lld bytes, but the file has %zu", lump,
                       (long long)entry->offset, (long long)entry->length, container->size);
}

/* If the four bytes are not zero, the lump is compressed, and they are its unpacked size. */
static enum status check_compression(struct container *container, int lump, int64_t *total,
                                     struct diag *diag)
{
    struct container_lump *entry = &container->lumps[lump];
    struct diag_where where = {.file = container->name};
    bool exempt = container->family != CONTAINER_VBSP || lump == PAKFILE || lump == GAME_LUMP;
    if (exempt || !entry->length || !load_u32(entry->four_cc))
        return STATUS_OK;
    const unsigned char *data = container->data + entry->offset;
    uint32_t said = load_u32_in(container->order, entry->four_cc);
    if (!lzma_is_lump(data, (size_t)entry->length) ||
        lzma_lump_size(data, (size_t)entry->length) != said || !said)
        return diag_report(diag, DIAG_BSP_COMPRESSED, &where,
                           "lump %d: invalid LZMA header for %u bytes", lump, said);
    entry->unpacked = said;
    *total += said;
    if (*total > UNPACKED_MAX)
        return diag_report(diag, DIAG_BSP_COMPRESSED, &where,
                           "lumps 0 to %d unpack to %lld bytes; the maximum is %d", lump,
                           (long long)*total, UNPACKED_MAX);
    return STATUS_OK;
}

static enum status read_directory(struct container *container, const struct header_shape *shape,
                                  struct diag *diag)
{
    int64_t unpacked = 0;
    container->entry = ENTRY_OFFSET_FIRST;
    if (shape->family == CONTAINER_IBSP)
        container->entry = ENTRY_SHORT;
    else if (has_version_first(container, shape))
        container->entry = ENTRY_VERSION_FIRST;
    for (int lump = 0; lump < shape->lump_count; lump++)
        container->lumps[lump] = read_entry(container, shape, container->entry, lump);
    for (int lump = 0; lump < shape->lump_count; lump++) {
        TRY(check_place(container, lump, diag));
        TRY(check_compression(container, lump, &unpacked, diag));
    }
    return STATUS_OK;
}

enum status container_open(const void *data, size_t size, const char *name, struct diag *diag,
                           struct container *out)
{
    struct diag_where where = {.file = name};
    *out = (struct container){.data = data, .size = size, .name = name};
    if (!size)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &where, "empty file");
    if (size < IDENT_SIZE)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &where, "%zu bytes, too few for a BSP header",
                           size);
    const struct header_shape *shape = find_shape(data, &out->order);
    if (!shape)
        return diag_report(diag, DIAG_BSP_FORMAT, &where, "no VBSP or IBSP header");
    out->family = shape->family;
    out->version = (int32_t)load_u32_in(out->order, out->data + 4);
    out->lump_count = shape->lump_count;
    out->header_size = shape->header_size;
    if (size < shape->header_size)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &where,
                           "%zu bytes, but the header alone has %zu", size, shape->header_size);
    if (shape->revision_at)
        out->revision = (int32_t)load_u32_in(out->order, out->data + shape->revision_at);
    return read_directory(out, shape, diag);
}

enum status container_lump(const struct container *container, int lump, struct diag *diag,
                           struct bytes *unpacked, struct byte_reader *out)
{
    const struct container_lump *entry = &container->lumps[lump];
    struct diag_where where = {.file = container->name};
    size_t length = (size_t)entry->length;
    *out = byte_reader("", 0);
    if (length)
        *out = byte_reader(container->data + entry->offset, length);
    if (entry->unpacked) {
        enum status status =
            lzma_unpack_lump(out->data, length, entry->unpacked, &where, diag, unpacked);
        if (status != STATUS_OK) {
            bytes_free(unpacked);
            return status;
        }
        *out = byte_reader(unpacked->data, unpacked->size);
    }
    out->order = container->order;
    return STATUS_OK;
}

int64_t container_lump_size(const struct container *container, int lump)
{
    const struct container_lump *entry = &container->lumps[lump];
    return entry->unpacked ? (int64_t)entry->unpacked : entry->length;
}

/* Returns the game of a version that few games use (the specification's table of versions, and
 * public lists of which game shipped which). */
static const char *game_of(const struct container *container)
{
    static const struct {
        enum container_family family;
        int32_t version;
        const char *game;
    } games[] = {
        {CONTAINER_VBSP, 17, "Vampire: The Masquerade - Bloodlines"},
        {CONTAINER_VBSP, 18, "Half-Life 2 beta"},
        {CONTAINER_VBSP, 22, "Dota 2 beta, INFRA"},
        {CONTAINER_VBSP, 23, "Dota 2"},
        {CONTAINER_VBSP, 25, "Strata Source"},
        {CONTAINER_VBSP, 27, "Contagion"},
        {CONTAINER_VBSP, 29, "Titanfall"},
        {CONTAINER_RBSP, 29, "Titanfall"},
        {CONTAINER_VBSP, 36, "Titanfall 2, its technical test"},
        {CONTAINER_RBSP, 36, "Titanfall 2, its technical test"},
        {CONTAINER_VBSP, 37, "Titanfall 2"},
        {CONTAINER_RBSP, 37, "Titanfall 2"},
        {CONTAINER_VBSP, 47, "Apex Legends"},
        {CONTAINER_RBSP, 47, "Apex Legends"},
        {CONTAINER_VBSP, 100, "Counter-Strike Online 2"},
        {CONTAINER_IBSP, 38, "Quake 2"},
        {CONTAINER_IBSP, 46, "Quake 3"},
        {CONTAINER_IBSP, 47, "Return to Castle Wolfenstein"},
    };
    for (size_t i = 0; i < sizeof games / sizeof *games; i++)
        if (games[i].family == container->family && games[i].version == container->version)
            return games[i].game;
    return NULL;
}

void container_title(const struct container *container, char *text, size_t size)
{
    const char *game = game_of(container);
    snprintf(text, size, "%s %d%s%s%s", shapes[container->family].magic, container->version,
             game ? " (" : "", game ? game : "", game ? ")" : "");
}

uint32_t bsp_checksum(const struct container *container)
{
    uLong sum = crc32_z(0, NULL, 0);
    for (int i = 0; i < container->lump_count; i++) {
        const struct container_lump *lump = &container->lumps[i];
        if (i != LUMP_ENTITIES && lump->length)
            sum = crc32_z(sum, container->data + lump->offset, (size_t)lump->length);
    }
    return (uint32_t)sum;
}

uint32_t ibsp_checksum(const void *file, size_t size)
{
    unsigned char hash[MD4_SIZE];
    md4_of(file, size, hash);
    return load_u32(hash) ^ load_u32(hash + 4) ^ load_u32(hash + 8) ^ load_u32(hash + 12);
}
