#include "scene/mesh/face_coordinates.h"

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"

static void map_coordinates(const float vectors[2][4], struct vec3 p, double out[2])
{
    for (int i = 0; i < 2; i++)
        out[i] = p.x * (double)vectors[i][0] + p.y * (double)vectors[i][1] +
                 p.z * (double)vectors[i][2] + (double)vectors[i][3];
}

void face_texture_at(const struct bsp *bsp, const struct bsp_face *face, struct vec3 p,
                     float out[2])
{
    const struct bsp_texinfo *texinfo = &bsp->texinfo[face->texinfo];
    const struct bsp_texdata *texdata = &bsp->texdata[texinfo->texdata];
    double at[2];
    map_coordinates(texinfo->texture, p, at);
    out[0] = (float)(at[0] / (texdata->width > 0 ? texdata->width : 1));
    out[1] = (float)(at[1] / (texdata->height > 0 ? texdata->height : 1));
}

void face_luxel_at(const struct bsp *bsp, const struct bsp_face *face, struct vec3 p, float out[2])
{
    double at[2];
    map_coordinates(bsp->texinfo[face->texinfo].lightmap, p, at);
    for (int i = 0; i < 2; i++)
        out[i] = (float)(at[i] - face->lightmap_mins[i]);
}

void face_texture_corners(const struct bsp *bsp, const struct bsp_face *face, float uv[4][2])
{
    const struct bsp_displacement *info = &bsp->displacements[face->dispinfo];
    struct vec3 start = vec3_from_floats(info->start), points[4];
    int nearest = 0;
    for (int i = 0; i < 4; i++) {
        points[i] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
        if (vec3_distance(points[i], start) < vec3_distance(points[nearest], start))
            nearest = i;
    }
    for (int i = 0; i < 4; i++)
        face_texture_at(bsp, face, points[(nearest + i) % 4], uv[i]);
}

void face_texture_between(const float uv[4][2], float u, float v, float out[2])
{
    for (int n = 0; n < 2; n++)
        out[n] =
            (1 - u) * ((1 - v) * uv[0][n] + v * uv[1][n]) + u * ((1 - v) * uv[3][n] + v * uv[2][n]);
}
