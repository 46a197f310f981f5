/* Surfaces of Quake 3's IBSP: polygons, meshes and patches, with their lightmap pages; and the
 * things that players pick up. */
#include <math.h>
#include <string.h>

#include "common/assets/models/mesh_model.h"
#include "common/bsp/flags.h"
#include "common/bsp/light_grid.h"
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

/* Things that players pick up in games of Quake 3: models of the game, where it puts them, lit by
 * the light grid. */

#define WEAPON 1.5 /* larger than in a player's hands */

#define TURN_SECONDS 2.048 /* of an item that turns */

enum {
    SUSPENDED = 1,   /* spawnflags: it does not fall */
    REACH = 15,      /* of the box of an item that falls to the ground */
    FALL_MAX = 1024, /* units; farther down there is no ground for it */
    FLOATS = 4,      /* units above that, in the mean */
};

struct item {
    const char *class;
    double scale;
    const char *models[2];
};

static const struct item items[] = {
#define ITEM(class, scale, model, second) {class, scale, {model, second}},
#include "scene/mesh/items.def"
#undef ITEM
};

struct item_builder {
    const struct mesh_source *source;
    struct mesh *mesh;
    struct light_grid grid;
    bool has_grid;
    struct arena arena;
};

static const struct item *item_of(const struct entity *entity)
{
    const char *class = entity_value(entity, "classname");
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (str_equal_nocase(items[i].class, class))
            return &items[i];
    return NULL;
}

/* Of a free for all, which is the game that maps start with. */
static bool is_in_game(const struct entity *entity)
{
    const char *games = entity_value(entity, "gametype");
    return (!*games || strstr(games, "ffa")) && entity_number(entity, "notfree", 0) == 0;
}

static bool is_ground(const struct bsp *bsp, struct vec3 point)
{
    const int solid = Q3_CONTENTS_SOLID | Q3_CONTENTS_PLAYERCLIP;
    return bsp_brush_contents_at(bsp, bsp_leaf_at(bsp, 0, point), point) & solid;
}

/* An item falls until its box meets the ground, which is looked for below its middle. One that
 * starts in the ground stays. */
static struct vec3 resting_place(const struct bsp *bsp, const struct entity *entity)
{
    struct vec3 at = vec3(0, 0, 0);
    entity_vector(entity, "origin", &at);
    const bool falls = !((int)entity_number(entity, "spawnflags", 0) & SUSPENDED);
    for (int down = 0; falls && down < FALL_MAX; down++) {
        if (!is_ground(bsp, vec3(at.x, at.y, at.z - (double)REACH - down)))
            continue;
        at.z -= portable_fmax(down - 1, 0);
        break;
    }
    at.z += (double)FLOATS;
    return at;
}

/* --- light --- */

static void light_of(const struct grid_light *light, struct vec3 normal, float out[3])
{
    double facing = portable_fmax(vec3_dot(normal, light->towards), 0);
    uint8_t screen[3];
    for (int k = 0; k < 3; k++)
        screen[k] = (uint8_t)portable_fmin(light->ambient[k] + facing * light->directed[k], 255);
    colour_light(screen, COLOUR_BRIGHTENED, out);
}

/* --- triangles --- */

static uint32_t surface_of(struct item_builder *b, const struct mesh_part *part, int entity)
{
    static const float grey[3] = {0.5f, 0.5f, 0.5f};
    struct scene_material material =
        scene_materials_find_shader(b->source->materials, part->shader, grey);
    struct surface surface = {.opacity = material.opacity,
                              .two_sided = true,
                              .face = -1,
                              .entity = entity,
                              .fog = -1,
                              .prop = -1};
    surface.lit_by = b->has_grid ? LIT_BY_VERTICES : LIT_BY_NORMAL;
    surface.material = mesh_add_material(b->mesh, material);
    return mesh_add_surface(b->mesh, surface);
}

static void add_part(struct item_builder *b, const struct mesh_part *part, int entity,
                     const struct transform *place, const struct grid_light *light)
{
    const uint32_t surface = surface_of(b, part, entity);
    for (int32_t i = 0; i + 2 < part->index_count; i += 3) {
        struct triangle triangle = {.surface = surface, .blend = {1, 1, 1}};
        struct vec3 points[3];
        for (int k = 0; k < 3; k++) {
            const struct mesh_vertex *vertex = &part->vertices[part->indices[i + k]];
            points[k] = transform_point(place, vertex->p);
            triangle.uv[k][0] = (float)vertex->texture[0];
            triangle.uv[k][1] = (float)vertex->texture[1];
            light_of(light, transform_normal(place, vertex->normal), triangle.corners[k]);
        }
        mesh_add(b->mesh, points, triangle);
    }
}

static void add_item_model(struct item_builder *b, const char *name, int entity,
                           const struct transform *place)
{
    struct mesh_model model;
    struct grid_light light = {.towards = vec3(0, 0, 0)};
    const struct mesh_source *source = b->source;
    const char *path = arena_printf(&b->arena, "models/%s", name);
    if (mesh_model_load_drawn(source->assets, path, 0, NULL, source->env->diag, &b->arena,
                              &model) != MESH_MODEL_LOADED)
        return;
    if (b->has_grid)
        light = light_grid_at(source->bsp, &b->grid, place->origin);
    for (int32_t i = 0; i < model.part_count; i++)
        add_part(b, &model.parts[i], entity, place, &light);
}

static void find_grid(struct item_builder *b)
{
    const struct mesh_source *source = b->source;
    struct vec3 cell = vec3(0, 0, 0);
    if (!arrlen(source->bsp->models) || !arrlen(source->bsp->light_grid) ||
        !arrlen(source->entities->entities))
        return;
    (void)entity_vector(&source->entities->entities[0], "gridsize", &cell);
    b->grid = light_grid_of(source->bsp, cell);
    b->has_grid = light_grid_points(&b->grid) == arrlenu(source->bsp->light_grid);
}

void mesh_add_items(const struct mesh_source *source, struct mesh *mesh)
{
    struct item_builder b = {.source = source, .mesh = mesh};
    if (!source->assets || !arrlen(source->bsp->nodes))
        return;
    const double yaw = 360 * fmod(source->seconds, TURN_SECONDS) / TURN_SECONDS;
    find_grid(&b);
    for (int i = 1; i < arrlen(source->entities->entities); i++) {
        const struct entity *entity = &source->entities->entities[i];
        const struct item *item = item_of(entity);
        if (!item || !is_in_game(entity))
            continue;
        struct transform place =
            transform_from_angles(resting_place(source->bsp, entity), vec3(0, yaw, 0), item->scale);
        for (int k = 0; k < 2; k++)
            if (item->models[k])
                add_item_model(&b, item->models[k], i, &place);
    }
    arena_free(&b.arena);
}
