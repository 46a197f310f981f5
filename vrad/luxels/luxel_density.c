#include "vrad/luxels/luxel_density.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lightmap_extent.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"

/* Lightmaps far from the map's origin have large coordinates; beyond this a face is invalid. */
#define LARGEST_COORDINATE 1e6

static bool limit_axes(struct bsp_texinfo *texinfo, double density)
{
    bool changed = false;
    for (int i = 0; i < 2; i++) {
        float *axis = texinfo->lightmap[i];
        double length = vec3_length(vec3((double)axis[0], (double)axis[1], (double)axis[2]));
        if (!(length > density * 1.0001))
            continue;
        for (int k = 0; k < 4; k++)
            axis[k] = (float)((double)axis[k] * density / length);
        changed = true;
    }
    return changed;
}

/* Computes the lightmap mins and size of the face, around which `border` luxels stay. */
static void lay_out(const struct bsp *bsp, struct bsp_face *face, int border)
{
    const struct bsp_texinfo *texinfo = &bsp->texinfo[face->texinfo];
    for (int i = 0; i < 2; i++) {
        const float *axis = texinfo->lightmap[i];
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int k = 0; k < face->edge_count; k++) {
            struct vec3 p = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, k));
            double at = p.x * (double)axis[0] + p.y * (double)axis[1] + p.z * (double)axis[2] +
                        (double)axis[3];
            low = portable_fmin(low, at);
            high = portable_fmax(high, at);
        }
        if (!(low > -LARGEST_COORDINATE && high < LARGEST_COORDINATE))
            continue;
        face->lightmap_mins[i] = (int32_t)floor(low) - border;
        face->lightmap_size[i] = (int32_t)(ceil(high) - floor(low)) + 2 * border;
    }
}

static unsigned char *borders_of(const struct bsp *bsp, const struct bsp_face *faces)
{
    unsigned char *borders = memory_alloc(arrlenu(faces) + 1);
    for (size_t i = 0; i < arrlenu(faces); i++)
        borders[i] = (unsigned char)lightmap_extent_of(bsp, &faces[i]).border;
    return borders;
}

static void lay_out_all(const struct bsp *bsp, struct bsp_face *faces, const bool *changed,
                        const unsigned char *borders)
{
    for (ptrdiff_t i = 0; i < arrlen(faces); i++)
        if (faces[i].texinfo >= 0 && changed[faces[i].texinfo])
            lay_out(bsp, &faces[i], borders[i]);
}

void luxel_density_limit(struct bsp *bsp, double density)
{
    size_t count = arrlenu(bsp->texinfo);
    bool *changed = memory_zalloc(count + 1, sizeof *changed);
    bool *fixed = memory_zalloc(count + 1, sizeof *fixed);
    unsigned char *borders = borders_of(bsp, bsp->faces);
    unsigned char *borders_hdr = borders_of(bsp, bsp->faces_hdr);
    density = density > 1 ? 1 / density : density;
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++)
        if (bsp->faces[i].dispinfo >= 0 && bsp->faces[i].texinfo >= 0)
            fixed[bsp->faces[i].texinfo] = true;
    for (size_t i = 0; i < count; i++)
        changed[i] = !fixed[i] && limit_axes(&bsp->texinfo[i], density);
    lay_out_all(bsp, bsp->faces, changed, borders);
    lay_out_all(bsp, bsp->faces_hdr, changed, borders_hdr);
    memory_free(borders);
    memory_free(borders_hdr);
    memory_free(changed);
    memory_free(fixed);
}
