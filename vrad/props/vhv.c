#include "vrad/props/vhv.h"
#include "common/core/portable_math.h"

#include <math.h>

enum {
    VERSION = 2,
    COLOUR_FLAG = 4, /* of the vertices: they have a colour */
    COLOUR_BYTES = 4,
    HEADER = 40,
    MESH = 28,
    BLOCK = 512, /* data start and files end at multiples of it */
};

#define SCREEN_GAMMA 2.2

struct vhv_colour vhv_colour_of(const float rgb[3])
{
    double part[3], max = 1;
    for (int k = 0; k < 3; k++) {
        part[k] = rgb[k] > 0 ? 0.5 * portable_pow((double)rgb[k] / 255, 1 / SCREEN_GAMMA) : 0;
        max = portable_fmax(max, part[k]);
    }
    for (int k = 0; k < 3; k++)
        part[k] = floor(255 * part[k] / max + 0.5);
    return (struct vhv_colour){(uint8_t)part[0], (uint8_t)part[1], (uint8_t)part[2]};
}

/* The vertices of a mesh in a LOD: as many as in the MDL, which the game compares. */
static void put_mesh(const struct model *model, const struct vhv_colour *colours,
                     const struct mdl_mesh *mesh, int32_t lod, struct bytes *out)
{
    int32_t left = mesh->vertex_count[lod];
    struct vhv_colour last = {0, 0, 0};
    for (int32_t i = 0; i < mesh->vertex_count[0] && left > 0; i++) {
        int32_t vertex = mesh->first_vertex + i;
        if (model->vvd.coarsest[vertex] < lod)
            continue;
        last = colours[vertex];
        const unsigned char bytes[COLOUR_BYTES] = {last.b, last.g, last.r, 255};
        bytes_append(out, bytes, sizeof bytes);
        left--;
    }
    for (; left > 0; left--) {
        const unsigned char bytes[COLOUR_BYTES] = {last.b, last.g, last.r, 255};
        bytes_append(out, bytes, sizeof bytes);
    }
}

struct mesh_list {
    uint32_t meshes, vertices;
    struct bytes table, data;
};

static void list_model(const struct model *model, const struct vhv_colour *colours, int32_t number,
                       struct mesh_list *list)
{
    const struct mdl_model *part = &model->mdl.models[number];
    for (int32_t lod = 0; lod < model->vvd.lods; lod++) {
        for (int32_t i = 0; i < part->mesh_count; i++) {
            const struct mdl_mesh *mesh = &model->mdl.meshes[part->first_mesh + i];
            bytes_u32(&list->table, (uint32_t)lod);
            bytes_u32(&list->table, (uint32_t)mesh->vertex_count[lod]);
            bytes_u32(&list->table, (uint32_t)list->data.size);
            bytes_fill(&list->table, 0, 16);
            put_mesh(model, colours, mesh, lod, &list->data);
            list->meshes++;
            list->vertices += (uint32_t)mesh->vertex_count[lod];
        }
    }
}

/* Meshes share no vertices: together they have at most as many as the VVD. */
static bool meshes_fit(const struct model *model)
{
    int64_t all = 0;
    for (int32_t i = 0; i < model->mdl.mesh_count; i++) {
        const struct mdl_mesh *mesh = &model->mdl.meshes[i];
        int64_t end = (int64_t)mesh->first_vertex + mesh->vertex_count[0];
        all += mesh->vertex_count[0];
        if (mesh->first_vertex < 0 || mesh->vertex_count[0] < 0 || end > model->vvd.count ||
            all > model->vvd.count)
            return false;
        for (int lod = 0; lod < model->vvd.lods; lod++)
            if (mesh->vertex_count[lod] < 0 || mesh->vertex_count[lod] > mesh->vertex_count[0])
                return false;
    }
    return true;
}

bool vhv_encode(const struct model *model, const struct vhv_colour *colours, struct bytes *out)
{
    if (!meshes_fit(model))
        return false;
    struct mesh_list list = {0};
    const struct mdl *mdl = &model->mdl;
    for (int32_t i = 0; i < mdl->part_count; i++)
        for (int32_t k = 0; k < mdl->parts[i].model_count; k++)
            list_model(model, colours, mdl->parts[i].first_model + k, &list);
    struct bytes file = {0};
    bytes_u32(&file, VERSION);
    bytes_u32(&file, mdl->checksum);
    bytes_u32(&file, COLOUR_FLAG);
    bytes_u32(&file, COLOUR_BYTES);
    bytes_u32(&file, list.vertices);
    bytes_u32(&file, list.meshes);
    bytes_fill(&file, 0, HEADER - 24);
    bytes_append(&file, list.table.data, list.table.size);
    bytes_align(&file, BLOCK);
    for (uint32_t i = 0; i < list.meshes; i++) {
        unsigned char *start = file.data + HEADER + MESH * (size_t)i + 8;
        store_u32(ORDER_LITTLE, start, load_u32(start) + (uint32_t)file.size);
    }
    bytes_append(&file, list.data.data, list.data.size);
    bytes_align(&file, BLOCK);
    bytes_append(out, file.data, file.size);
    bytes_free(&file);
    bytes_free(&list.table);
    bytes_free(&list.data);
    return true;
}
