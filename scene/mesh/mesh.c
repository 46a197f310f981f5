#include "scene/mesh/mesh.h"

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/internal.def"
#include "scene/mesh/face_coordinates.h"
#include "scene/mesh/mesh_internal.h"
#include "vrad/luxels/colour.h"
#include "vrad/scene/disp_mesh.h"

/* --- faces and displacements of the world and of brush entities --- */

enum {
    IS_SKY = SURFACE_SKY | SURFACE_SKY2D,
    IS_INVISIBLE = SURFACE_NODRAW | SURFACE_SKIP | SURFACE_HINT | SURFACE_TRIGGER,
};

/* rendermode of entities that are not drawn. */
#define RENDER_MODE_NONE 10.0

/* Opacities of materials that are translucent to an unknown degree. */
#define WATER_OPACITY 0.75f
#define GLASS_OPACITY 0.35f

struct builder {
    const struct mesh_source *source;
    const struct bsp *bsp;
    struct mesh *mesh;
    struct arena arena;
    int *materials; /* one per texdata, -1: not loaded */
    struct transform transform;
    int *water; /* per plane: texdata of faces of liquids on it that face along its normal, or -1 */
    float opacity; /* of the entity */
    int entity;
};

static int material_of(struct builder *b, int texdata)
{
    static const float grey[3] = {0.5f, 0.5f, 0.5f};
    const struct bsp *bsp = b->bsp;
    if (b->materials[texdata] < 0) {
        const struct bsp_texdata *data = &bsp->texdata[texdata];
        const float *colour = data->reflectivity;
        bool known = colour[0] > 0 || colour[1] > 0 || colour[2] > 0;
        const char *name = data->name >= 0 ? bsp->texture_names[data->name] : "";
        struct scene_material material =
            scene_materials_find(b->source->materials, name, known ? colour : grey);
        b->materials[texdata] = mesh_add_material(b->mesh, material);
    }
    return b->materials[texdata];
}

/* Decodes the lightmap of style 0. Returns false when the face has none. */
static bool add_luxels(struct builder *b, const struct bsp_face *face, bool bumped,
                       struct surface *surface)
{
    const struct bytes *lighting = &b->source->light->lighting;
    int64_t width = (int64_t)face->lightmap_size[0] + 1;
    int64_t height = (int64_t)face->lightmap_size[1] + 1;
    int style = 0;
    while (style < BSP_FACE_STYLES && face->styles[style] != 0)
        style++;
    if (face->light_offset < 0 || style == BSP_FACE_STYLES || width < 1 || height < 1)
        return false;
    int64_t count = width * height;
    int64_t at = face->light_offset + 4 * count * style * (bumped ? 4 : 1);
    if (count > (int64_t)lighting->size || at + 4 * count > (int64_t)lighting->size)
        return false;
    /* In a damaged file many faces may share the same luxels. */
    if (arrlenu(b->mesh->luxels) + (uint64_t)count > lighting->size)
        return false;
    surface->luxels = arrlenu(b->mesh->luxels);
    surface->width = (int)width;
    surface->height = (int)height;
    float(*to)[3] = (float(*)[3])arraddnptr(b->mesh->luxels, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        const unsigned char *p = lighting->data + at + 4 * i;
        struct bsp_colour colour = {p[0], p[1], p[2], (int8_t)p[3]};
        colour_decode(colour, to[i]);
    }
    return true;
}

static enum lit_by light_of(struct builder *b, const struct bsp_face *face, int flags,
                            struct surface *surface)
{
    if (!b->mesh->lit)
        return LIT_BY_NORMAL;
    if (b->mesh->materials[surface->material].unlit)
        return LIT_FULLBRIGHT;
    if (add_luxels(b, face, flags & SURFACE_BUMPLIGHT, surface))
        return LIT_BY_LUXELS;
    return flags & SURFACE_NOLIGHT && !(flags & SURFACE_WARP) ? LIT_FULLBRIGHT : LIT_BY_AMBIENT;
}

static void find_water(struct builder *b)
{
    const struct bsp *bsp = b->bsp;
    size_t planes = arrlenu(bsp->planes);
    b->water = memory_alloc((planes + 1) * sizeof *b->water);
    for (size_t i = 0; i < planes; i++)
        b->water[i] = -1;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        const struct bsp_face *face = &bsp->faces[i];
        if (face->texinfo >= 0 && bsp->texinfo[face->texinfo].flags & SURFACE_WARP)
            b->water[face->plane] = bsp->texinfo[face->texinfo].texdata;
    }
}

/* Liquids may have faces for both sides in the same place. */
static void find_other_side(struct builder *b, const struct bsp_face *face, struct surface *surface)
{
    size_t other = (size_t)face->plane ^ 1;
    surface->paired = surface->two_sided && other < arrlenu(b->bsp->planes) && b->water[other] >= 0;
    if (surface->paired)
        surface->back_material = material_of(b, b->water[other]);
}

static uint32_t surface_of(struct builder *b, const struct bsp_face *face, int number)
{
    const struct bsp_texinfo *texinfo = &b->bsp->texinfo[face->texinfo];
    struct surface surface = {.material = material_of(b, texinfo->texdata),
                              .opacity = b->opacity,
                              .face = number,
                              .entity = b->entity,
                              .fog = -1,
                              .prop = -1};
    const struct scene_material *material = &b->mesh->materials[surface.material];
    if (texinfo->flags & SURFACE_WARP || material->water)
        surface.opacity *= WATER_OPACITY;
    else if (texinfo->flags & SURFACE_TRANS && !material->base)
        surface.opacity *= material->opacity < 1 ? 1 : GLASS_OPACITY;
    surface.two_sided = texinfo->flags & SURFACE_WARP;
    find_other_side(b, face, &surface);
    surface.lit_by = light_of(b, &b->source->faces[number], texinfo->flags, &surface);
    return mesh_add_surface(b->mesh, surface);
}

static void add_polygon(struct builder *b, const struct bsp_face *face, uint32_t surface)
{
    for (int i = 2; i < face->edge_count; i++) {
        const int corners[3] = {0, i - 1, i};
        struct vec3 points[3];
        struct triangle triangle = {.surface = surface};
        for (int k = 0; k < 3; k++) {
            points[k] = bsp_vertex_at(b->bsp, bsp_face_vertex(b->bsp, face, corners[k]));
            face_texture_at(b->bsp, face, points[k], triangle.uv[k]);
            face_luxel_at(b->bsp, face, points[k], triangle.st[k]);
            points[k] = transform_point(&b->transform, points[k]);
        }
        mesh_add(b->mesh, points, triangle);
    }
}

static void add_sky(struct builder *b, const struct bsp_face *face)
{
    for (int i = 2; i < face->edge_count; i++) {
        const int corners[3] = {0, i - 1, i};
        struct vec3 points[3];
        for (int k = 0; k < 3; k++)
            points[k] = bsp_vertex_at(b->bsp, bsp_face_vertex(b->bsp, face, corners[k]));
        mesh_add_sky(b->mesh, points, -1);
    }
}

static void add_displacement(struct builder *b, const struct bsp_face *face, uint32_t surface)
{
    struct arena_mark mark = arena_mark(&b->arena);
    struct disp_mesh mesh;
    float uv[4][2];
    if (disp_mesh_build(b->bsp, face, &b->arena, &mesh)) {
        const struct bsp_displacement *info = &b->bsp->displacements[face->dispinfo];
        int cells = mesh.columns - 1;
        face_texture_corners(b->bsp, face, uv);
        for (int i = 0; i < 2 * cells * cells; i++) {
            struct triangle triangle = {.surface = surface};
            struct vec3 points[3];
            int corners[3];
            disp_mesh_triangle(&mesh, i, corners);
            for (int k = 0; k < 3; k++) {
                float u = (float)(corners[k] % mesh.columns) / (float)cells;
                float v = (float)(corners[k] / mesh.columns) / (float)cells;
                face_texture_between(uv, u, v, triangle.uv[k]);
                triangle.st[k][0] = u * (float)face->lightmap_size[0];
                triangle.st[k][1] = v * (float)face->lightmap_size[1];
                triangle.blend[k] =
                    b->bsp->disp_vertices[info->first_vertex + corners[k]].alpha / 255;
                points[k] = transform_point(&b->transform, mesh.points[corners[k]]);
            }
            mesh_add(b->mesh, points, triangle);
        }
    }
    arena_release(&b->arena, mark);
}

static void add_face(struct builder *b, int number)
{
    const struct bsp_face *face = &b->bsp->faces[number];
    int flags = face->texinfo >= 0 ? b->bsp->texinfo[face->texinfo].flags : SURFACE_NODRAW;
    if (face->edge_count < 3)
        return;
    if (flags & IS_SKY)
        add_sky(b, face);
    else if ((!(flags & IS_INVISIBLE) || b->source->tools) && face->texinfo >= 0 &&
             b->bsp->texinfo[face->texinfo].texdata >= 0) {
        if (face->dispinfo >= 0)
            add_displacement(b, face, surface_of(b, face, number));
        else
            add_polygon(b, face, surface_of(b, face, number));
    }
}

static void add_model(struct builder *b, const struct bsp_model *model)
{
    for (int i = 0; i < model->face_count; i++)
        add_face(b, model->first_face + i);
}

static void add_entity(struct builder *b, int index)
{
    const struct entity *entity = &b->source->entities->entities[index];
    const char *name = entity_value(entity, "model");
    struct vec3 origin = vec3(0, 0, 0), angles = origin;
    int64_t number;
    if (name[0] != '*' || !str_to_int64(name + 1, &number) || number < 1 ||
        number >= arrlen(b->bsp->models))
        return;
    double mode = entity_number(entity, "rendermode", 0);
    if (mode == RENDER_MODE_NONE ||
        (entity_is(entity, "func_brush") && entity_number(entity, "StartDisabled", 0) != 0))
        return;
    double amount = entity_number(entity, "renderamt", 255) / 255;
    b->opacity = mode > 0 && amount >= 0 && amount < 1 ? (float)amount : 1;
    entity_vector(entity, "origin", &origin);
    entity_vector(entity, "angles", &angles);
    b->entity = index;
    b->transform = transform_from_angles(origin, angles, 1);
    if (b->opacity > 0 && vec3_is_finite(origin) && vec3_is_finite(angles))
        add_model(b, &b->bsp->models[number]);
}

static void add_overlay_materials(struct builder *b)
{
    const struct bsp *bsp = b->bsp;
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++) {
        int texinfo = bsp->overlays[i].texinfo;
        int texdata = texinfo >= 0 ? bsp->texinfo[texinfo].texdata : -1;
        arrput(b->mesh->overlay_materials, texdata >= 0 ? material_of(b, texdata) : -1);
    }
}

void mesh_add_faces(const struct mesh_source *source, struct mesh *mesh)
{
    const struct bsp *bsp = source->bsp;
    struct builder b = {.source = source, .bsp = bsp, .mesh = mesh, .opacity = 1};
    b.materials = memory_alloc((arrlenu(bsp->texdata) + 1) * sizeof(int));
    for (size_t i = 0; i < arrlenu(bsp->texdata); i++)
        b.materials[i] = -1;
    find_water(&b);
    b.transform = transform_from_angles(vec3(0, 0, 0), vec3(0, 0, 0), 1);
    if (arrlen(bsp->models) > 0)
        add_model(&b, &bsp->models[0]);
    for (int i = 1; i < arrlen(source->entities->entities); i++)
        add_entity(&b, i);
    add_overlay_materials(&b);
    memory_free(b.materials);
    memory_free(b.water);
    arena_free(&b.arena);
}

/* --- the mesh --- */

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
