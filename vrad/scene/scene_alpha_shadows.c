#include "vrad/scene/scene_solids.h"

#include "common/bsp/lightmap_extent.h"
#include "common/bsp/query.h"
#include "common/core/array.h"

enum {
    OPAQUE_CONTENTS = SURFACE_SKY | SURFACE_SKY2D | SURFACE_WARP | SURFACE_NODRAW | SURFACE_HINT |
                      SURFACE_SKIP | SURFACE_TRIGGER
};

struct corner {
    float position[3], uv[2], st[2];
};

static double along(const float axis[4], struct vec3 p)
{
    return p.x * (double)axis[0] + p.y * (double)axis[1] + p.z * (double)axis[2] + (double)axis[3];
}

static struct corner corner_at(const struct scene *scene, const struct bsp_face *face,
                               const struct lightmap_extent *extent, int model, int index)
{
    const struct bsp *bsp = scene->bsp;
    const struct bsp_texinfo *texinfo = &bsp->texinfo[face->texinfo];
    const struct bsp_texdata *texdata = &bsp->texdata[texinfo->texdata];
    const int size[2] = {texdata->width, texdata->height};
    struct vec3 p = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, index));
    struct vec3 place = vec3_add(p, scene->model_origins[model]);
    struct corner corner;
    for (int k = 0; k < 3; k++)
        corner.position[k] = (float)place.e[k];
    for (int i = 0; i < 2; i++) {
        corner.uv[i] = (float)(along(texinfo->texture[i], p) / (size[i] > 0 ? size[i] : 1));
        corner.st[i] = (float)(along(texinfo->lightmap[i], p) - extent->mins[i]);
    }
    return corner;
}

static void add_triangle(struct scene *scene, int texture, int number,
                         const struct corner *const corners[3])
{
    const struct bsp_face *face = &scene->bsp->faces[number];
    float positions[9], uv[3][2], st[3][2];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            positions[3 * i + k] = corners[i]->position[k];
        for (int k = 0; k < 2; k++) {
            uv[i][k] = corners[i]->uv[k];
            st[i][k] = corners[i]->st[k];
        }
    }
    alpha_triangle_add(scene, texture, number, positions, (const float(*)[2])uv,
                       (const float(*)[2])st, scene->bsp->planes[face->plane].normal);
}

static void add_face(struct scene *scene, int texture, int model, int number)
{
    const struct bsp_face *face = &scene->bsp->faces[number];
    const struct lightmap_extent extent = lightmap_extent_of(scene->bsp, face);
    struct corner first = corner_at(scene, face, &extent, model, 0);
    struct corner last = corner_at(scene, face, &extent, model, 1);
    for (int i = 2; i < face->edge_count; i++) {
        struct corner next = corner_at(scene, face, &extent, model, i);
        add_triangle(scene, texture, number, (const struct corner *const[3]){&first, &last, &next});
        last = next;
    }
}

void scene_add_alpha_faces(const struct env *env, const struct alpha_source *source,
                           struct scene *scene, int model, const unsigned char *blocking)
{
    const struct bsp *bsp = scene->bsp;
    const struct bsp_model *at = &bsp->models[model];
    for (int i = at->first_face; i < at->first_face + at->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        if (blocking[i] || face->dispinfo >= 0 || face->edge_count < 3 || face->texinfo < 0)
            continue;
        const struct bsp_texinfo *texinfo = &bsp->texinfo[face->texinfo];
        if (texinfo->flags & OPAQUE_CONTENTS || texinfo->texdata < 0)
            continue;
        int texture = alpha_texture_of(env, source, &scene->alpha_shadows,
                                       bsp_texinfo_name(bsp, face->texinfo),
                                       bsp->texdata[texinfo->texdata].reflectivity);
        if (texture >= 0)
            add_face(scene, texture, model, i);
    }
}
