#include "vrad/props/texel_surface.h"

#include "common/core/array.h"

void texel_triangles_of(const struct model *model, struct texel_triangles *out)
{
    size_t count = arrlenu(model->vtx.triangles);
    *out = (struct texel_triangles){.model = model};
    for (size_t i = 0; i < count; i++)
        if (model_shows_mesh(&model->mdl, model->vtx.triangles[i].mesh))
            arrput(out->numbers, (int32_t)i);
    out->corners = memory_zalloc(arrlenu(out->numbers) + 1, sizeof *out->corners);
    for (size_t i = 0; i < arrlenu(out->numbers); i++) {
        const struct model_triangle *triangle = &model->vtx.triangles[out->numbers[i]];
        for (int k = 0; k < 3; k++)
            memcpy(out->corners[i][k], model->vvd.vertices[triangle->vertices[k]].uv,
                   sizeof out->corners[i][k]);
    }
}

void texel_triangles_free(struct texel_triangles *triangles)
{
    arrfree(triangles->numbers);
    memory_free(triangles->corners);
    *triangles = (struct texel_triangles){0};
}

struct corner {
    struct vec3 position, normal;
};

/* The way round it that a triangle has from outside is clockwise. */
static struct vec3 face_normal(const struct corner corners[3])
{
    struct vec3 a = vec3_sub(corners[1].position, corners[0].position);
    struct vec3 b = vec3_sub(corners[2].position, corners[0].position);
    return vec3_cross(b, a);
}

/* Normals that turn further from their triangle, by the cosine, mean no round surface. */
#define ROUND_ENOUGH 0.5

static bool is_round(const struct corner corners[3], struct vec3 face)
{
    for (int k = 0; k < 3; k++)
        if (!(vec3_dot(corners[k].normal, face) >= ROUND_ENOUGH * vec3_length(face)))
            return false;
    return true;
}

/* A flat triangle of a round body lies below the surface that its normals mean, and its own edge
 * would hide the light from what is left of it at dusk. (Hanika, "Hacking the shadow terminator",
 * Ray Tracing Gems II: the mean of the point's feet on the planes of the corners.) */
static struct vec3 rounded(const struct corner corners[3], const float share[3], struct vec3 point)
{
    struct vec3 sum = point;
    for (int k = 0; k < 3; k++) {
        double above = vec3_dot(vec3_sub(point, corners[k].position), corners[k].normal);
        if (above < 0)
            sum = vec3_mad(sum, corners[k].normal, -above * (double)share[k]);
    }
    return sum;
}

static double width_of(const float uv[3][2], const struct texel_image *image, double area)
{
    double s[2], t[2];
    for (int k = 0; k < 2; k++) {
        s[k] = (double)(uv[k + 1][0] - uv[0][0]) * image->width;
        t[k] = (double)(uv[k + 1][1] - uv[0][1]) * image->height;
    }
    double texels = fabs(s[0] * t[1] - s[1] * t[0]);
    return texels > 0 ? sqrt(area / texels) : 0;
}

bool texel_place_of(const struct texel_triangles *triangles, const struct transform *transform,
                    const struct texel_image *image, const struct texel *texel,
                    struct texel_place *out)
{
    const struct model *model = triangles->model;
    const struct model_triangle *triangle =
        &model->vtx.triangles[triangles->numbers[texel->triangle]];
    struct corner corners[3];
    struct vec3 normal = vec3(0, 0, 0), point = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        const struct model_vertex *vertex = &model->vvd.vertices[triangle->vertices[k]];
        corners[k].position = transform_point(transform, vec3_from_floats(vertex->p));
        corners[k].normal = transform_normal(transform, vec3_from_floats(vertex->normal));
        point = vec3_mad(point, corners[k].position, (double)texel->share[k]);
        normal = vec3_mad(normal, corners[k].normal, (double)texel->share[k]);
    }
    struct vec3 face = face_normal(corners);
    bool has_normals = vec3_is_finite(normal) && vec3_length(normal) > 1e-3;
    out->normal = vec3_normalize(has_normals ? normal : face);
    out->position = is_round(corners, face) ? rounded(corners, texel->share, point) : point;
    out->width = width_of(triangles->corners[texel->triangle], image, vec3_length(face));
    return vec3_is_finite(out->position) && vec3_is_finite(out->normal);
}
