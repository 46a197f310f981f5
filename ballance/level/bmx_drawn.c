#include "ballance/level/bmx_drawn.h"

#include "ballance/bmx/check.h"
#include "ballance/bmx/names.h"
#include "ballance/level/level_maker.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"

enum { IS_INVISIBLE = 0x80 };

struct drawer {
    struct level_maker maker;
    struct bsp *bsp;
    struct entity_list entities;
};

/* Coordinates that pictures can have. */
#define FARTHEST 1e9

/* --- materials --- */

static void add_shader(struct drawer *drawer, const char *name, bool hidden)
{
    struct bsp_shader shader = {.surface_flags = hidden ? IS_INVISIBLE : 0};
    strncpy(shader.name, name, sizeof shader.name - 1);
    arrput(drawer->bsp->shaders, shader);
}

/* The shader of a material of a face: that of a visible object, then that of a hidden one. */
static int shader_of(int material, bool hidden)
{
    return 2 * (material + 1) + hidden;
}

static void add_materials(struct drawer *drawer)
{
    struct level_maker *maker = &drawer->maker;
    maker_add_materials(maker);
    for (int hidden = 0; hidden < 2; hidden++)
        add_shader(drawer, maker_material(maker, -1), hidden);
    for (size_t i = 0; i < arrlenu(maker->materials); i++) {
        if (!maker->images[i])
            maker->images[i] = maker_stand_in(maker, &maker->bmx->materials[i]);
        for (int hidden = 0; hidden < 2; hidden++)
            add_shader(drawer, maker->materials[i], hidden);
    }
    maker_add_shaders(maker);
}

/* --- objects --- */

static void add_corner(struct drawer *drawer, const struct bmx_object *object,
                       const struct bmx_corner *corner)
{
    const struct bmx_mesh *mesh = &drawer->maker.bmx->meshes[object->mesh];
    struct bsp_draw_vertex vertex = {.colour = {255, 255, 255, 255}};
    struct vec3 p = vec3_sub(bmx_place(object->matrix, mesh->positions[corner->position].xyz),
                             bmx_to_map(object->matrix + 12));
    struct vec3 n = bmx_place_normal(object->matrix, mesh->normals[corner->normal].xyz);
    for (int k = 0; k < 3; k++) {
        vertex.p[k] = (float)portable_fmax(portable_fmin(p.e[k], FARTHEST), -FARTHEST);
        vertex.normal[k] = (float)n.e[k];
    }
    memcpy(vertex.texture, mesh->uvs[corner->uv].uv, sizeof vertex.texture);
    arrput(drawer->bsp->draw_vertices, vertex);
}

/* Appends the faces from *at on that have one material, as a surface. */
static void add_surface(struct drawer *drawer, const struct bmx_object *object, size_t *at)
{
    const struct bmx_face *faces = drawer->maker.bmx->meshes[object->mesh].faces;
    const struct bmx_face *first = &faces[*at];
    bool mirrored = bmx_is_mirrored(object->matrix);
    struct bsp_surface surface = {
        .type = SURFACE_MESH,
        .effect = -1,
        .lightmap = -1,
        .shader = shader_of(first->use_material ? (int)first->material : -1, object->is_hidden),
        .first_vertex = (int32_t)arrlen(drawer->bsp->draw_vertices),
        .first_index = (int32_t)arrlen(drawer->bsp->draw_indices)};
    for (; *at < arrlenu(faces) && faces[*at].use_material == first->use_material &&
           faces[*at].material == first->material;
         ++*at)
        for (int k = 0; k < 3; k++) {
            arrput(drawer->bsp->draw_indices, surface.vertex_count++);
            add_corner(drawer, object, &faces[*at].corners[mirrored ? 2 - k : k]);
        }
    surface.index_count = surface.vertex_count;
    arrput(drawer->bsp->surfaces, surface);
}

static void add_object(struct drawer *drawer, const struct bmx_object *object)
{
    struct map_entity entity = maker_entity(&drawer->maker, object);
    struct bsp_model model = {.head_node = -1,
                              .first_face = (int32_t)arrlen(drawer->bsp->surfaces)};
    struct vec3 origin = bmx_to_map(object->matrix + 12);
    maker_set(&drawer->maker, &entity, "origin", "%.10g %.10g %.10g", origin.x + 0.0,
              origin.y + 0.0, origin.z + 0.0);
    if (!object->is_component) {
        const struct bmx_mesh *mesh = &drawer->maker.bmx->meshes[object->mesh];
        for (size_t i = 0; i < arrlenu(mesh->faces);)
            add_surface(drawer, object, &i);
        model.face_count = (int32_t)arrlen(drawer->bsp->surfaces) - model.first_face;
        maker_set(&drawer->maker, &entity, "model", "*%zu", arrlenu(drawer->bsp->models));
        arrput(drawer->bsp->models, model);
    }
    arrput(drawer->entities.entities, entity.keys);
}

static void add_world(struct drawer *drawer)
{
    struct map_entity world = {0};
    arrput(drawer->bsp->models, ((struct bsp_model){.head_node = -1}));
    arrput(drawer->bsp->leaves, (struct bsp_leaf){0});
    maker_set(&drawer->maker, &world, "classname", "worldspawn");
    arrput(drawer->entities.entities, world.keys);
}

static void add_start(struct drawer *drawer)
{
    struct map_entity start = maker_start(&drawer->maker);
    struct vec3 outside = maker_outside_view(&drawer->maker);
    if (!maker_has_start(&drawer->maker))
        maker_set(&drawer->maker, &start, "origin", "%.10g %.10g %.10g", outside.x, outside.y,
                  outside.z);
    arrput(drawer->entities.entities, start.keys);
}

static void draw(struct drawer *drawer)
{
    const struct bmx *bmx = drawer->maker.bmx;
    struct bytes text = {0};
    add_materials(drawer);
    add_world(drawer);
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        add_object(drawer, &bmx->objects[i]);
    add_start(drawer);
    entities_format(&drawer->entities, &text);
    memcpy(arraddnptr(drawer->bsp->entities, text.size), text.data, text.size);
    bytes_free(&text);
}

enum status bmx_drawn_read(const void *data, size_t size, const char *name, const char *file,
                           struct diag *diag, struct bsp **out, struct bmx_level_files *files)
{
    struct bmx *bmx;
    *out = NULL;
    *files = (struct bmx_level_files){0};
    TRY(bmx_level_decode(data, size, file, diag, &bmx));
    const struct bmx_level_options options = {.name = name};
    struct level level = {0};
    struct drawer drawer = {.bsp = *out = bsp_new(),
                            .maker = {.bmx = bmx,
                                      .options = &options,
                                      .file = file,
                                      .diag = diag,
                                      .level = &level,
                                      .files = files}};
    drawer.bsp->engine = &engine_quake3;
    maker_begin(&drawer.maker);
    draw(&drawer);
    maker_end(&drawer.maker);
    entities_free(&drawer.entities);
    level_free(&level);
    bmx_free(bmx);
    return STATUS_OK;
}
