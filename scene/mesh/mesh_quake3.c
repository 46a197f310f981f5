/* Surfaces of Quake 3's IBSP: polygons, meshes and patches, with their lightmap pages. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/patch_grid.h"
#include "scene/mesh/mesh_internal.h"

enum {
    IS_SKY = 0x4,
    IS_INVISIBLE = 0x80,
    PATCH_STEPS = 6,       /* per curve of three points */
    FOLIAGE_MAX = 1 << 24, /* corners of all: more is no map */
};

struct builder {
    const struct mesh_source *source;
    const struct bsp *bsp;
    int *materials; /* one per shader, -1: not loaded */
    struct mesh *mesh;
    size_t pages;
    int page_side;
    struct transform transform;
    int entity;
    const struct layer_list *moving; /* shader that moves vertices of the surface; or NULL */
    int32_t foliage;                 /* corners so far */
};

static size_t page_luxels(const struct builder *b)
{
    return (size_t)b->page_side * (size_t)b->page_side;
}

static void add_pages(struct builder *b)
{
    const struct bytes *lighting = &b->bsp->ldr.lighting;
    b->pages = bsp_page_count(b->bsp);
    b->page_side = bsp_page_side(b->bsp);
    size_t luxels = b->pages * page_luxels(b);
    arrsetlen(b->mesh->luxels, luxels);
    for (size_t i = 0; i < luxels; i++)
        colour_light(lighting->data + 3 * i, COLOUR_BRIGHTENED, b->mesh->luxels[i]);
}

struct corner {
    struct vec3 point, normal;
    double uv[2], st[2], light[3], opacity;
};

static struct corner corner_of(const struct builder *b, const struct bsp_draw_vertex *vertex)
{
    struct corner corner = {.point = vec3_from_floats(vertex->p),
                            .normal = vec3_from_floats(vertex->normal)};
    float light[3];
    corner.opacity = vertex->colour[3] / 255.0;
    colour_light(vertex->colour, COLOUR_BRIGHTENED, light);
    for (int k = 0; k < 2; k++) {
        corner.uv[k] = (double)vertex->texture[k];
        corner.st[k] = (double)vertex->lightmap[k] * (double)b->page_side - 0.5;
    }
    for (int k = 0; k < 3; k++)
        corner.light[k] = (double)light[k];
    return corner;
}

static void add_corners(struct builder *b, uint32_t surface, const struct corner *corners[3])
{
    struct triangle triangle = {.surface = surface};
    struct vec3 points[3];
    for (int i = 0; i < 3; i++) {
        struct vec3 point = corners[i]->point;
        if (b->moving)
            point = layers_move(b->moving, b->source->seconds, point, corners[i]->normal);
        points[i] = transform_point(&b->transform, point);
        for (int k = 0; k < 2; k++) {
            triangle.uv[i][k] = (float)corners[i]->uv[k];
            triangle.st[i][k] = (float)corners[i]->st[k];
        }
        triangle.blend[i] = (float)corners[i]->opacity;
        for (int k = 0; k < 3; k++)
            triangle.corners[i][k] = (float)corners[i]->light[k];
    }
    mesh_add(b->mesh, points, triangle);
}

/* Position, uv, st, light, opacity, normal. */
enum { CORNER_VALUES = 14 };

static void put_corner(const struct corner *corner, double *to)
{
    for (int k = 0; k < 3; k++) {
        to[k] = corner->point.e[k];
        to[7 + k] = corner->light[k];
        to[11 + k] = corner->normal.e[k];
    }
    to[10] = corner->opacity;
    for (int k = 0; k < 2; k++) {
        to[3 + k] = corner->uv[k];
        to[5 + k] = corner->st[k];
    }
}

static struct corner corner_at(const struct patch_grid *grid, int column, int row)
{
    const double *from = patch_grid_at(grid, column, row);
    return (struct corner){.point = vec3(from[0], from[1], from[2]),
                           .uv = {from[3], from[4]},
                           .st = {from[5], from[6]},
                           .light = {from[7], from[8], from[9]},
                           .opacity = from[10],
                           .normal = vec3_normalize(vec3(from[11], from[12], from[13]))};
}

static void add_grid(struct builder *b, const struct patch_grid *grid, uint32_t surface)
{
    for (int y = 0; y + 1 < grid->rows; y++) {
        for (int x = 0; x + 1 < grid->columns; x++) {
            const struct corner at[4] = {corner_at(grid, x, y), corner_at(grid, x + 1, y),
                                         corner_at(grid, x, y + 1), corner_at(grid, x + 1, y + 1)};
            const struct corner *one[3] = {&at[0], &at[2], &at[1]};
            const struct corner *two[3] = {&at[1], &at[2], &at[3]};
            add_corners(b, surface, one);
            add_corners(b, surface, two);
        }
    }
}

static void add_patch(struct builder *b, const struct bsp_surface *patch, uint32_t surface)
{
    struct patch_grid controls = {patch->patch_size[0], patch->patch_size[1], CORNER_VALUES, NULL};
    int count = controls.columns * controls.rows;
    controls.points = memory_zalloc((size_t)count * CORNER_VALUES, sizeof(double));
    for (int i = 0; i < count; i++) {
        struct corner corner = corner_of(b, &b->bsp->draw_vertices[patch->first_vertex + i]);
        put_corner(&corner, controls.points + (size_t)i * CORNER_VALUES);
    }
    if (controls.columns >= 3 && controls.rows >= 3) {
        struct patch_grid grid = patch_grid_even(&controls, PATCH_STEPS, PATCH_STEPS);
        add_grid(b, &grid, surface);
        patch_grid_free(&grid);
    }
    patch_grid_free(&controls);
}

static void add_indexed(struct builder *b, const struct bsp_surface *from, uint32_t surface,
                        bool sky)
{
    for (int i = 0; i + 2 < from->index_count; i += 3) {
        struct corner corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = corner_of(
                b, &b->bsp->draw_vertices[from->first_vertex +
                                          b->bsp->draw_indices[from->first_index + i + k]]);
        const struct corner *three[3] = {&corners[0], &corners[1], &corners[2]};
        const struct vec3 points[3] = {corners[0].point, corners[1].point, corners[2].point};
        if (sky)
            mesh_add_sky(b->mesh, points, b->mesh->surfaces[surface].fog);
        else
            add_corners(b, surface, three);
    }
}

/* A model at each of its places. */
static void add_foliage(struct builder *b, const struct bsp_surface *from, uint32_t surface)
{
    const struct vec3 origin = b->transform.origin;
    const int64_t vertices = from->patch_size[1], places = from->patch_size[0];
    for (int64_t i = 0; vertices >= 0 && i < places && vertices + i < from->vertex_count; i++) {
        if (b->foliage > FOLIAGE_MAX - from->index_count)
            break;
        b->foliage += from->index_count;
        const struct bsp_draw_vertex *at =
            &b->bsp->draw_vertices[from->first_vertex + vertices + i];
        b->transform.origin = vec3_add(origin, vec3_from_floats(at->p));
        add_indexed(b, from, surface, false);
    }
    b->transform.origin = origin;
}

static int material_of(struct builder *b, int shader)
{
    static const float grey[3] = {0.5f, 0.5f, 0.5f};
    if (b->materials[shader] < 0) {
        char name[SHADER_NAME + 1] = {0};
        memcpy(name, b->bsp->shaders[shader].name, SHADER_NAME);
        struct scene_material material =
            scene_materials_find_shader(b->source->materials, name, grey);
        b->materials[shader] = mesh_add_material(b->mesh, material);
    }
    return b->materials[shader];
}

static int fog_of(const struct builder *b, const struct bsp_surface *surface)
{
    bool known = surface->effect >= 0 && surface->effect < arrlen(b->bsp->effects);
    return known ? surface->effect : -1;
}

static const struct layer_list *moving_of(const struct builder *b, int material)
{
    const struct layer_list *layers = b->mesh->materials[material].layers;
    return b->source->moves_vertices && layers && layers->deform_count ? layers : NULL;
}

static void add_surface(struct builder *b, int index)
{
    const struct bsp_surface *from = &b->bsp->surfaces[index];
    int flags = bsp_shader_surface(b->bsp, from->shader);
    if ((flags & IS_INVISIBLE && !b->source->tools) || from->type == SURFACE_FLARE)
        return;
    int material = material_of(b, from->shader);
    struct surface surface = {.material = material,
                              .opacity = b->mesh->materials[material].opacity,
                              .two_sided = true,
                              .width = b->page_side,
                              .height = b->page_side,
                              .face = index,
                              .entity = b->entity,
                              .fog = fog_of(b, from),
                              .prop = -1};
    if (from->lightmap >= 0 && (size_t)from->lightmap < b->pages) {
        surface.lit_by = LIT_BY_LUXELS;
        surface.luxels = (size_t)from->lightmap * page_luxels(b);
    } else {
        surface.lit_by = b->mesh->lit ? LIT_BY_VERTICES : LIT_BY_NORMAL;
    }
    uint32_t number = mesh_add_surface(b->mesh, surface);
    b->moving = moving_of(b, material);
    if (from->type == SURFACE_PATCH)
        add_patch(b, from, number);
    else if (from->type == SURFACE_FOLIAGE)
        add_foliage(b, from, number);
    else
        add_indexed(b, from, number, flags & IS_SKY);
}

static void add_model(struct builder *b, const struct bsp_model *model)
{
    for (int i = 0; i < model->face_count; i++)
        add_surface(b, model->first_face + i);
}

void mesh_add_quake3(const struct mesh_source *source, struct mesh *mesh)
{
    struct builder b = {.source = source, .bsp = source->bsp, .mesh = mesh};
    for (size_t i = 0; i < arrlenu(b.bsp->shaders); i++)
        arrput(b.materials, -1);
    add_pages(&b);
    b.transform = transform_from_angles(vec3(0, 0, 0), vec3(0, 0, 0), 1);
    if (arrlen(b.bsp->models) > 0)
        add_model(&b, &b.bsp->models[0]);
    for (int i = 1; i < arrlen(source->entities->entities); i++) {
        const struct entity *entity = &source->entities->entities[i];
        const char *name = entity_value(entity, "model");
        struct vec3 origin = vec3(0, 0, 0);
        int64_t number;
        if (name[0] != '*' || !str_to_int64(name + 1, &number) || number < 1 ||
            number >= arrlen(b.bsp->models))
            continue;
        entity_vector(entity, "origin", &origin);
        b.transform.origin = origin;
        b.entity = i;
        add_model(&b, &b.bsp->models[number]);
    }
    arrfree(b.materials);
}
