/* Static props whose models are found: lit by their texels or vertices if vrad computed that,
 * else by the ambient light at their position and by lights. */
#include "common/assets/models/model.h"
#include "common/bsp/lumps/prop_lighting.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/array.h"
#include "scene/light/ambient.h"
#include "scene/mesh/mesh_internal.h"
#include "scene/mesh/packed_light.h"

/* More than any map has, to bound memory: further props are skipped. */
enum { MAX_TRIANGLES = 1 << 24 };

struct model_cell {
    bool tried, usable;
    struct model model;
};

struct builder {
    const struct mesh_source *source;
    struct mesh *mesh;
    struct static_props props;
    struct model_cell *models; /* one per name */
    struct arena arena;
};

static const struct model *model_of(struct builder *b, int number)
{
    struct model_cell *loaded = &b->models[number];
    if (!loaded->tried) {
        loaded->tried = true;
        loaded->usable = model_load(b->source->assets, b->props.models[number], &b->arena,
                                    b->source->env->diag, &loaded->model) &&
                         arrlen(loaded->model.vtx.triangles) > 0;
    }
    return loaded->usable ? &loaded->model : NULL;
}

/* Returns the material of a skin column: from the first folder that has it. */
static struct scene_material skin_material(struct builder *b, const struct mdl *mdl, int skin,
                                           int column)
{
    static const float grey[3] = {0.5f, 0.5f, 0.5f};
    struct scene_material material = {.colour = {0.5f, 0.5f, 0.5f}, .opacity = 1};
    int32_t texture = mdl_texture(mdl, skin, column);
    for (int i = 0; texture >= 0 && i < mdl->texture_path_count && !material.found; i++) {
        const char *name =
            arena_printf(&b->arena, "%s%s", mdl->texture_paths[i], mdl->textures[texture]);
        material = scene_materials_find(b->source->materials, name, grey);
    }
    return material;
}

/* Allocates a surface for each mesh of the model in the arena. */
static uint32_t *surfaces_of(struct builder *b, const struct mdl *mdl,
                             const struct static_prop *prop, const struct surface *lit)
{
    uint32_t *surfaces = ARENA_ARRAY(&b->arena, uint32_t, (size_t)mdl->mesh_count + 1);
    for (int32_t i = 0; i < mdl->mesh_count; i++) {
        struct scene_material material = skin_material(b, mdl, prop->skin, mdl->meshes[i].material);
        for (int k = 0; k < 3; k++)
            material.colour[k] *= prop->colour[k] / 255.0f;
        struct surface surface = *lit;
        surface.lit_by = material.unlit ? LIT_FULLBRIGHT : lit->lit_by;
        surface.opacity = prop->colour[3] / 255.0f;
        surface.two_sided = material.alpha_tested || material.translucent;
        surface.material = mesh_add_material(b->mesh, material);
        surfaces[i] = mesh_add_surface(b->mesh, surface);
    }
    return surfaces;
}

/* Loads light that vrad packed for the prop, per texel or per vertex, and sets how the surface
 * is lit. Returns vertex light from memory_alloc, or NULL. */
static float (*packed_light(struct builder *b, const struct model *model, size_t number,
                            struct surface *surface))[3]
{
    const struct mesh_source *source = b->source;
    bool hdr = source->light == &source->bsp->hdr, texels = false;
    struct prop_lighting_name name = prop_lighting_name(PROP_LIGHTING_TEXELS, number);
    struct bytes file = {0};
    float(*light)[3] = NULL;
    if (b->mesh->lit && assets_read(source->assets, name.text, &file))
        texels = packed_light_texels(&file, model, b->mesh, surface);
    bytes_free(&file);
    name = prop_lighting_name(hdr ? PROP_LIGHTING_HDR : PROP_LIGHTING_LDR, number);
    if (b->mesh->lit && !texels && assets_read(source->assets, name.text, &file))
        light = packed_light_vertices(&file, model);
    if (light)
        surface->lit_by = LIT_BY_VERTICES;
    bytes_free(&file);
    return light;
}

static void add_triangles(struct builder *b, const struct model *model,
                          const struct static_prop *prop, float (*const light)[3],
                          const uint32_t *surfaces)
{
    struct transform transform =
        transform_from_angles(vec3_from_floats(prop->origin), vec3_from_floats(prop->angles), 1);
    struct vec3 scale = vec3_from_floats(prop->scale);
    for (size_t i = 0; i < arrlenu(model->vtx.triangles); i++) {
        const struct model_triangle *from = &model->vtx.triangles[i];
        if (!model_shows_mesh(&model->mdl, from->mesh))
            continue;
        struct triangle triangle = {.surface = surfaces[from->mesh]};
        struct vec3 points[3];
        for (int k = 0; k < 3; k++) {
            const struct model_vertex *vertex = &model->vvd.vertices[from->vertices[k]];
            struct vec3 normal =
                transform_direction(&transform, vec3_normalize(vec3_from_floats(vertex->normal)));
            struct vec3 p = vec3((double)vertex->p[0] * scale.x, (double)vertex->p[1] * scale.y,
                                 (double)vertex->p[2] * scale.z);
            points[k] = transform_point(&transform, p);
            memcpy(triangle.uv[k], vertex->uv, sizeof triangle.uv[k]);
            for (int n = 0; n < 3; n++)
                triangle.corners[k][n] = light ? light[from->vertices[k]][n] : (float)normal.e[n];
        }
        const struct surface *surface = &b->mesh->surfaces[triangle.surface];
        if (surface->lit_by == LIT_BY_LUXELS)
            packed_light_st((const float(*)[2])triangle.uv, surface, triangle.st);
        mesh_add(b->mesh, points, triangle);
    }
}

static bool is_placed(const struct static_prop *prop)
{
    return vec3_is_finite(vec3_from_floats(prop->origin)) &&
           vec3_is_finite(vec3_from_floats(prop->angles)) &&
           vec3_is_finite(vec3_from_floats(prop->scale));
}

static void add_prop(struct builder *b, size_t number)
{
    const struct static_prop *prop = &b->props.props[number];
    const struct mesh_source *source = b->source;
    if (prop->flags & STATIC_PROP_NO_DRAW)
        return;
    const struct model *model = NULL;
    if (prop->model >= 0 && prop->model < arrlen(b->props.models) && is_placed(prop))
        model = model_of(b, prop->model);
    if (!model || arrlen(b->mesh->triangles) > MAX_TRIANGLES) {
        b->mesh->props_skipped++;
        return;
    }
    const float *at =
        prop->flags & STATIC_PROP_HAS_LIGHTING_ORIGIN ? prop->lighting_origin : prop->origin;
    struct vec3 point = vec3_from_floats(at);
    struct scene_ambient ambient = {{{0}}};
    if (vec3_is_finite(point))
        scene_ambient_at(source->bsp, source->light, point, &ambient); /* black without samples */
    arrput(b->mesh->ambient_cubes, ambient);
    struct surface lit = {.lit_by = b->mesh->lit ? LIT_BY_AMBIENT_AND_LIGHTS : LIT_BY_NORMAL,
                          .ambient = (int)arrlen(b->mesh->ambient_cubes) - 1,
                          .face = -1,
                          .fog = -1,
                          .prop = (int)number};
    float(*light)[3] = packed_light(b, model, number, &lit);
    add_triangles(b, model, prop, light, surfaces_of(b, &model->mdl, prop, &lit));
    memory_free(light);
    b->mesh->props_drawn++;
}

void mesh_add_props(const struct mesh_source *source, struct mesh *mesh)
{
    struct builder b = {.source = source, .mesh = mesh};
    const struct diag_where where = {.file = "static props"};
    for (size_t i = 0; i < arrlenu(source->bsp->game_lumps); i++) {
        const struct bsp_game_lump *lump = &source->bsp->game_lumps[i];
        enum static_prop_form form;
        if (lump->id != STATIC_PROPS_ID || arrlen(b.props.props) ||
            static_props_decode(&lump->data, lump->version, ORDER_LITTLE, &where, source->env->diag,
                                &b.props, &form) != STATUS_OK)
            continue;
        b.models = memory_zalloc(arrlenu(b.props.models) + 1, sizeof *b.models);
        for (size_t k = 0; k < arrlenu(b.props.props); k++)
            add_prop(&b, k);
        for (size_t k = 0; k < arrlenu(b.props.models); k++)
            model_free(&b.models[k].model);
        memory_free(b.models);
        break;
    }
    static_props_free(&b.props);
    arena_free(&b.arena);
}
