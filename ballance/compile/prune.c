#include "ballance/compile/maker.h"
#include "common/core/strings.h"

/* Turns marks of use into the numbers that remain; returns how many. */
static uint32_t number_used(uint32_t *used, size_t count)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        used[i] = used[i] ? next++ : UINT32_MAX;
    return next;
}

static void prune_materials(struct bmx *bmx)
{
    size_t count = arrlenu(bmx->materials);
    uint32_t *used = memory_zalloc(count + 1, sizeof *used);
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        for (size_t k = 0; k < arrlenu(bmx->meshes[i].faces); k++)
            if (bmx->meshes[i].faces[k].use_material)
                used[bmx->meshes[i].faces[k].material] = 1;
    uint32_t left = number_used(used, count);
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        for (size_t k = 0; k < arrlenu(bmx->meshes[i].faces); k++) {
            struct bmx_face *face = &bmx->meshes[i].faces[k];
            face->material = face->use_material ? used[face->material] : 0;
        }
    for (size_t i = 0; i < count; i++) {
        if (used[i] == UINT32_MAX)
            bmx_text_free(&bmx->materials[i].name);
        else
            bmx->materials[used[i]] = bmx->materials[i];
    }
    if (count)
        arrsetlen(bmx->materials, left);
    memory_free(used);
}

static void prune_textures(struct bmx *bmx)
{
    size_t count = arrlenu(bmx->textures);
    uint32_t *used = memory_zalloc(count + 1, sizeof *used);
    for (size_t i = 0; i < arrlenu(bmx->materials); i++)
        if (bmx->materials[i].use_texture)
            used[bmx->materials[i].texture] = 1;
    uint32_t left = number_used(used, count);
    for (size_t i = 0; i < arrlenu(bmx->materials); i++) {
        struct bmx_material *material = &bmx->materials[i];
        material->texture = material->use_texture ? used[material->texture] : 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct bmx_texture *texture = &bmx->textures[i];
        if (used[i] != UINT32_MAX) {
            bmx->textures[used[i]] = *texture;
            continue;
        }
        bmx_text_free(&texture->name);
        bmx_text_free(&texture->file_name);
    }
    if (count)
        arrsetlen(bmx->textures, left);
    memory_free(used);
}

static bool is_texture_file(const struct bmx *bmx, const struct bmx_member *member)
{
    struct arena arena = {0};
    const char *file = bmx_texture_file(member);
    bool found = !file;
    for (size_t i = 0; i < arrlenu(bmx->textures) && !found; i++)
        found = !bmx->textures[i].is_external &&
                strcmp(bmx_text_utf8(&bmx->textures[i].file_name, &arena), file) == 0;
    arena_free(&arena);
    return found;
}

void ballance_prune(struct bmx *bmx)
{
    size_t kept = 0, count = arrlenu(bmx->members);
    prune_materials(bmx);
    prune_textures(bmx);
    for (size_t i = 0; i < count; i++) {
        struct bmx_member *member = &bmx->members[i];
        if (is_texture_file(bmx, member)) {
            bmx->members[kept++] = *member;
            continue;
        }
        memory_free(member->name);
        bytes_free(&member->data);
    }
    if (count)
        arrsetlen(bmx->members, kept);
}
