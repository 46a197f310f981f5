/* Things that players pick up in games of Quake 3: models of the game, where it puts them, lit by
 * the light grid. */
#include <math.h>
#include <string.h>

#include "common/assets/models/mesh_model.h"
#include "common/bsp/flags.h"
#include "common/bsp/light_grid.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "scene/mesh/mesh_internal.h"

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

struct builder {
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

static uint32_t surface_of(struct builder *b, const struct mesh_part *part, int entity)
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

static void add_part(struct builder *b, const struct mesh_part *part, int entity,
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

static void add_model(struct builder *b, const char *name, int entity,
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

static void find_grid(struct builder *b)
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
    struct builder b = {.source = source, .mesh = mesh};
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
                add_model(&b, item->models[k], i, &place);
    }
    arena_free(&b.arena);
}
