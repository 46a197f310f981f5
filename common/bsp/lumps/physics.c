/* Lumps 28 and 29 as lists, without decoding the hulls. */
#include "common/bsp/lumps/physics.h"

#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"

enum {
    SIZE_FIELD = 4,
    TERMINATOR = -1,
    NO_HULL = 0xffff,
};

/* A copy without spare capacity: a lump may have very many small ones. */
static struct bytes copy_of(const unsigned char *data, size_t size)
{
    struct bytes copy = {0};
    if (size) {
        copy.data = memory_alloc(size);
        memcpy(copy.data, data, size);
        copy.size = copy.capacity = size;
    }
    return copy;
}

static struct bytes take_rest(struct byte_reader *reader)
{
    size_t size = reader->size - reader->at;
    return copy_of(read_block(reader, size), size);
}

/* Reads a block preceded by its size. */
static const unsigned char *read_sized(struct byte_reader *reader, size_t *size)
{
    int32_t stored = read_i32(reader);
    if (stored < 0)
        reader->failed = true;
    *size = stored < 0 ? 0 : (size_t)stored;
    return read_block(reader, *size);
}

static enum status read_solids(struct byte_reader *reader, int32_t count,
                               const struct diag_where *where, struct diag *diag,
                               struct physics_model *model)
{
    for (int32_t i = 0; i < count; i++) {
        size_t size;
        const unsigned char *data = read_sized(reader, &size);
        if (!data)
            return diag_report(diag, DIAG_BSP_LUMP, where,
                               "physics of model %d: lump ends in solid %d of %d", model->index, i,
                               count);
        arrput(model->solids, copy_of(data, size));
    }
    return STATUS_OK;
}

static enum status read_terminator(struct byte_reader *reader, const struct diag_where *where,
                                   struct diag *diag, struct physics *out)
{
    int32_t data_size = read_i32(reader), text_size = read_i32(reader), count = read_i32(reader);
    if (reader->failed || data_size != TERMINATOR || text_size || count)
        return diag_report(diag, DIAG_BSP_LUMP, where, "invalid end record of the physics");
    out->rest = take_rest(reader);
    out->present = true;
    return STATUS_OK;
}

static enum status read_model(struct byte_reader *reader, int32_t index,
                              const struct diag_where *where, struct diag *diag,
                              struct physics_model *model)
{
    int32_t data_size = read_i32(reader), text_size = read_i32(reader), count = read_i32(reader);
    model->index = index;
    if (reader->failed || index < 0 || data_size < 0 || text_size < 0 || count < 0)
        return diag_report(diag, DIAG_BSP_LUMP, where, "physics of model %d: invalid header",
                           index);
    size_t start = reader->at;
    TRY(read_solids(reader, count, where, diag, model));
    if (reader->at - start != (size_t)data_size)
        return diag_report(diag, DIAG_BSP_LUMP, where,
                           "physics of model %d: %d solids of %zu bytes, but the header states %d",
                           index, count, reader->at - start, data_size);
    const unsigned char *text = read_block(reader, (size_t)text_size);
    if (!text)
        return diag_report(diag, DIAG_BSP_LUMP, where, "physics of model %d: lump ends in the text",
                           index);
    model->text = copy_of(text, (size_t)text_size);
    return STATUS_OK;
}

static void free_model(struct physics_model *model)
{
    for (size_t i = 0; i < arrlenu(model->solids); i++)
        bytes_free(&model->solids[i]);
    arrfree(model->solids);
    bytes_free(&model->text);
}

void physics_free(struct physics *physics)
{
    for (size_t i = 0; i < arrlenu(physics->models); i++)
        free_model(&physics->models[i]);
    arrfree(physics->models);
    bytes_free(&physics->rest);
    *physics = (struct physics){0};
}

static enum status read_models(struct byte_reader *reader, const struct diag_where *where,
                               struct diag *diag, struct physics *out)
{
    while (!out->present) {
        int32_t index = read_i32(reader);
        if (reader->failed)
            return diag_report(diag, DIAG_BSP_LUMP, where, "physics without an end record");
        if (index == TERMINATOR)
            return read_terminator(reader, where, diag, out);
        struct physics_model model = {0};
        enum status status = read_model(reader, index, where, diag, &model);
        arrput(out->models, model);
        TRY(status);
    }
    return STATUS_OK;
}

enum status physics_decode(const struct bytes *lump, const struct diag_where *where,
                           struct diag *diag, struct physics *out)
{
    struct byte_reader reader = byte_reader(lump->data, lump->size);
    *out = (struct physics){0};
    if (!lump->size)
        return STATUS_OK;
    enum status status = read_models(&reader, where, diag, out);
    if (status != STATUS_OK)
        physics_free(out);
    return status;
}

static void write_model(const struct physics_model *model, struct bytes *out)
{
    size_t size = 0;
    for (size_t i = 0; i < arrlenu(model->solids); i++)
        size += SIZE_FIELD + model->solids[i].size;
    bytes_i32(out, model->index);
    bytes_u32(out, (uint32_t)size);
    bytes_u32(out, (uint32_t)model->text.size);
    bytes_u32(out, (uint32_t)arrlenu(model->solids));
    for (size_t i = 0; i < arrlenu(model->solids); i++) {
        bytes_u32(out, (uint32_t)model->solids[i].size);
        bytes_append(out, model->solids[i].data, model->solids[i].size);
    }
    bytes_append(out, model->text.data, model->text.size);
}

void physics_encode(const struct physics *physics, struct bytes *out)
{
    enum byte_order order = out->order;
    if (!physics->present)
        return;
    out->order = ORDER_LITTLE;
    for (size_t i = 0; i < arrlenu(physics->models); i++)
        write_model(&physics->models[i], out);
    bytes_i32(out, TERMINATOR);
    bytes_i32(out, TERMINATOR);
    bytes_i32(out, 0);
    bytes_i32(out, 0);
    bytes_append(out, physics->rest.data, physics->rest.size);
    out->order = order;
}

enum status physics_text_blocks(const struct physics_model *model, const char *name,
                                struct arena *arena, struct diag *diag, struct kv **out)
{
    const char *text = model->text.size ? (const char *)model->text.data : "";
    const char *end = memchr(text, '\0', model->text.size);
    size_t size = end ? (size_t)(end - text) : model->text.size;
    return kv_parse(text, size, name, KV_LENIENT, arena, diag, out);
}

static bool read_hulls(struct byte_reader *reader, struct physics_displacements *out)
{
    size_t count = read_u16(reader);
    const unsigned char *sizes = read_block(reader, count * 2);
    for (size_t i = 0; sizes && i < count; i++) {
        uint16_t size = load_u16(sizes + 2 * i);
        struct physics_displacement item = {.none = size == NO_HULL};
        const unsigned char *hull = read_block(reader, item.none ? 0 : size);
        if (!hull)
            return false;
        item.hull = copy_of(hull, item.none ? 0 : size);
        arrput(out->items, item);
    }
    return sizes != NULL;
}

enum status physics_displacements_decode(const struct bytes *lump, const struct diag_where *where,
                                         struct diag *diag, struct physics_displacements *out)
{
    struct byte_reader reader = byte_reader(lump->data, lump->size);
    *out = (struct physics_displacements){0};
    if (!lump->size)
        return STATUS_OK;
    if (!read_hulls(&reader, out)) {
        size_t read = arrlenu(out->items);
        physics_displacements_free(out);
        return diag_report(diag, DIAG_BSP_LUMP, where,
                           "displacement physics ends at displacement %zu", read);
    }
    out->rest = take_rest(&reader);
    out->present = true;
    return STATUS_OK;
}

void physics_displacements_free(struct physics_displacements *physics)
{
    for (size_t i = 0; i < arrlenu(physics->items); i++)
        bytes_free(&physics->items[i].hull);
    arrfree(physics->items);
    bytes_free(&physics->rest);
    *physics = (struct physics_displacements){0};
}
