#include "ballance/bmx/bmx.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"

struct bmx *bmx_new(void)
{
    struct bmx *bmx = memory_zalloc(1, sizeof *bmx);
    bytes_append(&bmx->comment, BMX_COMMENT, strlen(BMX_COMMENT));
    return bmx;
}

static void free_object(struct bmx_object *object)
{
    bmx_text_free(&object->name);
    for (size_t i = 0; i < arrlenu(object->groups); i++)
        bmx_text_free(&object->groups[i]);
    arrfree(object->groups);
}

static void free_mesh(struct bmx_mesh *mesh)
{
    bmx_text_free(&mesh->name);
    arrfree(mesh->positions);
    arrfree(mesh->uvs);
    arrfree(mesh->normals);
    arrfree(mesh->faces);
}

static void free_archive(struct bmx *bmx)
{
    for (size_t i = 0; i < arrlenu(bmx->index); i++)
        bmx_text_free(&bmx->index[i].name);
    for (size_t i = 0; i < arrlenu(bmx->gaps); i++)
        bytes_free(&bmx->gaps[i].data);
    for (size_t i = 0; i < arrlenu(bmx->members); i++) {
        memory_free(bmx->members[i].name);
        bytes_free(&bmx->members[i].data);
    }
    arrfree(bmx->index);
    arrfree(bmx->gaps);
    arrfree(bmx->members);
    bytes_free(&bmx->comment);
}

void bmx_free(struct bmx *bmx)
{
    if (!bmx)
        return;
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        free_object(&bmx->objects[i]);
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        free_mesh(&bmx->meshes[i]);
    for (size_t i = 0; i < arrlenu(bmx->materials); i++)
        bmx_text_free(&bmx->materials[i].name);
    for (size_t i = 0; i < arrlenu(bmx->textures); i++) {
        bmx_text_free(&bmx->textures[i].name);
        bmx_text_free(&bmx->textures[i].file_name);
    }
    arrfree(bmx->objects);
    arrfree(bmx->meshes);
    arrfree(bmx->materials);
    arrfree(bmx->textures);
    free_archive(bmx);
    memory_free(bmx);
}

size_t bmx_count(const struct bmx *bmx, enum bmx_kind kind)
{
    switch (kind) {
    case BMX_OBJECT:
        return arrlenu(bmx->objects);
    case BMX_MESH:
        return arrlenu(bmx->meshes);
    case BMX_MATERIAL:
        return arrlenu(bmx->materials);
    case BMX_TEXTURE:
        return arrlenu(bmx->textures);
    default:
        return 0;
    }
}

const struct bmx_text *bmx_name(const struct bmx *bmx, enum bmx_kind kind, size_t block)
{
    switch (kind) {
    case BMX_OBJECT:
        return &bmx->objects[block].name;
    case BMX_MESH:
        return &bmx->meshes[block].name;
    case BMX_MATERIAL:
        return &bmx->materials[block].name;
    default:
        return &bmx->textures[block].name;
    }
}

const char *bmx_kind_name(enum bmx_kind kind)
{
    static const char *const names[BMX_KINDS] = {"object", "mesh", "material", "texture"};
    return names[kind];
}

const char *bmx_role_file(enum bmx_role role)
{
    static const char *const names[BMX_ROLE_FILE] = {"object.bm", "mesh.bm", "material.bm",
                                                     "texture.bm", "index.bm"};
    return names[role];
}

void bmx_add_file(struct bmx *bmx, const char *name, const void *data, size_t size)
{
    size_t length = strlen(name) + 1;
    struct bmx_member member = {.name = memory_alloc(length), .role = BMX_ROLE_FILE};
    memcpy(member.name, name, length);
    bytes_append(&member.data, data, size);
    arrput(bmx->members, member);
}

const char *bmx_texture_file(const struct bmx_member *member)
{
    size_t prefix = strlen(BMX_TEXTURES);
    if (member->role != BMX_ROLE_FILE || strncmp(member->name, BMX_TEXTURES, prefix) != 0)
        return NULL;
    const char *file = member->name + prefix;
    return *file && !strchr(file, '/') ? file : NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct bmx_file *)a)->name, ((const struct bmx_file *)b)->name);
}

/* By name; of equal names the later member comes first: members are in one array. */
static int by_name_last_first(const void *a, const void *b)
{
    const struct bmx_file *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    if (order)
        return order;
    return (left->data < right->data) - (left->data > right->data);
}

struct bmx_file *bmx_files(const struct bmx *bmx)
{
    struct bmx_file *files = NULL;
    for (size_t i = 0; i < arrlenu(bmx->members); i++) {
        const char *name = bmx_texture_file(&bmx->members[i]);
        if (name)
            arrput(files, ((struct bmx_file){name, &bmx->members[i].data}));
    }
    if (!files)
        return NULL;
    qsort(files, arrlenu(files), sizeof *files, by_name_last_first);
    size_t kept = 1;
    for (size_t i = 1; i < arrlenu(files); i++)
        if (strcmp(files[i].name, files[kept - 1].name) != 0)
            files[kept++] = files[i];
    arrsetlen(files, kept);
    return files;
}

const struct bmx_file *bmx_find_file(const struct bmx_file *files, const char *name)
{
    const struct bmx_file key = {.name = name};
    return files ? bsearch(&key, files, arrlenu(files), sizeof key, by_name) : NULL;
}
