#include "common/assets/models/mesh_build.h"

#include "common/assets/assets.h"
#include "common/core/array.h"
#include "common/core/random.h"
#include "common/core/strings.h"
#include "common/diag/codes/mesh_models.def"

struct mesh_builder_part {
    const char *shader;
    struct mesh_vertex *vertices; /* stb_ds array */
    int32_t *indices;             /* stb_ds array */
    int32_t *slots, *next;        /* stb_ds arrays: chains of vertices by their hash */
};

static uint64_t hash_vertex(const struct mesh_vertex *vertex)
{
    const double values[] = {vertex->p.x,        vertex->p.y,       vertex->p.z,
                             vertex->normal.x,   vertex->normal.y,  vertex->normal.z,
                             vertex->texture[0], vertex->texture[1]};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double value = values[i] + 0.0; /* -0 becomes 0 */
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = hash_pair(hash, bits);
    }
    return hash;
}

static bool vertices_equal(const struct mesh_vertex *a, const struct mesh_vertex *b)
{
    return !(vec3_distance(a->p, b->p) > 0) && !(vec3_distance(a->normal, b->normal) > 0) &&
           !(fabs(a->texture[0] - b->texture[0]) > 0) &&
           !(fabs(a->texture[1] - b->texture[1]) > 0) &&
           !memcmp(a->colour, b->colour, sizeof a->colour);
}

static void link_vertex(struct mesh_builder_part *part, int32_t vertex)
{
    size_t mask = arrlenu(part->slots) - 1;
    int32_t *slot = &part->slots[(size_t)hash_vertex(&part->vertices[vertex]) & mask];
    part->next[vertex] = *slot;
    *slot = vertex;
}

static void grow_slots(struct mesh_builder_part *part)
{
    size_t count = arrlenu(part->slots) ? 2 * arrlenu(part->slots) : 64;
    arrsetlen(part->slots, 0);
    for (size_t i = 0; i < count; i++)
        arrput(part->slots, -1);
    for (size_t i = 0; i < arrlenu(part->vertices); i++)
        link_vertex(part, (int32_t)i);
}

static int32_t find_vertex(struct mesh_builder_part *part, const struct mesh_vertex *vertex)
{
    if (arrlenu(part->vertices) >= arrlenu(part->slots))
        grow_slots(part);
    size_t slot = (size_t)hash_vertex(vertex) & (arrlenu(part->slots) - 1);
    for (int32_t i = part->slots[slot]; i >= 0; i = part->next[i])
        if (vertices_equal(&part->vertices[i], vertex))
            return i;
    int32_t made = (int32_t)arrlen(part->vertices);
    arrput(part->vertices, *vertex);
    arrput(part->next, -1);
    link_vertex(part, made);
    return made;
}

/* Files repeat the same shader many times in a row, and have few shaders otherwise. */
static struct mesh_builder_part *find_part(struct mesh_builder *builder, const char *shader)
{
    for (size_t i = arrlenu(builder->parts); i-- > 0;)
        if (!strcmp(builder->parts[i].shader, shader))
            return &builder->parts[i];
    arrput(builder->parts, ((struct mesh_builder_part){.shader = shader}));
    return &arrlast(builder->parts);
}

void mesh_builder_add(struct mesh_builder *builder, struct mesh_triangle *triangles, size_t count)
{
    mesh_normals_settle(triangles, count, &builder->normals);
    for (size_t i = 0; i < count; i++) {
        struct mesh_builder_part *part = find_part(builder, triangles[i].shader);
        for (int k = 0; k < 3; k++)
            arrput(part->indices, find_vertex(part, &triangles[i].corners[k]));
    }
}

static void *arena_take_copy(struct arena *arena, const void *from, size_t count, size_t size)
{
    void *copy = arena_alloc(arena, count ? count : 1, size);
    if (count)
        memcpy(copy, from, count * size);
    return copy;
}

void mesh_builder_finish(struct mesh_builder *builder, struct arena *arena, struct mesh_model *out)
{
    size_t count = arrlenu(builder->parts);
    *out =
        (struct mesh_model){.frames = 1, .part_count = (int32_t)count, .normals = builder->normals};
    out->parts = ARENA_ARRAY(arena, struct mesh_part, count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        struct mesh_builder_part *from = &builder->parts[i];
        out->parts[i] = (struct mesh_part){
            .name = "",
            .shader = from->shader,
            .vertices = arena_take_copy(arena, from->vertices, arrlenu(from->vertices),
                                        sizeof *from->vertices),
            .indices = arena_take_copy(arena, from->indices, arrlenu(from->indices),
                                       sizeof *from->indices),
            .vertex_count = (int32_t)arrlen(from->vertices),
            .index_count = (int32_t)arrlen(from->indices)};
        arrfree(from->vertices);
        arrfree(from->indices);
        arrfree(from->slots);
        arrfree(from->next);
    }
    arrfree(builder->parts);
    builder->parts = NULL;
}

const char *mesh_shader_name(struct arena *arena, const char *text, size_t length)
{
    char *name = arena_strndup(arena, text, length);
    char *dot = NULL;
    for (char *at = name; *at; at++) {
        if (*at == '\\')
            *at = '/';
        if (*at == '/')
            dot = NULL;
        else if (*at == '.')
            dot = at;
    }
    if (dot)
        *dot = 0;
    return name;
}

enum status mesh_invalid(struct diag *diag, const struct diag_where *where, const char *what)
{
    return diag_report(diag, DIAG_MESH_MODEL_BROKEN, where, "%s", what);
}

enum {
    NOTED_PART = 20 /* of the corners */
};

/* Entities load the same model again and again. */
static bool is_noted(const struct diag *diag, int code, const char *name)
{
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        if (entry->code == code && !strcmp(entry->where.file, name))
            return true;
    }
    return false;
}

/* A few corners are rounding of an exporter, or thin ends of shapes; of those nothing is said. */
static void note_normals(struct diag *diag, const char *name,
                         const struct mesh_normal_counts *counts)
{
    if (counts->contradicting > counts->judged / NOTED_PART &&
        !is_noted(diag, DIAG_MESH_MODEL_NORMALS, name))
        diag_report(diag, DIAG_MESH_MODEL_NORMALS, &(struct diag_where){.file = name},
                    "%d of %d corners of triangles", counts->contradicting, counts->judged);
}

static void note_losses(struct diag *diag, const char *name, const struct mesh_losses *losses)
{
    const struct diag_where where = {.file = name};
    if (losses->patches + losses->others && !is_noted(diag, DIAG_MESH_MODEL_PARTS, name))
        diag_report(diag, DIAG_MESH_MODEL_PARTS, &where,
                    "%d subdivision patches, %d curves, metaballs or bones", losses->patches,
                    losses->others);
    if (losses->without_texture && !is_noted(diag, DIAG_MESH_MODEL_TEXTURE, name))
        diag_report(diag, DIAG_MESH_MODEL_TEXTURE, &where, "%d of %d corners of polygons",
                    losses->without_texture, losses->corners);
}

enum status mesh_model_decode(const struct bytes *file, const char *name, int frame,
                              const struct diag_where *where, struct diag *diag,
                              struct arena *arena, struct mesh_model *out)
{
    enum status status = STATUS_FAILED;
    *out = (struct mesh_model){0};
    if (str_ends_nocase(name, ".md3"))
        status = md3_decode(file, frame, where, diag, arena, out);
    else if (str_ends_nocase(name, ".ase"))
        status = ase_decode(file, where, diag, arena, out);
    else if (str_ends_nocase(name, ".obj"))
        status = obj_decode(file, where, diag, arena, out);
    else if (str_ends_nocase(name, ".lwo"))
        status = lwo_decode(file, where, diag, arena, out);
    else
        (void)diag_report(diag, DIAG_MESH_MODEL_KIND, where, "%s", name);
    if (status == STATUS_OK)
        note_normals(diag, name, &out->normals);
    if (status == STATUS_OK)
        note_losses(diag, name, &out->losses);
    return status;
}

/* A shader without a path is beside the model. */
static void complete_shaders(struct arena *arena, const char *name, struct mesh_model *model)
{
    const char *slash = strrchr(name, '/');
    for (int32_t i = 0; slash && i < model->part_count; i++) {
        const char *shader = model->parts[i].shader;
        if (*shader && !strchr(shader, '/'))
            model->parts[i].shader =
                arena_printf(arena, "%.*s%s", (int)(slash + 1 - name), name, shader);
    }
}

enum mesh_model_found mesh_model_load_drawn(struct assets *assets, const char *name, int frame,
                                            const struct diag_where *where, struct diag *diag,
                                            struct arena *arena, struct mesh_model *out)
{
    struct bytes file = {0};
    *out = (struct mesh_model){0};
    if (!assets_read(assets, name, &file))
        return MESH_MODEL_MISSING;
    struct diag_where at = where ? *where : (struct diag_where){0};
    at.file = name;
    at.line = 0;
    enum status status = mesh_model_decode(&file, name, frame, &at, diag, arena, out);
    bytes_free(&file);
    return status == STATUS_OK ? MESH_MODEL_LOADED : MESH_MODEL_BROKEN;
}

enum mesh_model_found mesh_model_load(struct assets *assets, const char *name, int frame,
                                      const struct diag_where *where, struct diag *diag,
                                      struct arena *arena, struct mesh_model *out)
{
    const enum mesh_model_found found =
        mesh_model_load_drawn(assets, name, frame, where, diag, arena, out);
    complete_shaders(arena, name, out);
    return found;
}

const char *mesh_model_shader(struct arena *arena, const char *text)
{
    return mesh_shader_name(arena, text, strlen(text));
}
