#include "vrad/scene/prop_shadows.h"

#include <stdio.h>
#include <string.h>

#include "common/core/array.h"
#include "vrad/scene/reflectivity.h"

enum { NAME_ROOM = 512 };

struct adder {
    const struct prop_shadows *shadows;
    struct scene *scene;
    size_t prop;
    const struct transform *transform;
    float (**reflectivity)[3]; /* stb_ds array, one for each of scene->prop_triangles */
    float colour[3];           /* of what is added */
};

/* A triangle in world space. */
struct placed {
    float positions[9];
    float normal[3];
};

/* Corners counter-clockwise from outside, in model space, which the scale may mirror. False when
 * they are not finite. */
static bool place(const struct adder *adder, const struct vec3 corners[3], struct placed *out)
{
    struct vec3 placed[3];
    for (int i = 0; i < 3; i++) {
        placed[i] = transform_point(adder->transform, corners[i]);
        if (!vec3_is_finite(placed[i]))
            return false;
        for (int k = 0; k < 3; k++)
            out->positions[3 * i + k] = (float)placed[i].e[k];
    }
    struct vec3 normal = vec3_cross(vec3_sub(placed[1], placed[0]), vec3_sub(placed[2], placed[0]));
    const struct vec3 *axes = adder->transform->axes;
    if (vec3_dot(vec3_cross(axes[0], axes[1]), axes[2]) < 0)
        normal = vec3_neg(normal);
    for (int k = 0; k < 3; k++)
        out->normal[k] = (float)normal.e[k];
    return true;
}

static void add_triangle(const struct adder *adder, const struct vec3 corners[3], bool is_hull)
{
    struct placed placed;
    if (!place(adder, corners, &placed))
        return;
    struct scene_prop_triangle triangle = {.prop = (int)adder->prop, .is_hull = is_hull};
    memcpy(triangle.normal, placed.normal, sizeof triangle.normal);
    uint32_t number = (uint32_t)arrlen(adder->scene->prop_triangles);
    arrput(adder->scene->prop_triangles, triangle);
    trace_add(adder->scene->trace, TRACE_PROP, placed.positions, &number, 1);
    memcpy(*arraddnptr(*adder->reflectivity, 1), adder->colour, sizeof adder->colour);
}

static void add_hulls(const struct adder *adder, const struct hull_points *hulls)
{
    for (size_t i = 0; i < arrlenu(hulls->triangles); i++) {
        struct vec3 corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = hulls->points[hulls->triangles[i].points[k]];
        add_triangle(adder, corners, true);
    }
}

/* Bit k of a corner's number selects mins or maxs on axis k. */
static void add_box(const struct adder *adder, const struct bounds *box)
{
    static const unsigned char faces[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
                                               {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                               {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    for (int i = 0; i < 12; i++) {
        struct vec3 corners[3];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                corners[j].e[k] = faces[i][j] >> k & 1 ? box->maxs.e[k] : box->mins.e[k];
        add_triangle(adder, corners, true);
    }
}

/* The game decides which of the model's folders has the material: any may. */
static bool mesh_casts(const struct adder *adder, const struct model *model, int32_t mesh)
{
    const struct mdl *mdl = &model->mdl;
    const struct shadow_exceptions *exceptions = adder->shadows->exceptions;
    int32_t skin = adder->shadows->set->props.props[adder->prop].skin;
    int32_t texture = mdl_texture(mdl, skin, mdl->meshes[mesh].material);
    if (!exceptions || texture < 0)
        return true;
    for (int32_t i = 0; i < mdl->texture_path_count; i++) {
        char name[NAME_ROOM];
        snprintf(name, sizeof name, "%s%s", mdl->texture_paths[i], mdl->textures[texture]);
        if (shadow_exceptions_no_shadow(exceptions, name))
            return false;
    }
    return !shadow_exceptions_no_shadow(exceptions, mdl->textures[texture]);
}

/* The shadow of a mesh: MESH_SOLID, MESH_NONE or the number of an alpha texture. */
enum { MESH_SOLID = -1, MESH_NONE = -2 };

static bool shows_texture(const struct adder *adder, const struct model *model)
{
    const struct prop_set *set = adder->shadows->set;
    const char *name = set->props.models[set->props.props[adder->prop].model];
    return adder->shadows->alpha_shadows &&
           (model->mdl.flags & MDL_TEXTURE_SHADOWS ||
            shadow_exceptions_textured(adder->shadows->exceptions, name));
}

/* The name of a mesh's material in the first of the model's folders that has it; false without. */
static bool find_material(const struct adder *adder, const struct model *model, int32_t mesh,
                          const struct assets *assets, char name[NAME_ROOM])
{
    const struct mdl *mdl = &model->mdl;
    int32_t skin = adder->shadows->set->props.props[adder->prop].skin;
    int32_t texture = mdl_texture(mdl, skin, mdl->meshes[mesh].material);
    for (int32_t i = 0; texture >= 0 && i < mdl->texture_path_count; i++) {
        snprintf(name, NAME_ROOM, "%s%s", mdl->texture_paths[i], mdl->textures[texture]);
        if (assets_has_material(assets, name))
            return true;
    }
    return false;
}

static void colour_of_mesh(const struct adder *adder, const struct model *model, int32_t mesh,
                           float out[3])
{
    char name[NAME_ROOM];
    struct assets *assets = adder->shadows->reflecting;
    memset(out, 0, 3 * sizeof *out);
    if (!assets || !find_material(adder, model, mesh, assets, name))
        return;
    const struct material *material = assets_material(assets, name);
    for (int k = 0; k < 3; k++)
        out[k] = reflectivity_within((float)material->reflectivity[k]);
}

/* The mean by area of the meshes that are drawn. */
static void colour_of_model(struct adder *adder, const struct model *model)
{
    float(*colours)[3] = memory_zalloc((size_t)model->mdl.mesh_count + 1, sizeof *colours);
    double sum[3] = {0, 0, 0}, total = 0;
    for (int32_t i = 0; i < model->mdl.mesh_count && adder->shadows->reflecting; i++)
        colour_of_mesh(adder, model, i, colours[i]);
    for (size_t i = 0; i < arrlenu(model->vtx.triangles); i++) {
        const struct model_triangle *triangle = &model->vtx.triangles[i];
        struct vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = vec3_from_floats(model->vvd.vertices[triangle->vertices[k]].p);
        double area = vec3_length(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
        if (!model_shows_mesh(&model->mdl, triangle->mesh) || !(area > 0) || !(area < 1e12))
            continue;
        total += area;
        for (int k = 0; k < 3; k++)
            sum[k] += area * (double)colours[triangle->mesh][k];
    }
    for (int k = 0; k < 3; k++)
        adder->colour[k] = total > 0 ? (float)(sum[k] / total) : colours[0][k];
    memory_free(colours);
}

/* The first of the model's folders that has the material counts. */
static int texture_of(const struct adder *adder, const struct model *model, int32_t mesh)
{
    const struct alpha_source *source = adder->shadows->alpha_shadows;
    char name[NAME_ROOM];
    float colour[3];
    if (!find_material(adder, model, mesh, source->assets, name))
        return MESH_SOLID;
    const struct material *material = assets_material(source->assets, name);
    for (int k = 0; k < 3; k++)
        colour[k] = (float)material->reflectivity[k];
    return alpha_texture_of(adder->shadows->env, source, &adder->scene->alpha_shadows, name,
                            colour);
}

static int shadow_of_mesh(const struct adder *adder, const struct model *model, int32_t mesh)
{
    if (!model_shows_mesh(&model->mdl, mesh) || !mesh_casts(adder, model, mesh))
        return MESH_NONE;
    return shows_texture(adder, model) ? texture_of(adder, model, mesh) : MESH_SOLID;
}

static void add_alpha_triangle(const struct adder *adder, int texture, const struct vec3 corners[3],
                               const float uv[3][2])
{
    struct placed placed;
    if (place(adder, corners, &placed))
        alpha_triangle_add_of_prop(adder->scene, texture, (int)adder->prop, placed.positions, uv,
                                   placed.normal);
}

static void add_drawn(struct adder *adder, const struct model *model)
{
    size_t meshes = (size_t)model->mdl.mesh_count;
    int *shadows = memory_alloc((meshes + 1) * sizeof *shadows);
    float(*colours)[3] = memory_zalloc(meshes + 1, sizeof *colours);
    for (int32_t i = 0; i < model->mdl.mesh_count; i++) {
        shadows[i] = shadow_of_mesh(adder, model, i);
        if (shadows[i] == MESH_SOLID)
            colour_of_mesh(adder, model, i, colours[i]);
    }
    for (size_t i = 0; i < arrlenu(model->vtx.triangles); i++) {
        const struct model_triangle *triangle = &model->vtx.triangles[i];
        struct vec3 corners[3];
        float uv[3][2];
        for (int k = 0; k < 3; k++) { /* model triangles run clockwise */
            const struct model_vertex *vertex = &model->vvd.vertices[triangle->vertices[k]];
            corners[2 - k] = vec3_from_floats(vertex->p);
            memcpy(uv[2 - k], vertex->uv, sizeof uv[0]);
        }
        int shadow = shadows[triangle->mesh];
        memcpy(adder->colour, colours[triangle->mesh], sizeof adder->colour);
        if (shadow >= 0)
            add_alpha_triangle(adder, shadow, corners, (const float(*)[2])uv);
        else if (shadow == MESH_SOLID)
            add_triangle(adder, corners, false);
    }
    memory_free(shadows);
    memory_free(colours);
}

static void add_prop(struct adder *adder, const struct static_prop *prop, const struct model *model)
{
    if (adder->shadows->triangles && arrlen(model->vtx.triangles)) {
        add_drawn(adder, model);
        return;
    }
    colour_of_model(adder, model);
    if (prop->solid != STATIC_PROP_SOLID_BOX && arrlen(model->collision.triangles))
        add_hulls(adder, &model->collision);
    else if (prop->solid != STATIC_PROP_NOT_SOLID)
        add_box(adder, &model->mdl.hull);
}

void prop_shadows_add(const struct prop_shadows *shadows, struct scene *scene)
{
    const struct prop_set *set = shadows->set;
    float(*reflectivity)[3] = NULL;
    for (size_t i = 0; i < arrlenu(set->props.props); i++) {
        const struct static_prop *prop = &set->props.props[i];
        const struct model *model = prop_set_model(set, i);
        struct adder adder = {shadows, scene, i, &set->transforms[i], &reflectivity, {0}};
        if (model && !(prop->flags & STATIC_PROP_NO_SHADOW) && !(model->mdl.flags & MDL_NO_SHADOWS))
            add_prop(&adder, prop, model);
    }
    if (shadows->reflecting && reflectivity)
        prop_charts_make(scene, (const float(*)[3])reflectivity, &scene->prop_charts);
    arrfree(reflectivity);
}
