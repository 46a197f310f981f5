#include "export/model/model.h"

#include "common/core/array.h"
#include "export/model/axes.h"
#include "export/model/lights.h"
#include "export/model/pages.h"
#include "export/model/props.h"
#include "export/model/surfaces.h"

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
