#include "common/bsp/lumps/detail_props.h"

#include "common/bsp/lumps/model_names.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"
#include "common/diag/codes/prop_lumps.def"

#define F(kind, member)    RECORD_FIELD(kind, detail_object, member)
#define A(kind, member, n) RECORD_ARRAY(kind, detail_object, member, n)

static const struct record_field sprite_fields[] = {
    RECORD_ARRAY(F32, detail_sprite, upper_left, 2),
    RECORD_ARRAY(F32, detail_sprite, lower_right, 2),
    RECORD_ARRAY(F32, detail_sprite, texture_upper_left, 2),
    RECORD_ARRAY(F32, detail_sprite, texture_lower_right, 2),
};
static const struct record_field object_fields[] = {
    A(F32, origin, 3),  A(F32, angles, 3),    F(U16, model),      F(U16, leaf),
    A(U8, light, 4),    F(I32, first_light),  F(U8, light_count), F(U8, sway),
    F(U8, shape_angle), F(U8, shape_size),    F(U8, orientation), A(U8, after_orientation, 3),
    F(U8, type),        A(U8, after_type, 3), F(F32, scale),
};
static const struct record_field light_fields[] = {
    RECORD_ARRAY(U8, detail_light, light, 4),
    RECORD_FIELD(U8, detail_light, style),
};

static const struct record sprite_record =
    RECORD("detail sprite", struct detail_sprite, 32, sprite_fields);
static const struct record object_record =
    RECORD("detail prop", struct detail_object, 52, object_fields);
static const struct record light_record =
    RECORD("detail prop lighting", struct detail_light, 5, light_fields);

/* Reads a count and returns the records after it, or NULL and sets `failed`. */
static const unsigned char *read_list(struct byte_reader *reader, const struct record *record,
                                      size_t *count)
{
    *count = read_u32(reader);
    if (*count > (reader->size - reader->at) / record->file_size)
        reader->failed = true;
    return read_block(reader, reader->failed ? 0 : *count * record->file_size);
}

static bool read_sprites(struct byte_reader *reader, struct detail_sprite **out)
{
    size_t count;
    const unsigned char *data = read_list(reader, &sprite_record, &count);
    if (data && count) {
        arrsetlen(*out, count);
        record_decode(&sprite_record, reader->order, data, count, *out);
    }
    return data;
}

static bool read_objects(struct byte_reader *reader, struct detail_object **out)
{
    size_t count;
    const unsigned char *data = read_list(reader, &object_record, &count);
    if (data && count) {
        arrsetlen(*out, count);
        record_decode(&object_record, reader->order, data, count, *out);
    }
    return data;
}

/* Fails unless the whole lump has been read. */
static enum status finish(const struct byte_reader *reader, bool fits, const char *what,
                          const struct diag_where *where, struct diag *diag)
{
    if (!fits)
        return diag_report(diag, DIAG_BSP_LUMP, where, "%s: lump too short for its counts", what);
    if (reader->at < reader->size)
        return diag_report(diag, DIAG_BSP_LUMP, where, "%s: %zu bytes left after the last record",
                           what, reader->size - reader->at);
    return STATUS_OK;
}

enum status detail_props_decode(const struct bytes *data, int version, enum byte_order order,
                                const struct diag_where *where, struct diag *diag,
                                struct detail_props *out)
{
    struct byte_reader reader = byte_reader(data->data, data->size);
    reader.order = order;
    if (version != DETAIL_PROPS_VERSION)
        return diag_report(diag, DIAG_PROPS_LAYOUT, where, "detail props of version %d", version);
    bool fits = model_names_read(&reader, &out->models) && read_sprites(&reader, &out->sprites) &&
                read_objects(&reader, &out->objects);
    enum status status = finish(&reader, fits, "detail props", where, diag);
    if (status != STATUS_OK)
        detail_props_free(out);
    return status;
}

static bool encode_all(const struct detail_props *props, struct bytes *out,
                       struct record_range_error *range_error)
{
    if (!model_names_write(props->models, out, range_error))
        return false;
    bytes_u32(out, (uint32_t)arrlenu(props->sprites));
    if (!record_encode(&sprite_record, props->sprites, arrlenu(props->sprites), out, range_error))
        return false;
    bytes_u32(out, (uint32_t)arrlenu(props->objects));
    return record_encode(&object_record, props->objects, arrlenu(props->objects), out, range_error);
}

bool detail_props_encode(const struct detail_props *props, enum byte_order order, struct bytes *out,
                         struct record_range_error *range_error)
{
    enum byte_order before = out->order;
    size_t size = out->size;
    out->order = order;
    bool fits = encode_all(props, out, range_error);
    out->order = before;
    if (!fits)
        out->size = size;
    return fits;
}

enum status detail_light_decode(const struct bytes *data, int version, enum byte_order order,
                                const struct diag_where *where, struct diag *diag,
                                struct detail_light **out)
{
    struct byte_reader reader = byte_reader(data->data, data->size);
    size_t count;
    reader.order = order;
    if (version != DETAIL_LIGHT_VERSION)
        return diag_report(diag, DIAG_PROPS_LAYOUT, where, "detail prop lighting of version %d",
                           version);
    const unsigned char *records = read_list(&reader, &light_record, &count);
    TRY(finish(&reader, records, "detail prop lighting", where, diag));
    if (count) {
        arrsetlen(*out, count);
        record_decode(&light_record, order, records, count, *out);
    }
    return STATUS_OK;
}

void detail_light_encode(const struct detail_light *lights, enum byte_order order,
                         struct bytes *out)
{
    enum byte_order before = out->order;
    struct record_range_error range_error; /* unused: all its fields are bytes */
    out->order = order;
    bytes_u32(out, (uint32_t)arrlenu(lights));
    (void)record_encode(&light_record, lights, arrlenu(lights), out, &range_error);
    out->order = before;
}

void detail_props_free(struct detail_props *props)
{
    model_names_free(props->models);
    arrfree(props->sprites);
    arrfree(props->objects);
    *props = (struct detail_props){0};
}
