/* The mesh of a BSP: its lists of vertices, triangles and faces. */
#include <math.h>
#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/float_mode.h"
#include "common/core/portable_math.h"
#include "common/geom/patch_grid.h"
#include "library/bsp.h"
#include "scene/mesh/face_coordinates.h"
#include "vrad/scene/disp_mesh.h"

enum { PATCH_STEPS = 6, LARGEST_PATCH = 129 };

static const uint8_t white[4] = {255, 255, 255, 255};

static void put_vec3(struct vec3 from, float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (float)from.e[i];
}

static uint32_t here(const struct brushwork_bsp *bsp)
{
    return (uint32_t)arrlenu(bsp->vertices);
}

static void add_triangle(struct brushwork_bsp *bsp, uint32_t a, uint32_t b, uint32_t c)
{
    arrput(bsp->indices, a);
    arrput(bsp->indices, b);
    arrput(bsp->indices, c);
}

static void begin_face(const struct brushwork_bsp *bsp, struct brushwork_face *face)
{
    face->first_vertex = here(bsp);
    face->first_index = (uint32_t)arrlenu(bsp->indices);
}

static void end_face(struct brushwork_bsp *bsp, struct brushwork_face *face)
{
    face->vertex_count = here(bsp) - face->first_vertex;
    face->index_count = (uint32_t)arrlenu(bsp->indices) - face->first_index;
    arrput(bsp->faces, *face);
}

/* Source. */

/* A fan: flat faces are convex. */
static void add_polygon(struct brushwork_bsp *bsp, const struct bsp_face *face,
                        const struct brushwork_face *out)
{
    const struct bsp *from = bsp->bsp;
    const bool has_texture = face->texinfo >= 0 && from->texinfo[face->texinfo].texdata >= 0;
    struct brushwork_vertex vertex = {0};
    memcpy(vertex.colour, white, sizeof white);
    memcpy(vertex.normal, from->planes[face->plane].normal, sizeof vertex.normal);
    for (int i = 0; i < face->edge_count; i++) {
        struct vec3 p = bsp_vertex_at(from, bsp_face_vertex(from, face, i));
        put_vec3(p, vertex.position);
        if (has_texture)
            face_texture_at(from, face, p, vertex.texture);
        if (out->lightmap >= 0) {
            const struct brushwork_lightmap *info = &bsp->lightmaps[out->lightmap].info;
            face_luxel_at(from, face, p, vertex.lightmap);
            vertex.lightmap[0] = (vertex.lightmap[0] + 0.5F) / (float)info->width;
            vertex.lightmap[1] = (vertex.lightmap[1] + 0.5F) / (float)info->height;
        }
        arrput(bsp->vertices, vertex);
    }
    for (int i = 2; i < face->edge_count; i++)
        add_triangle(bsp, out->first_vertex, out->first_vertex + (uint32_t)i - 1,
                     out->first_vertex + (uint32_t)i);
}

/* From the first luxel's middle to the last one's. */
static float across_luxels(float share, int32_t luxels)
{
    return (share * (float)(luxels - 1) + 0.5F) / (float)luxels;
}

static void add_displacement(struct brushwork_bsp *bsp, const struct bsp_face *face,
                             const struct disp_mesh *mesh, struct brushwork_face *out)
{
    float uv[4][2];
    const struct bsp *from = bsp->bsp;
    const struct brushwork_lightmap *light =
        out->lightmap >= 0 ? &bsp->lightmaps[out->lightmap].info : NULL;
    face_texture_corners(from, face, uv);
    for (int i = 0; i < mesh->columns * mesh->rows; i++) {
        float u = (float)(i % mesh->columns) / (float)(mesh->columns - 1);
        float v = (float)(i / mesh->columns) / (float)(mesh->rows - 1);
        struct brushwork_vertex vertex = {0};
        memcpy(vertex.colour, white, sizeof white);
        put_vec3(mesh->points[i], vertex.position);
        put_vec3(mesh->normals[i], vertex.normal);
        face_texture_between(uv, u, v, vertex.texture);
        if (light) {
            vertex.lightmap[0] = across_luxels(u, light->width);
            vertex.lightmap[1] = across_luxels(v, light->height);
        }
        arrput(bsp->vertices, vertex);
    }
    for (int i = 0; i < disp_mesh_triangles(mesh); i++) {
        int corners[3];
        disp_mesh_triangle(mesh, i, corners);
        add_triangle(bsp, out->first_vertex + (uint32_t)corners[0],
                     out->first_vertex + (uint32_t)corners[1],
                     out->first_vertex + (uint32_t)corners[2]);
    }
    out->columns = mesh->columns;
}

static void add_face(struct brushwork_bsp *bsp, size_t number, int32_t model)
{
    const struct bsp *from = bsp->bsp;
    const struct bsp_face *face = &from->faces[number];
    const struct bsp_texinfo *texinfo = face->texinfo >= 0 ? &from->texinfo[face->texinfo] : NULL;
    struct brushwork_face out = {
        .model = model,
        .material = texinfo ? texinfo->texdata : -1,
        .surface_flags = texinfo ? (uint32_t)texinfo->flags : 0,
        .lightmap = bsp->face_lightmaps[number],
    };
    struct arena arena = {0};
    struct disp_mesh mesh;
    begin_face(bsp, &out);
    if (face->dispinfo < 0 || out.material < 0)
        add_polygon(bsp, face, &out);
    else if (disp_mesh_build(from, face, &arena, &mesh))
        add_displacement(bsp, face, &mesh, &out);
    end_face(bsp, &out);
    arena_free(&arena);
}

/* The model of each face, -1: of none. */
static int32_t *models_of_faces(const struct bsp *from, size_t count)
{
    int32_t *models = memory_alloc((count + 1) * sizeof *models);
    for (size_t i = 0; i < count; i++)
        models[i] = -1;
    for (size_t m = 0; m < arrlenu(from->models); m++)
        for (int k = 0; k < from->models[m].face_count; k++)
            models[from->models[m].first_face + k] = (int32_t)m;
    return models;
}

/* Quake 3. */

/* Layout of a point of a patch_grid. */
enum { NORMAL = 3, TEXTURE = 6, LIGHTMAP = 8, COLOUR = 10, VALUES = 14 };

static struct brushwork_vertex vertex_of(const struct bsp_draw_vertex *from)
{
    struct brushwork_vertex vertex;
    memcpy(vertex.position, from->p, sizeof vertex.position);
    memcpy(vertex.normal, from->normal, sizeof vertex.normal);
    memcpy(vertex.texture, from->texture, sizeof vertex.texture);
    memcpy(vertex.lightmap, from->lightmap, sizeof vertex.lightmap);
    memcpy(vertex.colour, from->colour, sizeof vertex.colour);
    return vertex;
}

static void put_control(const struct bsp_draw_vertex *from, double *to)
{
    for (int k = 0; k < 3; k++) {
        to[k] = (double)from->p[k];
        to[NORMAL + k] = (double)from->normal[k];
    }
    for (int k = 0; k < 2; k++) {
        to[TEXTURE + k] = (double)from->texture[k];
        to[LIGHTMAP + k] = (double)from->lightmap[k];
    }
    for (int k = 0; k < 4; k++)
        to[COLOUR + k] = (double)from->colour[k];
}

static struct brushwork_vertex vertex_between(const double *from)
{
    struct brushwork_vertex vertex;
    struct vec3 normal = vec3(from[NORMAL], from[NORMAL + 1], from[NORMAL + 2]);
    put_vec3(vec3(from[0], from[1], from[2]), vertex.position);
    put_vec3(vec3_length(normal) > 0 ? vec3_normalize(normal) : normal, vertex.normal);
    for (int k = 0; k < 2; k++) {
        vertex.texture[k] = (float)from[TEXTURE + k];
        vertex.lightmap[k] = (float)from[LIGHTMAP + k];
    }
    for (int k = 0; k < 4; k++)
        vertex.colour[k] = (uint8_t)lround(portable_fmin(portable_fmax(from[COLOUR + k], 0), 255));
    return vertex;
}

static void add_grid(struct brushwork_bsp *bsp, const struct patch_grid *grid,
                     struct brushwork_face *out)
{
    for (int y = 0; y < grid->rows; y++)
        for (int x = 0; x < grid->columns; x++)
            arrput(bsp->vertices, vertex_between(patch_grid_at(grid, x, y)));
    for (int y = 0; y + 1 < grid->rows; y++) {
        for (int x = 0; x + 1 < grid->columns; x++) {
            uint32_t at = out->first_vertex + (uint32_t)(y * grid->columns + x);
            uint32_t below = at + (uint32_t)grid->columns;
            add_triangle(bsp, at, below, at + 1);
            add_triangle(bsp, at + 1, below, below + 1);
        }
    }
    out->columns = grid->columns;
}

static void add_patch(struct brushwork_bsp *bsp, const struct bsp_surface *patch,
                      struct brushwork_face *out)
{
    struct patch_grid controls = {patch->patch_size[0], patch->patch_size[1], VALUES, NULL};
    if (controls.columns < 3 || controls.rows < 3 || controls.columns > LARGEST_PATCH ||
        controls.rows > LARGEST_PATCH || controls.columns * controls.rows > patch->vertex_count)
        return;
    size_t count = (size_t)controls.columns * (size_t)controls.rows;
    controls.points = memory_zalloc(count * VALUES, sizeof(double));
    for (size_t i = 0; i < count; i++)
        put_control(&bsp->bsp->draw_vertices[(size_t)patch->first_vertex + i],
                    controls.points + i * VALUES);
    struct patch_grid grid = patch_grid_even(&controls, PATCH_STEPS, PATCH_STEPS);
    add_grid(bsp, &grid, out);
    patch_grid_free(&grid);
    patch_grid_free(&controls);
}

static void add_indexed(struct brushwork_bsp *bsp, const struct bsp_surface *from,
                        const struct brushwork_face *out)
{
    for (int i = 0; i < from->vertex_count; i++)
        arrput(bsp->vertices, vertex_of(&bsp->bsp->draw_vertices[from->first_vertex + i]));
    for (int i = 0; i + 2 < from->index_count; i += 3) {
        const int32_t *at = &bsp->bsp->draw_indices[from->first_index + i];
        add_triangle(bsp, out->first_vertex + (uint32_t)at[0], out->first_vertex + (uint32_t)at[1],
                     out->first_vertex + (uint32_t)at[2]);
    }
}

static void add_surface(struct brushwork_bsp *bsp, size_t number, int32_t model)
{
    const struct bsp_surface *from = &bsp->bsp->surfaces[number];
    struct brushwork_face out = {
        .model = model,
        .material = from->shader,
        .surface_flags = (uint32_t)bsp->bsp->shaders[from->shader].surface_flags,
        .lightmap =
            from->lightmap >= 0 && from->lightmap < arrlen(bsp->lightmaps) ? from->lightmap : -1,
    };
    begin_face(bsp, &out);
    if (from->type == SURFACE_PATCH)
        add_patch(bsp, from, &out);
    else if (from->type != SURFACE_FLARE && from->type != SURFACE_FOLIAGE)
        add_indexed(bsp, from, &out);
    end_face(bsp, &out);
}

/* Both. */

static void build(struct brushwork_bsp *bsp)
{
    const struct bsp *from = bsp->bsp;
    const bool has_surfaces = from->engine->geometry.has_surfaces;
    size_t count = has_surfaces ? arrlenu(from->surfaces) : arrlenu(from->faces);
    int32_t *models = models_of_faces(from, count);
    struct float_mode mode;
    float_mode_begin(&mode);
    bsp_need_lightmaps(bsp);
    for (size_t i = 0; i < count; i++) {
        if (has_surfaces)
            add_surface(bsp, i, models[i]);
        else
            add_face(bsp, i, models[i]);
    }
    float_mode_end(&mode);
    memory_free(models);
}

const struct brushwork_mesh *brushwork_bsp_mesh(struct brushwork_bsp *bsp)
{
    if (bsp_enter(bsp) != BRUSHWORK_OK)
        return NULL;
    if (!bsp->has_mesh)
        build(bsp);
    bsp->has_mesh = true;
    bsp->mesh = (struct brushwork_mesh){bsp->vertices, arrlenu(bsp->vertices),
                                        bsp->indices,  arrlenu(bsp->indices),
                                        bsp->faces,    arrlenu(bsp->faces)};
    (void)session_leave(bsp->session, BRUSHWORK_OK);
    return &bsp->mesh;
}

static size_t count_materials(const struct brushwork_bsp *bsp)
{
    const struct bsp *from = bsp->bsp;
    return from->engine->geometry.has_surfaces ? arrlenu(from->shaders) : arrlenu(from->texdata);
}

/* No call changes the materials of a BSP. */
size_t brushwork_material_count(const struct brushwork_bsp *bsp)
{
    return bsp ? count_materials(bsp) : 0;
}

static const char *name_material(struct brushwork_bsp *bsp, size_t material)
{
    const struct bsp *from = bsp->bsp;
    if (material >= count_materials(bsp))
        return "";
    if (from->engine->geometry.has_surfaces)
        return memcpy(bsp->material_name, from->shaders[material].name, SHADER_NAME);
    int32_t name = from->texdata[material].name;
    return name >= 0 ? from->texture_names[name] : "";
}

const char *brushwork_material_name(struct brushwork_bsp *bsp, size_t material)
{
    if (bsp_enter(bsp) != BRUSHWORK_OK)
        return "";
    const char *name = name_material(bsp, material);
    (void)session_leave(bsp->session, BRUSHWORK_OK);
    return name;
}

void bsp_drop_mesh(struct brushwork_bsp *bsp)
{
    arrfree(bsp->vertices);
    arrfree(bsp->indices);
    arrfree(bsp->faces);
    bsp->has_mesh = false;
}
