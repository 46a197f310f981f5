#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/lump_records.h"
#include "common/core/array.h"

const char *bsp_lump_name(const struct bsp_format *format, int lump)
{
    return container_lump_name(format->codec->container, lump);
}

int bsp_lump_numbers(const struct bsp_format *format)
{
    return format->codec->container->lump_count;
}

/* Unpacked size of the lump in the file. */
static int64_t stored_size(const struct bsp *bsp, int lump)
{
    const struct bsp_raw_lump *raw = &bsp->carried[lump];
    uint32_t unpacked = load_u32_in(bsp->encoding.order, raw->four_cc);
    bool compressed = unpacked && container_may_compress(bsp->format->codec->container, lump);
    return compressed && bsp->layout.length[lump] ? unpacked : bsp->layout.length[lump];
}

/* Number of records of lumps whose codec is a function. */
static const struct {
    int lump;
    size_t offset, record,
        record_without; /* sizes in the file; record_without: without an ambient index */
} counted[] = {
    {LUMP_LEAFS, offsetof(struct bsp, leaves), 56, 0},
    {LUMP_LEAFAMBIENT, offsetof(struct bsp, ldr.ambient), 28, 24},
    {LUMP_LEAFAMBIENT_HDR, offsetof(struct bsp, hdr.ambient), 28, 24},
    {LUMP_TEXDATASTRINGTABLE, offsetof(struct bsp, texture_names), 4, 0},
    {LUMP_GAMELUMP, offsetof(struct bsp, game_lumps), 0, 0},
};

static int64_t count_of_function(const struct bsp *bsp, int lump, bool skipped)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        if (counted[i].lump != lump || bsp->format->codec->container != &container_vbsp)
            continue;
        if (bsp->format->ambient == AMBIENT_IN_LEAF && lump != LUMP_LEAFS && counted[i].record > 4)
            return 0; /* the samples are in the leaves */
        if (!skipped)
            return (int64_t)array_length((const unsigned char *)bsp + counted[i].offset);
        size_t record = counted[i].record;
        if (counted[i].record_without && bsp->format->ambient != AMBIENT_INDEXED)
            record = counted[i].record_without;
        return record ? stored_size(bsp, lump) / (int64_t)record : -1;
    }
    return -1;
}

int64_t bsp_lump_count(const struct bsp *bsp, int lump)
{
    bool skipped = bsp->skipped >> lump & 1;
    if (!bsp->format)
        return -1;
    const struct lump_codec *codec =
        codec_find(bsp->format->codec, lump, bsp->carried[lump].version);
    if (!codec || !codec->record)
        return codec ? count_of_function(bsp, lump, skipped) : -1;
    if (skipped)
        return stored_size(bsp, lump) / (int64_t)codec->record->file_size;
    return (int64_t)array_length((const unsigned char *)bsp + codec->offset);
}

struct bsp_lump_info bsp_lump_info(const struct bsp *bsp, int lump)
{
    const struct bsp_raw_lump *raw = &bsp->carried[lump];
    int64_t stored = stored_size(bsp, lump);
    return (struct bsp_lump_info){
        .name = bsp_lump_name(bsp->format, lump),
        .present = raw->present,
        .offset = bsp->layout.offset[lump],
        .length = bsp->layout.length[lump],
        .unpacked = stored != bsp->layout.length[lump] ? stored : 0,
        .version = raw->version,
        .count = bsp_lump_count(bsp, lump),
    };
}

bool lump_records_of(struct bsp *bsp, int lump, struct lump_records *out)
{
    const struct lump_codec *codec =
        codec_find(bsp->format->codec, lump, bsp->carried[lump].version);
    if (!codec || !codec->record)
        return false;
    *out = (struct lump_records){codec->record, (char *)bsp + codec->offset};
    return true;
}
