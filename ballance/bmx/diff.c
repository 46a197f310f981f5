#include "ballance/bmx/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ballance/bmx/names.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"

struct differ {
    const struct bmx *a, *b;
    const struct bmx_diff_options *options;
    bmx_diff_visit *visit;
    void *context;
    size_t count;
    struct arena arena; /* reset after each pair */
    const char *path;   /* "objects/Cube" */
};

/* A block with its name. */
struct named {
    const struct bmx_text *name;
    size_t block;
};

static void differ_at(struct differ *differ, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void differ_at(struct differ *differ, const char *field, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&differ->arena, format, args);
    va_end(args);
    const char *where =
        arena_printf(&differ->arena, "%s%s%s", differ->path, *field ? "/" : "", field);
    differ->count++;
    differ->visit(differ->context, where, text);
}

static bool same_float(const struct differ *differ, const float *a, const float *b)
{
    double x = (double)*a, y = (double)*b, tolerance = differ->options->tolerance;
    uint32_t bits_a, bits_b; /* a NaN equals itself */
    memcpy(&bits_a, a, sizeof bits_a);
    memcpy(&bits_b, b, sizeof bits_b);
    if (x == y || bits_a == bits_b)
        return true;
    return tolerance > 0 &&
           fabs(x - y) <= tolerance * portable_fmax(1, portable_fmax(fabs(x), fabs(y)));
}

static void diff_floats(struct differ *differ, const char *field, const float *a, const float *b,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!same_float(differ, &a[i], &b[i]))
            differ_at(differ,
                      count == 1 ? field : arena_printf(&differ->arena, "%s[%zu]", field, i),
                      "%.9g != %.9g", (double)a[i], (double)b[i]);
}

static void diff_number(struct differ *differ, const char *field, unsigned a, unsigned b)
{
    if (a != b)
        differ_at(differ, field, "%u != %u", a, b);
}

static void diff_names(struct differ *differ, const char *field, const char *a, const char *b)
{
    if (strcmp(a, b) != 0)
        differ_at(differ, field, "%s != %s", a, b);
}

/* Returns the name of an index' target. Two names that differ in invalid Unicode look the same:
 * such files have an error of their own. */
static const char *target(struct differ *differ, const struct bmx *bmx, enum bmx_kind kind,
                          uint32_t index)
{
    if (index < bmx_count(bmx, kind))
        return bmx_text_utf8(bmx_name(bmx, kind, index), &differ->arena);
    return arena_printf(&differ->arena, "%s %u (missing)", bmx_kind_name(kind), index);
}

static const char *object_mesh(struct differ *differ, const struct bmx *bmx,
                               const struct bmx_object *object)
{
    if (!object->is_component)
        return target(differ, bmx, BMX_MESH, object->mesh);
    const char *component = bmx_component(object->mesh);
    return component ? component
                     : arena_printf(&differ->arena, "component %u (missing)", object->mesh);
}

/* The groups, sorted, without duplicates. */
static const struct bmx_text **group_set(const struct bmx_object *object)
{
    const struct bmx_text **set = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(object->groups); i++)
        arrput(set, &object->groups[i]);
    if (!set)
        return NULL;
    qsort(set, arrlenu(set), sizeof *set, bmx_text_order);
    for (size_t i = 0; i < arrlenu(set); i++)
        if (!i || bmx_text_compare(set[i], set[kept - 1]) != 0)
            set[kept++] = set[i];
    arrsetlen(set, kept);
    return set;
}

static void diff_groups(struct differ *differ, const struct bmx_object *a,
                        const struct bmx_object *b)
{
    const struct bmx_text **left = group_set(a), **right = group_set(b);
    size_t i = 0, k = 0;
    while (i < arrlenu(left) || k < arrlenu(right)) {
        int order = i == arrlenu(left)    ? 1
                    : k == arrlenu(right) ? -1
                                          : bmx_text_compare(left[i], right[k]);
        if (order)
            differ_at(differ, "groups", "%s only in %s",
                      bmx_text_utf8(order < 0 ? left[i] : right[k], &differ->arena),
                      order < 0 ? "A" : "B");
        i += order <= 0;
        k += order >= 0;
    }
    arrfree(left);
    arrfree(right);
}

static void diff_object(struct differ *differ, size_t i, size_t k)
{
    const struct bmx_object *a = &differ->a->objects[i], *b = &differ->b->objects[k];
    diff_number(differ, "component", a->is_component, b->is_component);
    diff_number(differ, "hidden", a->is_hidden, b->is_hidden);
    diff_floats(differ, "matrix", a->matrix, b->matrix, 16);
    diff_groups(differ, a, b);
    diff_names(differ, "mesh", object_mesh(differ, differ->a, a),
               object_mesh(differ, differ->b, b));
}

/* Returns the values of a list at a corner, or NULL for an index out of range. */
static const float *corner_values(const struct bmx_mesh *mesh, const struct bmx_corner *corner,
                                  int list)
{
    if (list == 0)
        return corner->position < arrlenu(mesh->positions) ? mesh->positions[corner->position].xyz
                                                           : NULL;
    if (list == 1)
        return corner->uv < arrlenu(mesh->uvs) ? mesh->uvs[corner->uv].uv : NULL;
    return corner->normal < arrlenu(mesh->normals) ? mesh->normals[corner->normal].xyz : NULL;
}

static void diff_corner(struct differ *differ, size_t face, int number, const struct bmx_mesh *a,
                        const struct bmx_corner *left, const struct bmx_mesh *b,
                        const struct bmx_corner *right)
{
    static const char *const lists[] = {"position", "uv", "normal"};
    for (int list = 0; list < (differ->options->ignore_normals ? 2 : 3); list++) {
        const float *x = corner_values(a, left, list), *y = corner_values(b, right, list);
        bool same = x && y;
        for (int i = 0; same && i < (list == 1 ? 2 : 3); i++)
            same = same_float(differ, &x[i], &y[i]);
        if (same || (!x && !y))
            continue;
        const char *field =
            arena_printf(&differ->arena, "faces[%zu]/corner[%d]/%s", face, number, lists[list]);
        if (x && y)
            diff_floats(differ, field, x, y, list == 1 ? 2 : 3);
        else
            differ_at(differ, field, "only in %s", x ? "A" : "B");
    }
}

static const struct bmx_text *material_name(const struct bmx *bmx, const struct bmx_face *face)
{
    bool named = face->use_material && face->material < arrlenu(bmx->materials);
    return named ? &bmx->materials[face->material].name : NULL;
}

static const char *face_material(struct differ *differ, const struct bmx *bmx,
                                 const struct bmx_face *face)
{
    return face->use_material ? target(differ, bmx, BMX_MATERIAL, face->material) : "(none)";
}

static void diff_face_material(struct differ *differ, size_t face, const struct bmx_face *a,
                               const struct bmx_face *b)
{
    const struct bmx_text *left = material_name(differ->a, a), *right = material_name(differ->b, b);
    if (left && right && bmx_text_compare(left, right) == 0)
        return;
    diff_names(differ, arena_printf(&differ->arena, "faces[%zu]/material", face),
               face_material(differ, differ->a, a), face_material(differ, differ->b, b));
}

static void diff_mesh(struct differ *differ, size_t i, size_t k)
{
    const struct bmx_mesh *a = &differ->a->meshes[i], *b = &differ->b->meshes[k];
    size_t count = arrlenu(a->faces);
    if (count != arrlenu(b->faces)) {
        differ_at(differ, "faces", "%zu != %zu faces", count, arrlenu(b->faces));
        return;
    }
    struct arena_mark mark = arena_mark(&differ->arena);
    for (size_t face = 0; face < count; face++) {
        const struct bmx_face *left = &a->faces[face], *right = &b->faces[face];
        for (int corner = 0; corner < 3; corner++)
            diff_corner(differ, face, corner, a, &left->corners[corner], b,
                        &right->corners[corner]);
        diff_face_material(differ, face, left, right);
        arena_release(&differ->arena, mark);
    }
}

static void diff_material(struct differ *differ, size_t i, size_t k)
{
    const struct bmx_material *a = &differ->a->materials[i], *b = &differ->b->materials[k];
    diff_floats(differ, "ambient", a->ambient, b->ambient, 3);
    diff_floats(differ, "diffuse", a->diffuse, b->diffuse, 3);
    diff_floats(differ, "specular", a->specular, b->specular, 3);
    diff_floats(differ, "emissive", a->emissive, b->emissive, 3);
    diff_floats(differ, "power", &a->power, &b->power, 1);
    diff_number(differ, "alpha_test", a->alpha_test, b->alpha_test);
    diff_number(differ, "alpha_blend", a->alpha_blend, b->alpha_blend);
    diff_number(differ, "z_buffer", a->z_buffer, b->z_buffer);
    diff_number(differ, "two_sided", a->two_sided, b->two_sided);
    diff_names(differ, "texture",
               a->use_texture ? target(differ, differ->a, BMX_TEXTURE, a->texture) : "(none)",
               b->use_texture ? target(differ, differ->b, BMX_TEXTURE, b->texture) : "(none)");
}

static void diff_texture(struct differ *differ, size_t i, size_t k)
{
    const struct bmx_texture *a = &differ->a->textures[i], *b = &differ->b->textures[k];
    diff_names(differ, "file", bmx_text_utf8(&a->file_name, &differ->arena),
               bmx_text_utf8(&b->file_name, &differ->arena));
    diff_number(differ, "external", a->is_external, b->is_external);
}

static int by_name_last_first(const void *a, const void *b)
{
    const struct named *left = a, *right = b;
    int order = bmx_text_compare(left->name, right->name);
    if (order)
        return order;
    return (left->block < right->block) - (left->block > right->block);
}

static struct named *sorted(const struct bmx *bmx, enum bmx_kind kind)
{
    struct named *names = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < bmx_count(bmx, kind); i++)
        arrput(names, ((struct named){bmx_name(bmx, kind, i), i}));
    if (!names)
        return NULL;
    qsort(names, arrlenu(names), sizeof *names, by_name_last_first);
    for (size_t i = 0; i < arrlenu(names); i++)
        if (!i || bmx_text_compare(names[i].name, names[kept - 1].name) != 0)
            names[kept++] = names[i];
    arrsetlen(names, kept);
    return names;
}

/* Reports an item that only one side has; `order` is the order of the names. */
static void differ_in_side(struct differ *differ, int order)
{
    differ_at(differ, "", "only in %s", order < 0 ? "A" : "B");
}

static void diff_blocks(struct differ *differ, enum bmx_kind kind, size_t a, size_t b)
{
    static void (*const diffs[BMX_KINDS])(struct differ *, size_t, size_t) = {
        diff_object, diff_mesh, diff_material, diff_texture};
    diffs[kind](differ, a, b);
}

static void diff_kind(struct differ *differ, enum bmx_kind kind)
{
    static const char *const plurals[BMX_KINDS] = {"objects", "meshes", "materials", "textures"};
    struct named *a = sorted(differ->a, kind), *b = sorted(differ->b, kind);
    size_t i = 0, k = 0;
    while (i < arrlenu(a) || k < arrlenu(b)) {
        int order = i == arrlenu(a)   ? 1
                    : k == arrlenu(b) ? -1
                                      : bmx_text_compare(a[i].name, b[k].name);
        const struct bmx_text *name = order <= 0 ? a[i].name : b[k].name;
        differ->path = arena_printf(&differ->arena, "%s/%s", plurals[kind],
                                    bmx_text_utf8(name, &differ->arena));
        if (order)
            differ_in_side(differ, order);
        else
            diff_blocks(differ, kind, a[i].block, b[k].block);
        i += order <= 0;
        k += order >= 0;
        arena_reset(&differ->arena);
    }
    arrfree(a);
    arrfree(b);
}

static void diff_bytes(struct differ *differ, const struct bytes *a, const struct bytes *b)
{
    if (a->size != b->size)
        differ_at(differ, "", "%zu != %zu bytes", a->size, b->size);
    else if (a->size && memcmp(a->data, b->data, a->size) != 0)
        differ_at(differ, "", "content differs");
}

static void diff_files(struct differ *differ)
{
    struct bmx_file *a = bmx_files(differ->a), *b = bmx_files(differ->b);
    size_t i = 0, k = 0;
    while (i < arrlenu(a) || k < arrlenu(b)) {
        int order = i == arrlenu(a) ? 1 : k == arrlenu(b) ? -1 : strcmp(a[i].name, b[k].name);
        differ->path = arena_printf(&differ->arena, "files/%s", order <= 0 ? a[i].name : b[k].name);
        if (order)
            differ_in_side(differ, order);
        else
            diff_bytes(differ, a[i].data, b[k].data);
        i += order <= 0;
        k += order >= 0;
        arena_reset(&differ->arena);
    }
    arrfree(a);
    arrfree(b);
}

size_t bmx_diff(const struct bmx *a, const struct bmx *b, const struct bmx_diff_options *options,
                bmx_diff_visit *visit, void *context)
{
    struct differ differ = {.a = a, .b = b, .options = options, .visit = visit, .context = context};
    for (int kind = 0; kind < BMX_KINDS; kind++)
        diff_kind(&differ, (enum bmx_kind)kind);
    diff_files(&differ);
    arena_free(&differ.arena);
    return differ.count;
}
