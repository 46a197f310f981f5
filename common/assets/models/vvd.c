#include "common/assets/models/vvd.h"
#include "common/diag/codes/source_models.def"

#include <math.h>

enum {
    VVD_ID = 0x56534449, /* "IDSV" */
    VERSION = 4,
    HEADER = 64,
    FIXUP = 12,
    VERTEX = 48,
    TANGENT = 16,
    LODS = 8,
};

/* The lists of a file: one of each per vertex. */
struct stored {
    const unsigned char *vertices, *tangents; /* tangents: or NULL */
    int64_t count;
};

static bool read_vertex(const unsigned char *from, struct model_vertex *out)
{
    for (size_t i = 0; i < 3; i++) {
        out->p[i] = load_f32(from + 16 + 4 * i);
        out->normal[i] = load_f32(from + 28 + 4 * i);
        if (!isfinite(out->p[i]))
            return false;
    }
    out->uv[0] = load_f32(from + 40);
    out->uv[1] = load_f32(from + 44);
    return true;
}

static void read_tangent(const unsigned char *from, struct model_tangent *out)
{
    for (size_t i = 0; i < 4; i++)
        out->p[i] = load_f32(from + 4 * i);
}

/* Appends `count` stored vertices from number `first` on. */
static bool append(const struct stored *stored, int64_t first, int64_t count, uint8_t coarsest,
                   struct vvd *out)
{
    int64_t have = stored->count, room = have - out->count;
    if (first < 0 || count < 0 || first > have || count > have - first || count > room)
        return false;
    for (int64_t i = first; i < first + count; i++) {
        out->coarsest[out->count] = coarsest;
        if (out->tangents)
            read_tangent(stored->tangents + i * TANGENT, &out->tangents[out->count]);
        if (!read_vertex(stored->vertices + i * VERTEX, &out->vertices[out->count++]))
            return false;
    }
    return true;
}

/* A file whose tangents are cut off is read without them: light and shadows do not need any. */
static const unsigned char *find_tangents(const struct bytes *file, int64_t count)
{
    int64_t size = (int64_t)file->size, start = (int32_t)load_u32(file->data + 60);
    return start >= HEADER && start <= size && count <= (size - start) / TANGENT
               ? file->data + start
               : NULL;
}

/* Without fixups the vertices of a LOD are the first ones of the array. */
static void find_coarsest(const unsigned char *lod_counts, struct vvd *out)
{
    for (int lod = 1; lod < out->lods; lod++) {
        int64_t count = (int32_t)load_u32(lod_counts + 4 * (size_t)lod);
        for (int64_t i = 0; i < count && i < out->count; i++)
            out->coarsest[i] = (uint8_t)lod;
    }
}

static uint8_t lod_of_fixup(const unsigned char *fixup)
{
    uint32_t lod = load_u32(fixup);
    return lod < LODS ? (uint8_t)lod : LODS - 1;
}

static const char *read_vertices(const struct bytes *file, struct arena *arena, struct vvd *out)
{
    const unsigned char *data = file->data;
    int64_t size = (int64_t)file->size;
    int64_t count = (int32_t)load_u32(data + 16), start = (int32_t)load_u32(data + 56);
    int64_t fixups = (int32_t)load_u32(data + 48), table = (int32_t)load_u32(data + 52);
    if (out->lods < 1 || out->lods > LODS)
        return "LOD count";
    if (count < 0 || start < 0 || start > size || count > (size - start) / VERTEX)
        return "vertex list";
    if (fixups < 0 || (fixups && (table < 0 || table > size || fixups > (size - table) / FIXUP)))
        return "fixup list";
    out->vertices = ARENA_ARRAY(arena, struct model_vertex, (size_t)count);
    out->coarsest = ARENA_ARRAY(arena, uint8_t, (size_t)count);
    const struct stored stored = {data + start, find_tangents(file, count), count};
    if (stored.tangents)
        out->tangents = ARENA_ARRAY(arena, struct model_tangent, (size_t)count);
    if (!fixups && !append(&stored, 0, count, 0, out))
        return "vertex";
    if (!fixups)
        find_coarsest(data + 16, out);
    for (int64_t i = 0; i < fixups; i++) {
        const unsigned char *fixup = data + table + i * FIXUP;
        if (!append(&stored, (int32_t)load_u32(fixup + 4), (int32_t)load_u32(fixup + 8),
                    lod_of_fixup(fixup), out))
            return "fixup or vertex";
    }
    return out->count == count ? NULL : "fixup list";
}

enum status vvd_decode(const struct bytes *file, const struct diag_where *where, struct diag *diag,
                       struct arena *arena, struct vvd *out)
{
    *out = (struct vvd){0};
    if (file->size < HEADER || load_u32(file->data) != VVD_ID ||
        load_u32(file->data + 4) != VERSION)
        return diag_report(diag, DIAG_MODEL_BROKEN, where,
                           "not a VVD file of version %d (%zu bytes)", VERSION, file->size);
    out->checksum = load_u32(file->data + 8);
    out->lods = (int32_t)load_u32(file->data + 12);
    const char *wrong = read_vertices(file, arena, out);
    if (!wrong)
        return STATUS_OK;
    *out = (struct vvd){0};
    return diag_report(diag, DIAG_MODEL_BROKEN, where, "corrupt %s", wrong);
}
