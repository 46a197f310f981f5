#include "common/assets/models/mesh_build.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"

enum {
    MD3_ID = 0x33504449, /* "IDP3" */
    VERSION = 15,
    HEADER = 108,
    FRAME = 56,
    SURFACE = 108,
    SHADER = 68,
    VERTEX = 8,
    NAME = 64,
    /* offsets in the header, and in the head of a surface */
    SURFACE_COUNT = 84,
    SURFACES = 100,
    SHADER_COUNT = 76,
    SHADERS = 92,
    SURFACE_END = 104,
};

struct reader {
    const unsigned char *data;
    size_t size;
    struct arena *arena;
    int frame;
};

static int32_t i32_at(const struct reader *reader, size_t at)
{
    return (int32_t)load_u32(reader->data + at);
}

/* Returns true when all records lie between base + offset and the end; *out is their offset. */
static bool find_records(const struct reader *reader, size_t base, size_t offset_at, int64_t count,
                         size_t record, size_t *out)
{
    int64_t at = (int64_t)base + i32_at(reader, base + offset_at);
    if (count < 0 || at < 0 || at > (int64_t)reader->size ||
        count > ((int64_t)reader->size - at) / (int64_t)record)
        return false;
    *out = (size_t)at;
    return true;
}

static const char *text_at(const struct reader *reader, size_t at)
{
    const char *text = (const char *)reader->data + at;
    return arena_strndup(reader->arena, text, strnlen(text, NAME));
}

static struct vec3 normal_of(unsigned packed)
{
    const double step = 0.024543692606170259; /* pi / 128 */
    double a = (packed >> 8) * step, b = (packed & 255) * step;
    return vec3(portable_cos(a) * portable_sin(b), portable_sin(a) * portable_sin(b),
                portable_cos(b));
}

static void read_vertex(const struct reader *reader, size_t at, size_t texture_at,
                        struct mesh_vertex *out)
{
    const unsigned char *p = reader->data + at;
    for (int k = 0; k < 3; k++)
        out->p.e[k] = (int16_t)load_u16(p + 2 * k) / 64.0;
    out->normal = normal_of(load_u16(p + 6));
    for (size_t k = 0; k < 2; k++) {
        float value = load_f32(reader->data + texture_at + 4 * k);
        out->texture[k] = isfinite(value) ? (double)value : 0;
    }
    memset(out->colour, 255, sizeof out->colour);
}

static bool read_triangles(const struct reader *reader, size_t at, struct mesh_part *out)
{
    out->indices = ARENA_ARRAY(reader->arena, int32_t, (size_t)out->index_count + 1);
    for (int32_t i = 0; i < out->index_count; i++) {
        out->indices[i] = i32_at(reader, at + 4 * (size_t)i);
        if (out->indices[i] < 0 || out->indices[i] >= out->vertex_count)
            return false;
    }
    return true;
}

/* Uses the first shader; if it is empty, the surface's name. */
static bool read_shader(const struct reader *reader, size_t base, struct mesh_part *out)
{
    int32_t count = i32_at(reader, base + 76);
    size_t at;
    out->name = text_at(reader, base + 4);
    out->shader = "";
    if (!find_records(reader, base, 92, count, SHADER, &at))
        return false;
    if (count > 0)
        out->shader = text_at(reader, at);
    if (!*out->shader)
        out->shader = out->name;
    out->shader = mesh_shader_name(reader->arena, out->shader, strlen(out->shader));
    return true;
}

static bool read_surface(const struct reader *reader, size_t base, struct mesh_part *out)
{
    int32_t frames = i32_at(reader, base + 72), vertices = i32_at(reader, base + 80);
    int32_t triangles = i32_at(reader, base + 84);
    size_t triangles_at, texture_at, vertices_at;
    if (load_u32(reader->data + base) != MD3_ID || frames < 1 || triangles > INT32_MAX / 3)
        return false;
    if (!find_records(reader, base, 88, triangles, 12, &triangles_at) ||
        !find_records(reader, base, 96, vertices, 8, &texture_at) ||
        !find_records(reader, base, 100, (int64_t)frames * vertices, VERTEX, &vertices_at))
        return false;
    if (!read_shader(reader, base, out))
        return false;
    out->vertex_count = vertices;
    out->index_count = 3 * triangles;
    if (!read_triangles(reader, triangles_at, out))
        return false;
    size_t frame = reader->frame >= 0 && reader->frame < frames ? (size_t)reader->frame : 0;
    out->vertices = ARENA_ARRAY(reader->arena, struct mesh_vertex, (size_t)vertices + 1);
    for (size_t i = 0; i < (size_t)vertices; i++)
        read_vertex(reader, vertices_at + (frame * (size_t)vertices + i) * VERTEX,
                    texture_at + 8 * i, &out->vertices[i]);
    return true;
}

/* Vertices are shared by triangles: those of one vertex keep or lose its normal together. */
static void settle_normals(struct mesh_part *part, struct mesh_normal_counts *counts)
{
    size_t count = (size_t)part->index_count / 3;
    struct mesh_triangle *triangles = memory_zalloc(count + 1, sizeof *triangles);
    for (size_t i = 0; i < 3 * count; i++) {
        triangles[i / 3].points[i % 3] = part->indices[i];
        triangles[i / 3].corners[i % 3] = part->vertices[part->indices[i]];
    }
    mesh_normals_settle(triangles, count, counts);
    for (size_t i = 0; i < 3 * count; i++)
        part->vertices[part->indices[i]].normal = triangles[i / 3].corners[i % 3].normal;
    memory_free(triangles);
}

/* Surfaces may overlap in a malicious file: the sum of their contents is limited by the file's
 * size. */
static bool is_modest(const struct mesh_part *part, size_t *left)
{
    size_t bytes = (size_t)part->vertex_count * VERTEX + (size_t)part->index_count * 4;
    if (bytes > *left)
        return false;
    *left -= bytes;
    return true;
}

static const char *read_surfaces(const struct reader *reader, struct mesh_model *out)
{
    size_t at, left = 2 * reader->size;
    int32_t count = i32_at(reader, 84);
    if (!find_records(reader, 0, 100, count, SURFACE, &at))
        return "surfaces outside of the file";
    out->parts = ARENA_ARRAY(reader->arena, struct mesh_part, (size_t)count + 1);
    for (int32_t i = 0; i < count; i++) {
        int64_t next;
        if (at > reader->size || reader->size - at < SURFACE)
            return "surface outside of the file";
        if (!read_surface(reader, at, &out->parts[i]) || !is_modest(&out->parts[i], &left))
            return "surface with counts or offsets out of range";
        settle_normals(&out->parts[i], &out->normals);
        out->part_count++;
        next = i32_at(reader, at + 104);
        if (next < SURFACE || next > (int64_t)reader->size)
            return "surface with an invalid end";
        at += (size_t)next;
    }
    return NULL;
}

enum status md3_decode(const struct bytes *file, int frame, const struct diag_where *where,
                       struct diag *diag, struct arena *arena, struct mesh_model *out)
{
    struct reader reader = {file->data, file->size, arena, frame};
    size_t frames_at;
    *out = (struct mesh_model){0};
    if (file->size < HEADER || load_u32(file->data) != MD3_ID)
        return mesh_invalid(diag, where, "not an MD3 file");
    if (i32_at(&reader, 4) != VERSION)
        return mesh_invalid(diag, where, "not an MD3 of version 15");
    out->frames = i32_at(&reader, 76);
    if (out->frames < 1 || !find_records(&reader, 0, 92, out->frames, FRAME, &frames_at))
        return mesh_invalid(diag, where, "frames outside of the file");
    const char *wrong = read_surfaces(&reader, out);
    return wrong ? mesh_invalid(diag, where, wrong) : STATUS_OK;
}

/* Reads the shaders of the surface at `at`; returns its end, or 0 when it is invalid. */
static size_t read_shaders(const struct bytes *model, size_t at, struct arena *arena,
                           const char ***out)
{
    const unsigned char *surface = model->data + at;
    uint64_t count = load_u32(surface + SHADER_COUNT);
    uint64_t shaders = at + (uint64_t)load_u32(surface + SHADERS);
    uint64_t end = load_u32(surface + SURFACE_END);
    for (uint64_t i = 0; i < count && shaders + (i + 1) * SHADER <= model->size; i++) {
        const char *name = (const char *)model->data + shaders + i * SHADER;
        if (*name)
            arrput(*out, arena_strndup(arena, name, strnlen(name, NAME)));
    }
    return end >= SURFACE ? at + (size_t)end : 0;
}

const char **md3_shaders(const struct bytes *model, struct arena *arena)
{
    const char **shaders = NULL;
    if (model->size < HEADER || memcmp(model->data, "IDP3", 4) != 0)
        return NULL;
    uint32_t count = load_u32(model->data + SURFACE_COUNT);
    size_t at = load_u32(model->data + SURFACES);
    for (uint32_t i = 0; i < count && at && at <= model->size && model->size - at >= SURFACE; i++)
        at = read_shaders(model, at, arena, &shaders);
    return shaders;
}
