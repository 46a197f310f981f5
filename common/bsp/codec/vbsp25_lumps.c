/* Lumps of VBSP 25 that are not plain arrays. */
#include "common/bsp/codec/vbsp25.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/rare_lumps.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"
#include "common/text/entities.h"

enum {
    NO_NEIGHBOUR = UINT16_MAX, /* in memory, as in files with 16 bits; in this one -1 */
    NO_HULL = UINT16_MAX,      /* likewise, as the size of a displacement's physics */
};

static int32_t narrow_neighbour(int32_t wide)
{
    return wide == -1 ? NO_NEIGHBOUR : wide;
}

static int32_t widen_neighbour(int32_t narrow)
{
    return narrow == NO_NEIGHBOUR ? -1 : narrow;
}

static void change_neighbours(struct bsp_displacement *displacement, int32_t (*change)(int32_t))
{
    for (int i = 0; i < DISP_EDGES; i++)
        for (int k = 0; k < 2; k++)
            displacement->edges[i][k].displacement = change(displacement->edges[i][k].displacement);
    for (int i = 0; i < DISP_CORNERS; i++)
        for (int k = 0; k < 4; k++)
            displacement->corners[i].displacements[k] =
                change(displacement->corners[i].displacements[k]);
}

enum status vbsp25_read_displacements(struct lump_reader *reader)
{
    struct bsp *bsp = reader->bsp;
    TRY(codec_read_array(reader, codec_find(reader->codec, reader->lump, reader->version)));
    for (size_t i = 0; i < arrlenu(bsp->displacements); i++)
        change_neighbours(&bsp->displacements[i], narrow_neighbour);
    return STATUS_OK;
}

bool vbsp25_write_displacements(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    bool fit = true;
    for (size_t i = 0; i < arrlenu(bsp->displacements) && fit; i++) {
        struct bsp_displacement wide = bsp->displacements[i];
        change_neighbours(&wide, widen_neighbour);
        fit =
            record_encode(&vbsp25_displacement_record, &wide, 1, writer->out, &writer->range_error);
    }
    return fit;
}

/* A count and sizes of 32 bits, then the hulls; in memory they have 16 bits. */
enum status vbsp25_read_displacement_physics(struct lump_reader *reader)
{
    struct bytes *out = &reader->bsp->displacement_physics;
    struct byte_reader *data = &reader->data;
    if (!data->size)
        return STATUS_OK;
    uint32_t count = read_u32(data);
    if (data->failed || count >= UINT16_MAX || count > (data->size - data->at) / sizeof count)
        return codec_fail(reader, DIAG_BSP_LUMP, "too short for its list (sizes), or too long");
    bytes_u16(out, (uint16_t)count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = read_u32(data);
        if (size != UINT32_MAX && size >= NO_HULL)
            return codec_fail(reader, DIAG_BSP_LUMP, "hull %u has %u bytes; at most %d are read", i,
                              size, NO_HULL - 1);
        bytes_u16(out, size == UINT32_MAX ? NO_HULL : (uint16_t)size);
    }
    bytes_append(out, data->data + data->at, data->size - data->at);
    return STATUS_OK;
}

bool vbsp25_write_displacement_physics(struct lump_writer *writer)
{
    const struct bytes *blob = &writer->bsp->displacement_physics;
    struct byte_reader data = byte_reader(blob->data, blob->size);
    if (!blob->size)
        return true; /* their hulls are in the world's physics */
    uint32_t count = read_u16(&data);
    bytes_u32(writer->out, count);
    for (uint32_t i = 0; i < count && data.size - data.at >= 2; i++) {
        uint16_t size = read_u16(&data);
        bytes_u32(writer->out, size == NO_HULL ? UINT32_MAX : size);
    }
    if (data.at < data.size)
        bytes_append(writer->out, data.data + data.at, data.size - data.at);
    return true;
}

enum status vbsp25_read_tinted_overlays(struct lump_reader *reader)
{
    const struct lump_codec *lump = codec_find(reader->codec, reader->lump, reader->version);
    const size_t size = lump->record->file_size, bare = vbsp25_overlay_record.file_size;
    struct bsp *bsp = reader->bsp;
    struct byte_reader *data = &reader->data;
    if (data->size % size)
        return codec_fail(reader, DIAG_BSP_LUMP, "%zu bytes, not a multiple of %zu", data->size,
                          size);
    size_t count = data->size / size;
    struct bsp_overlay *overlays = array_make(&bsp->overlays, count, sizeof *overlays);
    struct bsp_overlay_tint *tints =
        array_make(&bsp_rare(bsp)->overlay_tints, count, sizeof *tints);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = data->data + i * size;
        record_decode(&vbsp25_overlay_record, data->order, at, 1, &overlays[i]);
        memcpy(tints[i].rgba, at + bare, sizeof tints[i].rgba);
    }
    return STATUS_OK;
}

bool vbsp25_write_tinted_overlays(struct lump_writer *writer)
{
    static const struct bsp_overlay_tint white = OVERLAY_NO_TINT;
    const struct bsp *bsp = writer->bsp;
    const struct bsp_overlay_tint *tints = bsp_rare(bsp)->overlay_tints;
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++) {
        const struct bsp_overlay_tint *tint = i < arrlenu(tints) ? &tints[i] : &white;
        if (!record_encode(&vbsp25_overlay_record, &bsp->overlays[i], 1, writer->out,
                           &writer->range_error))
            return false;
        bytes_append(writer->out, tint->rgba, sizeof tint->rgba);
    }
    return true;
}

enum status vbsp25_read_entities(struct lump_reader *reader)
{
    TRY(vbsp_read_entities(reader));
    char *text = reader->bsp->entities;
    const size_t size = entity_quotes_join(text, arrlenu(text)); /* once: arrsetlen is a macro */
    arrsetlen(reader->bsp->entities, size);
    return STATUS_OK;
}

bool vbsp25_write_entities(struct lump_writer *writer)
{
    const char *text = writer->bsp->entities;
    for (size_t i = 0; i < arrlenu(text); i++) {
        const char quote[2] = {'\\', '"'};
        bool escape = text[i] == ENTITY_QUOTE;
        bytes_append(writer->out, escape ? quote : &text[i], escape ? sizeof quote : 1);
    }
    if (arrlenu(text))
        bytes_u8(writer->out, 0);
    return true;
}

enum status vbsp25_read_carried(struct lump_reader *reader)
{
    codec_read_blob(reader, &reader->bsp->carried[reader->lump].data);
    return STATUS_OK;
}

bool vbsp25_write_carried(struct lump_writer *writer)
{
    const struct bytes *data = &writer->bsp->carried[writer->lump].data;
    bytes_append(writer->out, data->data, data->size);
    return true;
}
