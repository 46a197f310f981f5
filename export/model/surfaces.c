#include "export/model/surfaces.h"

#include <math.h>

#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"
#include "export/bake/vertices.h"
#include "export/model/model.h"
#include "scene/mesh/smooth_normals.h"

static int part_of(struct export_parts *builder, int material)
{
    ptrdiff_t at = hmgeti(builder->by_material, material);
    if (at >= 0)
        return builder->by_material[at].value;
    int number = (int)arrlen(builder->parts);
    hmput(builder->by_material, material, number);
    arrput(builder->parts, ((struct export_part){.material = material}));
    return number;
}

static void clean(float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = isfinite(numbers[i]) ? numbers[i] + 0.0f : 0; /* -0 is 0 */
}

static void make_unit(float normal[3])
{
    struct vec3 unit = vec3_normalize(vec3_from_floats(normal));
    if (!vec3_is_finite(unit) || vec3_length(unit) < 0.5)
        unit = vec3(0, 1, 0);
    vec3_to_floats(unit, normal);
}

static uint32_t vertex_of(struct export_parts *builder, int part, const struct export_vertex *from)
{
    struct corner_row row;
    memset(&row, 0, sizeof row); /* keys are compared with their padding */
    row.key.part = part;
    row.key.vertex = *from;
    struct export_vertex *vertex = &row.key.vertex;
    clean(vertex->normal, 3);
    make_unit(vertex->normal);
    clean((float *)vertex, sizeof *vertex / sizeof(float));
    ptrdiff_t at = hmgeti(builder->corners, row.key);
    if (at >= 0)
        return builder->corners[at].value;
    row.value = (uint32_t)arrlen(builder->parts[part].vertices);
    arrput(builder->parts[part].vertices, *vertex);
    hmputs(builder->corners, row);
    return row.value;
}

/* Adds a triangle. Numbers that are not finite become 0, and normals have unit length. */
static void export_parts_add(struct export_parts *builder, int material,
                             const struct export_vertex corners[3])
{
    int part = part_of(builder, material);
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = vertex_of(builder, part, &corners[i]);
        arrput(builder->parts[part].indices, vertex);
    }
}

int export_parts_finish(struct export_parts *builder, const char *name, struct export_model *scene)
{
    int number = -1;
    if (arrlen(builder->parts) > 0) {
        number = (int)arrlen(scene->meshes);
        arrput(scene->meshes, ((struct export_mesh){name, builder->parts}));
    }
    hmfree(builder->by_material);
    hmfree(builder->corners);
    *builder = (struct export_parts){0};
    return number;
}

#define WHITE 255.0f

/* --- places --- */

struct transform export_entity_place(const struct map_scene *map, int entity)
{
    struct vec3 origin = vec3(0, 0, 0), angles = origin;
    if (entity > 0) /* the world has none */
        entity_vector(&map->entities.entities[entity], "origin", &origin);
    if (entity > 0 && !map->bsp->engine->geometry.has_surfaces)
        entity_vector(&map->entities.entities[entity], "angles", &angles);
    if (!vec3_is_finite(origin) || !vec3_is_finite(angles))
        origin = angles = vec3(0, 0, 0);
    return transform_from_angles(origin, angles, 1);
}

static struct vec3 inside(const struct transform *place, struct vec3 direction)
{
    return vec3(vec3_dot(direction, place->axes[0]), vec3_dot(direction, place->axes[1]),
                vec3_dot(direction, place->axes[2]));
}

void export_page_place(const struct light_atlas *atlas, int block, const float st[2], float out[2])
{
    const struct light_block *on = &atlas->blocks[block];
    const int at[2] = {on->x, on->y}, size[2] = {on->width, on->height};
    for (int k = 0; k < 2; k++) {
        float luxel = portable_fminf(portable_fmaxf(st[k], 0), (float)(size[k] - 1));
        out[k] = ((float)at[k] + 0.5f + luxel) / (float)atlas->side;
    }
}

/* --- baked light --- */

struct split_job {
    const struct material_builder *materials;
    uint32_t triangle;
    int material;
    const struct export_vertex *corners;
    struct export_parts *parts;
};

/* The numbers of a vertex between the corners, which are in the other order. */
static void vertex_between(const struct export_vertex corners[3], const double weights[3],
                           struct export_vertex *out)
{
    enum { NUMBERS = sizeof *out / sizeof(float) };
    float numbers[3][NUMBERS], *to = (float *)out;
    for (int k = 0; k < 3; k++)
        memcpy(numbers[k], &corners[k], sizeof numbers[k]);
    for (int i = 0; i < NUMBERS; i++)
        to[i] = (float)(weights[2] * (double)numbers[0][i] + weights[1] * (double)numbers[1][i] +
                        weights[0] * (double)numbers[2][i]);
}

static void add_part(void *context, const struct bake_corner corners[3])
{
    const struct split_job *job = context;
    struct export_vertex vertices[3];
    for (int k = 0; k < 3; k++) {
        const struct bake_corner *from = &corners[2 - k];
        vertex_between(job->corners, from->weights, &vertices[k]);
        bake_corner_light(job->materials->bake, job->triangle, from, vertices[k].colour);
    }
    export_parts_add(job->parts, job->material, vertices);
}

void export_triangle_add(const struct material_builder *materials, uint32_t triangle, int material,
                         const struct export_vertex corners[3], struct export_parts *parts)
{
    const struct bake *bake = materials->bake;
    struct export_vertex placed[3] = {corners[0], corners[1], corners[2]};
    struct split_job job = {materials, triangle, material, corners, parts};
    for (int k = 0; k < 3 && bake->places; k++)
        memcpy(placed[k].uv, bake->places[triangle][2 - k], sizeof placed[k].uv);
    if (bake->form == EXPORT_BAKE_VERTEX)
        bake_split(bake, triangle, add_part, &job);
    else
        export_parts_add(parts, material, placed);
}

/* --- surfaces --- */

struct surface_job {
    struct material_builder *materials;
    const float *positions;      /* 9 of each triangle of the mesh */
    struct export_parts *meshes; /* of each entity */
    float (*normals)[3][3];      /* stb_ds array, of the triangles of a surface */
    const float **corners;       /* stb_ds array, of the same */
};

static const char *name_of(struct material_builder *b, const struct surface *surface)
{
    const struct bsp *bsp = b->map->bsp;
    if (surface->face < 0)
        return "item";
    if (bsp->engine->geometry.has_surfaces)
        return arena_strndup(&b->scene->arena,
                             bsp->shaders[bsp->surfaces[surface->face].shader].name, SHADER_NAME);
    int texinfo = bsp->faces[surface->face].texinfo;
    int texdata = texinfo >= 0 ? bsp->texinfo[texinfo].texdata : -1;
    int name = texdata >= 0 ? bsp->texdata[texdata].name : -1;
    return name >= 0 ? bsp->texture_names[name] : "";
}

/* Of the texture, or of the grid in its place. */
static void place_texture(const struct mesh *mesh, const struct triangle *triangle, int corner,
                          struct vec3 point, float uv[2])
{
    double grid[2];
    memcpy(uv, triangle->uv[corner], sizeof triangle->uv[corner]);
    if (!mesh->materials[mesh->surfaces[triangle->surface].material].grid)
        return;
    grid_place(point, vec3_from_floats(triangle->normal), grid);
    for (int k = 0; k < 2; k++)
        uv[k] = (float)grid[k];
}

static void fill_vertex(const struct surface_job *job, uint32_t triangle, int corner,
                        const struct transform *place, int block, struct export_vertex *out)
{
    const struct mesh *mesh = &job->materials->map->mesh;
    const struct triangle *from = &mesh->triangles[triangle];
    struct vec3 p = vec3_from_floats(job->positions + 9 * (size_t)triangle + 3 * corner);
    export_point(inside(place, vec3_sub(p, place->origin)), job->materials->scene->units,
                 out->position);
    place_texture(mesh, from, corner, p, out->uv);
    out->blend = from->blend[corner];
    if (block >= 0)
        export_page_place(job->materials->atlas, block, from->st[corner], out->page);
    if (mesh->surfaces[from->surface].lit_by == LIT_BY_VERTICES)
        for (int k = 0; k < 3; k++)
            out->light[k] = from->corners[corner][k] / WHITE;
}

static void smooth(struct surface_job *job, size_t first, size_t count)
{
    arrsetlen(job->corners, count);
    arrsetlen(job->normals, count);
    for (size_t i = 0; i < count; i++)
        job->corners[i] = job->positions + 9 * (size_t)job->materials->order->triangles[first + i];
    smooth_normals_of(job->corners, count, job->normals);
}

static void add_surface(struct surface_job *job, size_t number, const struct transform *place)
{
    const struct surface *surface = &job->materials->map->mesh.surfaces[number];
    const struct light_atlas *atlas = job->materials->atlas;
    const struct surface_order *order = job->materials->order;
    size_t first = order->first[number], count = surface_order_count(order, number);
    int block = surface->lit_by == LIT_BY_LUXELS && atlas->pages ? atlas->block_of[number] : -1;
    int material =
        count == 0 ? -1
                   : material_builder_add(job->materials, surface, name_of(job->materials, surface),
                                          block >= 0 ? atlas->blocks[block].page : -1);
    if (material < 0)
        return;
    smooth(job, first, count);
    for (size_t i = 0; i < count; i++) {
        struct export_vertex corners[3];
        memset(corners, 0, sizeof corners);
        for (int k = 0; k < 3; k++) { /* the other way round */
            int from = 2 - k;
            fill_vertex(job, order->triangles[first + i], from, place, block, &corners[k]);
            export_direction(inside(place, vec3_from_floats(job->normals[i][from])),
                             corners[k].normal);
        }
        export_triangle_add(job->materials, order->triangles[first + i], material, corners,
                            &job->meshes[surface->entity]);
    }
}

void export_surfaces(struct material_builder *materials)
{
    const struct map_scene *map = materials->map;
    size_t entities = arrlenu(materials->scene->nodes), count;
    struct surface_job job = {.materials = materials};
    struct transform *places = memory_alloc((entities + 1) * sizeof *places);
    job.positions = trace_positions(map->mesh.trace, TRACE_FACE, &count);
    job.meshes = memory_zalloc(entities + 1, sizeof *job.meshes);
    for (size_t i = 0; i < entities; i++)
        places[i] = export_entity_place(map, (int)i);
    for (size_t i = 0; i < arrlenu(map->mesh.surfaces); i++)
        if (map->mesh.surfaces[i].prop < 0)
            add_surface(&job, i, &places[map->mesh.surfaces[i].entity]);
    for (size_t i = 0; i < entities; i++)
        materials->scene->nodes[i].mesh =
            export_parts_finish(&job.meshes[i], materials->scene->nodes[i].name, materials->scene);
    memory_free(job.meshes);
    memory_free(places);
    arrfree(job.normals);
    arrfree(job.corners);
}

int export_sky(struct material_builder *materials)
{
    static const float blue[4] = {0.3f, 0.5f, 0.8f, 1};
    struct export_parts builder = {0};
    size_t count;
    const float *positions = trace_positions(materials->map->mesh.trace, TRACE_SKY, &count);
    int material = count ? material_builder_plain(materials, "sky", blue) : -1;
    for (size_t i = 0; i < count; i++) {
        const float *corners = positions + 9 * i;
        struct export_vertex vertices[3];
        float normal[1][3][3];
        memset(vertices, 0, sizeof vertices);
        smooth_normals_of(&corners, 1, normal);
        for (int k = 0; k < 3; k++) {
            export_point(vec3_from_floats(corners + 3 * (2 - k)), materials->scene->units,
                         vertices[k].position);
            export_direction(vec3_from_floats(normal[0][2 - k]), vertices[k].normal);
        }
        export_parts_add(&builder, material, vertices);
    }
    return export_parts_finish(&builder, "sky", materials->scene);
}
