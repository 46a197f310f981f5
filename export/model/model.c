#include "export/model/model.h"

#include "common/assets/shaders/shader.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/entity_view.h"
#include "export/model/materials.h"
#include "export/model/props.h"
#include "export/model/surfaces.h"
#include "scene/scene.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"

/* --- axes --- */

void export_direction(struct vec3 from, float out[3])
{
    vec3_to_floats(vec3(from.x, from.z, -from.y), out);
}

void export_point(struct vec3 from, double units, float out[3])
{
    export_direction(vec3_scale(from, units), out);
}

static void put_unit(const double q[4], float out[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        out[i] = length > 0 ? (float)(q[i] / length) + 0.0f : i == 3;
}

void export_rotation(const struct transform *transform, float out[4])
{
    /* The columns of the matrix in the axes of the map, then its largest component first. */
    const struct vec3 *a = transform->axes;
    double trace = a[0].x + a[1].y + a[2].z, q[4] = {0};
    if (trace > 0) {
        q[3] = trace + 1;
        q[0] = a[1].z - a[2].y;
        q[1] = a[2].x - a[0].z;
        q[2] = a[0].y - a[1].x;
    } else {
        int i = a[1].y > a[0].x ? 1 : 0;
        i = a[2].z > a[i].e[i] ? 2 : i;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = a[i].e[i] - a[j].e[j] - a[k].e[k] + 1;
        q[j] = a[j].e[i] + a[i].e[j];
        q[k] = a[k].e[i] + a[i].e[k];
        q[3] = a[j].e[k] - a[k].e[j];
    }
    const double turned[4] = {q[0], q[2], -q[1], q[3]};
    put_unit(turned, out);
}

/* The rotation that makes the direction in which lights shine, -z of their node, the direction in
 * the map. */
static void export_aim(struct vec3 direction, float out[4])
{
    struct vec3 to = vec3_normalize(vec3(direction.x, direction.z, -direction.y));
    double cosine = -to.z; /* to the direction without a rotation */
    if (!vec3_is_finite(to))
        cosine = 1;
    const double back[4] = {0, 1, 0, 0}, none[4] = {0, 0, 0, 1},
                 turned[4] = {to.y, -to.x, 0, 1 + cosine};
    put_unit(cosine >= 1 ? none : cosine < -0.999999999 ? back : turned, out);
}

void export_file_add(struct export_file **files, const char *name, const struct bytes *data)
{
    struct export_file file = {.name = str_copy(name)};
    bytes_append(&file.data, data->data, data->size);
    arrput(*files, file);
}

#define WHITE 255.0

/* Where lights of other falloffs than with the square of the distance are as bright as theirs, in
 * units: brightness in a map means the light there. */
#define NOMINAL 100.0

/* Smallest difference of the cones of a spot, and the widest cone, in radians. */
#define MIN_EDGE 1e-4
#define WIDEST   (PI / 2)

/* A light entity and the record that was made of it are in the same place. */
#define SAME_PLACE 0.01

/* Of Quake 3: light per photon, the usual brightness, and the radius of a spot at its target. */
#define POINT_SCALE  7500.0
#define USUAL_LIGHT  300.0
#define USUAL_RADIUS 64.0
/* The engine doubles light twice and shows it as it is, so that half of white on the screen is this
 * much light. */
#define BRIGHTENED  4.0
#define HALF_SCREEN 0.2176376

/* --- lights --- */

static bool set_colour(struct vec3 intensity, struct export_light *out)
{
    double max = portable_fmax(intensity.x, portable_fmax(intensity.y, intensity.z));
    out->intensity = (float)max;
    for (int k = 0; k < 3; k++)
        out->colour[k] = (float)portable_fmin(portable_fmax(intensity.e[k] / max, 0), 1);
    return vec3_is_finite(intensity) && max > 0 && isfinite(out->intensity);
}

static void set_cones(double inner, double outer, struct export_light *out)
{
    outer = portable_fmin(portable_fmax(outer, 2 * MIN_EDGE), WIDEST);
    inner = portable_fmin(portable_fmax(inner, 0), outer - MIN_EDGE);
    out->inner = (float)inner;
    out->outer = (float)outer;
}

static double angle_of(double cosine)
{
    return portable_acos(portable_fmin(portable_fmax(cosine, -1), 1));
}

/* Returns false for a light that a model cannot have. */
static bool light_of(const struct light *from, double units, struct export_light *out)
{
    double metres = NOMINAL * units, share = 1;
    *out = (struct export_light){.style = from->style};
    if (from->type == WORLDLIGHT_SKY) {
        out->kind = EXPORT_LIGHT_SUN;
    } else if (from->type == WORLDLIGHT_POINT || from->type == WORLDLIGHT_SPOT) {
        out->kind = from->type == WORLDLIGHT_POINT ? EXPORT_LIGHT_POINT : EXPORT_LIGHT_SPOT;
        share = light_falloff(from, NOMINAL) * metres * metres;
        set_cones(angle_of(from->stopdot), angle_of(from->stopdot2), out);
    } else {
        return false;
    }
    return set_colour(vec3_scale(from->intensity, PI * share / WHITE), out);
}

/* --- nodes --- */

static bool is_light(const struct entity *entity)
{
    return str_starts_nocase(entity_value(entity, "classname"), "light");
}

/* Returns the node of the light entity that a light is of; -1: none. */
static int node_of(const struct map_scene *map, const struct export_model *scene,
                   const struct light *light)
{
    const struct entity_list *entities = &map->entities;
    if (light->entity)
        return (int)(light->entity - entities->entities);
    for (int i = 1; i < arrlen(entities->entities); i++) {
        struct vec3 origin;
        if (scene->nodes[i].light < 0 && is_light(&entities->entities[i]) &&
            (light->type == WORLDLIGHT_SKY) ==
                str_equal_nocase(entity_value(&entities->entities[i], "classname"),
                                 "light_environment") &&
            entity_vector(&entities->entities[i], "origin", &origin) &&
            (light->type == WORLDLIGHT_SKY || vec3_distance(origin, light->origin) < SAME_PLACE))
            return i;
    }
    return -1;
}

static int own_node(struct export_model *scene, struct vec3 origin, int *group)
{
    struct export_node node = export_node_named("lights");
    if (*group < 0) {
        *group = (int)arrlen(scene->nodes);
        arrput(scene->nodes, node);
    }
    node.name = "light";
    node.parent = *group;
    export_point(origin, scene->units, node.translation);
    arrput(scene->nodes, node);
    return (int)arrlen(scene->nodes) - 1;
}

static void add_light(struct export_model *scene, int node, const struct export_light *light,
                      struct vec3 direction)
{
    scene->nodes[node].light = (int)arrlen(scene->lights);
    arrput(scene->lights, *light);
    if (light->kind != EXPORT_LIGHT_POINT)
        export_aim(direction, scene->nodes[node].rotation);
}

static void add_source_light(const struct map_scene *map, const struct light *from, int *group,
                             struct export_model *scene)
{
    struct export_light light;
    if (!vec3_is_finite(from->origin) || !light_of(from, scene->units, &light))
        return;
    int node = node_of(map, scene, from);
    if (node < 0)
        node = own_node(scene, from->origin, group);
    add_light(scene, node, &light, from->normal);
}

/* Those that vrad would make of the entities. */
static void add_unlit_lights(const struct map_scene *map, struct export_model *scene)
{
    struct light_set set;
    struct env env = *map->env;
    int group = -1;
    struct entity_view *entities = entity_view_of(&map->entities);
    env.diag = diag_new(NULL, NULL); /* vrad reports invalid keys */
    lights_collect(&env, &(struct light_options){.hdr = map->options.hdr}, map->bsp, entities, NULL,
                   &set);
    for (size_t i = 0; i < arrlenu(set.lights); i++)
        add_source_light(map, &set.lights[i], &group, scene);
    lights_free(&set);
    entity_view_free(entities);
    diag_free(env.diag);
}

static void add_source_lights(const struct map_scene *map, struct export_model *scene)
{
    const struct bsp_worldlight *lights = map->light->worldlights;
    int group = -1;
    for (size_t i = 0; i < arrlenu(lights); i++) {
        struct light light = scene_light_of(&lights[i]);
        add_source_light(map, &light, &group, scene);
    }
    if (arrlen(lights) == 0 && arrlen(map->bsp->leaves) > 0)
        add_unlit_lights(map, scene);
}

/* --- Quake 3 --- */

static const struct entity *target_of(const struct entity_list *entities, const char *name)
{
    for (size_t i = 1; *name && i < arrlenu(entities->entities); i++)
        if (strcmp(entity_value(&entities->entities[i], "targetname"), name) == 0)
            return &entities->entities[i];
    return NULL;
}

/* A light with a target shines at it, in a cone. */
static struct vec3 aim_at_target(const struct entity_list *entities, const struct entity *from,
                                 struct vec3 origin, struct export_light *light)
{
    const struct entity *target = target_of(entities, entity_value(from, "target"));
    struct vec3 at, way = vec3(0, 0, -1);
    if (!target || !entity_vector(target, "origin", &at))
        return way;
    way = vec3_sub(at, origin);
    double angle = portable_atan2(entity_number(from, "radius", USUAL_RADIUS), vec3_length(way));
    light->kind = EXPORT_LIGHT_SPOT;
    set_cones(angle - MIN_EDGE, angle, light);
    return way;
}

/* Of light on the scale of the bytes of lightmaps. */
static double irradiance_of(double light)
{
    return PI * HALF_SCREEN * light * BRIGHTENED / (WHITE / 2);
}

static void add_quake3_light(const struct map_scene *map, struct export_model *scene, int number)
{
    const struct entity *entity = &map->entities.entities[number];
    struct vec3 origin, colour = vec3(1, 1, 1);
    struct export_light light = {
        .style = (int)portable_fmin(portable_fmax(entity_number(entity, "style", 0), 0), 255)};
    if (!entity_is(entity, "light") || !entity_vector(entity, "origin", &origin))
        return;
    entity_vector(entity, "_color", &colour);
    double photons =
        POINT_SCALE * entity_number(entity, "light", entity_number(entity, "_light", USUAL_LIGHT));
    double metres = scene->units * scene->units;
    struct vec3 way = aim_at_target(&map->entities, entity, origin, &light);
    if (set_colour(vec3_scale(colour, irradiance_of(photons) * metres), &light))
        add_light(scene, number, &light, way);
}

static bool is_seen(const struct bsp *bsp, int shader)
{
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++)
        if (bsp->surfaces[i].shader == shader)
            return true;
    return false;
}

/* The suns of the skies that are in the map. */
static void add_shader_suns(const struct map_scene *map, struct export_model *scene)
{
    const struct bsp *bsp = map->bsp;
    int group = -1;
    for (int i = 0; i < arrlen(bsp->shaders); i++) {
        char name[SHADER_NAME + 1] = {0};
        if (!(bsp->shaders[i].surface_flags & bsp->engine->geometry.sky_flags) || !is_seen(bsp, i))
            continue;
        memcpy(name, bsp->shaders[i].name, SHADER_NAME);
        const struct shader *shader = assets_shader(map->materials.assets, name);
        for (size_t k = 0; k < arrlenu(shader->suns); k++) {
            const struct shader_sun *sun = &shader->suns[k];
            struct export_light light = {.kind = EXPORT_LIGHT_SUN};
            if (set_colour(vec3_scale(sun->colour, irradiance_of(sun->intensity)), &light))
                add_light(scene, own_node(scene, vec3(0, 0, 0), &group), &light,
                          vec3_neg(sun->direction));
        }
    }
}

/* Adds the point lights, spots and suns that the map has been lit by, or else those of its
 * entities, to the nodes of their entities, which are one per entity; those without one are nodes
 * of their own. Those of surfaces, and of the sky, are left out: a model has no such lights. */
static void export_lights(const struct map_scene *map, struct export_model *scene)
{
    if (!map->bsp->engine->geometry.has_surfaces) {
        add_source_lights(map, scene);
        return;
    }
    for (int i = 1; i < arrlen(map->entities.entities); i++)
        add_quake3_light(map, scene, i);
    if (map->materials.assets && assets_have_shaders(map->materials.assets))
        add_shader_suns(map, scene);
}

static const char *name_of(const struct entity *entity)
{
    const char *name = entity_value(entity, "targetname");
    if (!*name)
        name = entity_value(entity, "classname");
    return *name ? name : "entity";
}

/* One for each entity, also one without a mesh; at least the world's. */
static void add_entities(const struct map_scene *map, struct export_model *scene)
{
    size_t count = arrlenu(map->entities.entities);
    for (size_t i = 0; i < count || i == 0; i++) {
        struct export_node node =
            export_node_named(i < count ? name_of(&map->entities.entities[i]) : "worldspawn");
        node.entity = i < count ? (int)i : -1;
        struct transform place = export_entity_place(map, (int)i);
        export_point(place.origin, scene->units, node.translation);
        export_rotation(&place, node.rotation);
        arrput(scene->nodes, node);
    }
}

static void add_sky(struct material_builder *materials)
{
    struct export_node node = export_node_named("sky");
    node.mesh = export_sky(materials);
    if (node.mesh >= 0)
        arrput(materials->scene->nodes, node);
}

static void build(struct material_builder *materials, const struct export_settings *settings)
{
    const struct map_scene *map = materials->map;
    add_entities(map, materials->scene);
    export_light_pages(materials);
    export_baked_image(materials);
    export_surfaces(materials);
    export_props(materials);
    export_lights(map, materials->scene);
    if (settings->sky)
        add_sky(materials);
}

enum status export_model_build(const struct map_scene *map, const char *name,
                               const struct export_settings *settings, struct export_model *out)
{
    struct light_atlas atlas = {0};
    struct bake bake;
    struct surface_order order;
    struct material_builder materials;
    *out = (struct export_model){.name = name,
                                 .entities = &map->entities,
                                 .light_range = 1,
                                 .page_form = (enum export_pages)settings->pages,
                                 .baked = -1,
                                 .light_units = (enum export_light_units)settings->light_units,
                                 .units = settings->scale};
    if (settings->pages != EXPORT_PAGES_NONE)
        light_atlas_build(map, false, &atlas);
    material_builder_open(map, settings, &atlas, out, &materials);
    surface_order_make(&map->mesh, &order);
    enum status status = bake_open(map, settings, &order, &bake);
    materials.bake = &bake;
    materials.order = &order;
    if (status == STATUS_OK)
        build(&materials, settings);
    bake_free(&bake);
    surface_order_free(&order);
    material_builder_free(&materials);
    light_atlas_free(&atlas);
    return status;
}

void export_model_free(struct export_model *scene)
{
    for (size_t i = 0; i < arrlenu(scene->meshes); i++) {
        for (size_t k = 0; k < arrlenu(scene->meshes[i].parts); k++) {
            arrfree(scene->meshes[i].parts[k].vertices);
            arrfree(scene->meshes[i].parts[k].indices);
        }
        arrfree(scene->meshes[i].parts);
    }
    for (size_t i = 0; i < arrlenu(scene->images); i++)
        bytes_free(&scene->images[i].file);
    arrfree(scene->nodes);
    arrfree(scene->meshes);
    arrfree(scene->materials);
    arrfree(scene->images);
    arrfree(scene->pages);
    arrfree(scene->lights);
    arrfree(scene->props);
    arena_free(&scene->arena);
}
