#include "scene/mesh/mesh.h"

#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/diag/codes/internal.def"
#include "scene/mesh/mesh_internal.h"

/* Larger than any map. */
#define FARTHEST 1e7

/* Returns false when a corner is not finite or too far away. */
static bool positions_of(const struct vec3 points[3], float out[9])
{
    for (int i = 0; i < 9; i++) {
        if (!(fabs(points[i / 3].e[i % 3]) < FARTHEST))
            return false;
        out[i] = (float)points[i / 3].e[i % 3];
    }
    return true;
}

void mesh_add(struct mesh *mesh, const struct vec3 points[3], struct triangle triangle)
{
    struct vec3 across = vec3_cross(vec3_sub(points[2], points[0]), vec3_sub(points[1], points[0]));
    struct vec3 normal = vec3_normalize(across);
    double du[2], dv[2], area = vec3_length(across);
    for (int i = 0; i < 2; i++) {
        du[i] = (double)triangle.uv[i + 1][0] - (double)triangle.uv[0][0];
        dv[i] = (double)triangle.uv[i + 1][1] - (double)triangle.uv[0][1];
    }
    double density = area > 0 ? sqrt(fabs(du[0] * dv[1] - du[1] * dv[0]) / area) : 0;
    triangle.density = isfinite(density) ? (float)density : 0;
    for (int k = 0; k < 3; k++)
        triangle.normal[k] = (float)normal.e[k];
    float positions[9];
    if (!positions_of(points, positions))
        return;
    uint32_t number = (uint32_t)arrlen(mesh->triangles);
    arrput(mesh->triangles, triangle);
    trace_add(mesh->trace, TRACE_FACE, positions, &number, 1);
}

void mesh_add_sky(struct mesh *mesh, const struct vec3 points[3], int fog)
{
    float positions[9];
    if (!positions_of(points, positions))
        return;
    arrput(mesh->sky_fogs, fog);
    trace_add(mesh->trace, TRACE_SKY, positions, NULL, 1);
}

bool mesh_sky_is_back(const struct mesh *mesh, uint32_t triangle, struct vec3 direction)
{
    size_t count;
    const float *corners = trace_positions(mesh->trace, TRACE_SKY, &count) + 9 * (size_t)triangle;
    struct vec3 a = vec3_from_floats(corners), b = vec3_from_floats(corners + 3),
                c = vec3_from_floats(corners + 6);
    return vec3_dot(vec3_cross(vec3_sub(c, a), vec3_sub(b, a)), direction) > 0;
}

uint32_t mesh_add_surface(struct mesh *mesh, struct surface surface)
{
    arrput(mesh->surfaces, surface);
    return (uint32_t)arrlen(mesh->surfaces) - 1;
}

int mesh_add_material(struct mesh *mesh, struct scene_material material)
{
    arrput(mesh->materials, material);
    return (int)arrlen(mesh->materials) - 1;
}

enum status mesh_build(const struct mesh_source *source, struct mesh *out)
{
    static const uint32_t masks[] = {TRACE_FACE | TRACE_SKY};
    *out = (struct mesh){.trace = trace_new(), .lit = source->light->lighting.size > 0};
    if (!out->trace)
        return diag_report(source->env->diag, DIAG_INTERNAL, NULL, "cannot initialise Embree");
    if (source->bsp->engine->geometry.has_surfaces) {
        mesh_add_quake3(source, out);
        mesh_add_items(source, out);
    } else {
        mesh_add_faces(source, out);
        mesh_add_props(source, out);
    }
    if (trace_build(out->trace, masks, 1))
        return STATUS_OK;
    mesh_free(out);
    return diag_report(source->env->diag, DIAG_INTERNAL, NULL, "Embree failed");
}

void mesh_free(struct mesh *mesh)
{
    trace_free(mesh->trace);
    arrfree(mesh->materials);
    arrfree(mesh->overlay_materials);
    arrfree(mesh->surfaces);
    arrfree(mesh->triangles);
    arrfree(mesh->sky_fogs);
    arrfree(mesh->luxels);
    arrfree(mesh->ambient_cubes);
    *mesh = (struct mesh){0};
}

void surface_order_make(const struct mesh *mesh, struct surface_order *out)
{
    size_t surfaces = arrlenu(mesh->surfaces), count = arrlenu(mesh->triangles);
    *out = (struct surface_order){.first = memory_zalloc(surfaces + 2, sizeof *out->first)};
    arrsetlen(out->triangles, count);
    for (size_t i = 0; i < count; i++)
        out->first[mesh->triangles[i].surface + 2]++;
    for (size_t i = 0; i <= surfaces; i++)
        out->first[i + 1] += out->first[i];
    for (size_t i = 0; i < count; i++)
        out->triangles[out->first[mesh->triangles[i].surface + 1]++] = (uint32_t)i;
}

void surface_order_free(struct surface_order *order)
{
    arrfree(order->triangles);
    memory_free(order->first);
}
