#include "export/scene/scene.h"

#include "common/core/array.h"
#include "export/scene/axes.h"
#include "export/scene/lights.h"
#include "export/scene/pages.h"
#include "export/scene/props.h"
#include "export/scene/surfaces.h"

static const char *name_of(const struct entity *entity)
{
    const char *name = entity_value(entity, "targetname");
    if (!*name)
        name = entity_value(entity, "classname");
    return *name ? name : "entity";
}

/* One for each entity, also one without a mesh; at least the world's. */
static void add_entities(const struct render *render, struct export_scene *scene)
{
    size_t count = arrlenu(render->entities.entities);
    for (size_t i = 0; i < count || i == 0; i++) {
        struct export_node node =
            export_node_named(i < count ? name_of(&render->entities.entities[i]) : "worldspawn");
        node.entity = i < count ? (int)i : -1;
        struct transform place = export_entity_place(render, (int)i);
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

void export_scene_build(const struct render *render, const char *name,
                        const struct export_settings *settings, struct export_scene *out)
{
    struct light_atlas atlas = {0};
    struct material_builder materials;
    struct surface_order order;
    *out = (struct export_scene){.name = name,
                                 .entities = &render->entities,
                                 .light_range = 1,
                                 .page_form = (enum export_pages)settings->pages,
                                 .units = settings->scale};
    if (settings->pages != EXPORT_PAGES_NONE)
        light_atlas_build(render, false, &atlas);
    material_builder_open(render, settings, &atlas, out, &materials);
    surface_order_make(&render->mesh, &order);
    add_entities(render, out);
    export_light_pages(&materials);
    export_surfaces(&materials, &order);
    export_props(&materials);
    export_lights(render, out);
    if (settings->sky)
        add_sky(&materials);
    surface_order_free(&order);
    material_builder_free(&materials);
    light_atlas_free(&atlas);
}

void export_scene_free(struct export_scene *scene)
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
