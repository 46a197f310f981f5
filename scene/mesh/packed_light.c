#include "scene/mesh/packed_light.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/props/ppl.h"

/* Of a .vhv file. */
enum { VERSION = 2, HEADER = 40, RECORD = 28, COLOUR = 4 };

/* Half of white in screen space stands for white light (overbright). */
#define SCREEN_GAMMA 2.2
#define BRIGHTENED   2.0

/* More than any map has, to bound memory. */
enum { MAX_LUXELS = 1 << 26 };

static float light_of(unsigned char byte)
{
    return (float)(255 * portable_pow(BRIGHTENED * byte / 255, SCREEN_GAMMA));
}

/* ---- vertices ---- */

static void decode(const unsigned char *bgra, float out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = light_of(bgra[2 - k]);
}

/* Returns whether a mesh's colours are in the file and its vertices in the model. */
static bool fits(const struct bytes *file, const struct model *model, const struct mdl_mesh *mesh,
                 uint32_t count, uint32_t offset)
{
    return mesh->vertex_count[0] >= 0 && count == (uint32_t)mesh->vertex_count[0] &&
           mesh->first_vertex >= 0 &&
           (int64_t)mesh->first_vertex + (int64_t)count <= model->vvd.count &&
           (uint64_t)offset + COLOUR * (uint64_t)count <= file->size;
}

/* The records of the finest LOD are those of the model's meshes, in order. */
static bool read_meshes(const struct bytes *file, const struct model *model, float (*out)[3])
{
    uint32_t records = load_u32(file->data + 20);
    int32_t mesh = 0;
    if (records > (file->size - HEADER) / RECORD)
        return false;
    for (uint32_t i = 0; i < records; i++) {
        const unsigned char *record = file->data + HEADER + (size_t)RECORD * i;
        uint32_t count = load_u32(record + 4), offset = load_u32(record + 8);
        if (load_u32(record) != 0)
            continue;
        if (mesh >= model->mdl.mesh_count ||
            !fits(file, model, &model->mdl.meshes[mesh], count, offset))
            return false;
        for (uint32_t k = 0; k < count; k++)
            decode(file->data + offset + (size_t)COLOUR * k,
                   out[(size_t)model->mdl.meshes[mesh].first_vertex + k]);
        mesh++;
    }
    return mesh == model->mdl.mesh_count;
}

float (*packed_light_vertices(const struct bytes *file, const struct model *model))[3]
{
    if (file->size < HEADER || load_u32(file->data) != VERSION ||
        load_u32(file->data + 4) != model->mdl.checksum || load_u32(file->data + 12) != COLOUR ||
        model->vvd.count <= 0)
        return NULL;
    float(*light)[3] = memory_zalloc((size_t)model->vvd.count, sizeof *light);
    if (read_meshes(file, model, light))
        return light;
    memory_free(light);
    return NULL;
}

/* ---- texels ---- */

static void add_luxels(const struct ppl_image *image, struct mesh *mesh)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    float(*to)[3] = (float(*)[3])arraddnptr(mesh->luxels, count);
    float light[256];
    for (int i = 0; i < 256; i++)
        light[i] = light_of((unsigned char)i);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            to[i][k] = light[image->pixels[PPL_PIXEL * i + k]];
}

bool packed_light_texels(const struct bytes *file, const struct model *model, struct mesh *mesh,
                         struct surface *surface)
{
    struct ppl ppl;
    if (!ppl_decode(file, &ppl))
        return false;
    const struct ppl_image *image = ppl_finest(&ppl);
    bool usable =
        image && ppl.checksum == model->mdl.checksum &&
        arrlenu(mesh->luxels) + (size_t)image->width * (size_t)image->height <= MAX_LUXELS;
    if (usable) {
        surface->lit_by = LIT_BY_LUXELS;
        surface->luxels = arrlenu(mesh->luxels);
        surface->width = image->width;
        surface->height = image->height;
        add_luxels(image, mesh);
    }
    ppl_free(&ppl);
    return usable;
}

void packed_light_st(const float uv[3][2], const struct surface *surface, float st[3][2])
{
    for (int i = 0; i < 2; i++) {
        float min = portable_fminf(portable_fminf(uv[0][i], uv[1][i]), uv[2][i]);
        int side = i ? surface->height : surface->width;
        for (int k = 0; k < 3; k++)
            st[k][i] = (uv[k][i] - floorf(min)) * (float)side - 0.5f;
    }
}
