#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/diag_json.h"
#include "export/gltf/json.h"

/* --- lights --- */

/* Of light of 555 nm, by which programs make watts of what photometry has. */
#define LUMENS_PER_WATT 683.0

static json_t *light_of(const struct export_model *scene, const struct export_light *from)
{
    static const char *const kinds[] = {"point", "spot", "directional"};
    json_t *light = json_object();
    json_object_set_new(light, "type", json_string(kinds[from->kind]));
    json_object_set_new(light, "color", gltf_numbers(from->colour, 3));
    double unit = scene->light_units == EXPORT_LIGHT_LUMENS ? LUMENS_PER_WATT : 1;
    json_object_set_new(light, "intensity", gltf_number(unit * (double)from->intensity));
    if (from->kind == EXPORT_LIGHT_SPOT) {
        json_t *spot = json_object();
        json_object_set_new(spot, "innerConeAngle", gltf_number((double)from->inner));
        json_object_set_new(spot, "outerConeAngle", gltf_number((double)from->outer));
        json_object_set_new(light, "spot", spot);
    }
    if (from->style != 0) {
        json_t *extras = json_object();
        json_object_set_new(extras, "style", json_integer(from->style));
        json_object_set_new(light, "extras", extras);
    }
    return light;
}

static void set_lights(const struct export_model *scene, json_t *root)
{
    json_t *lights = json_array(), *list = json_object(), *extensions = json_object();
    for (size_t i = 0; i < arrlenu(scene->lights); i++)
        json_array_append_new(lights, light_of(scene, &scene->lights[i]));
    json_object_set_new(list, "lights", lights);
    json_object_set_new(extensions, "KHR_lights_punctual", list);
    if (arrlen(scene->lights) > 0)
        json_object_set(root, "extensions", extensions);
    json_decref(extensions);
}

/* --- nodes --- */

/* The keys of an entity; one that is there several times, as outputs are, has an array. */
static json_t *keys_of(const struct entity *entity)
{
    json_t *keys = json_object();
    for (size_t i = 0; i < arrlenu(entity->pairs); i++) {
        char *key = diag_utf8(entity->pairs[i].key);
        json_t *value = diag_json_text(entity->pairs[i].value),
               *before = json_object_get(keys, key);
        if (json_is_array(before)) {
            json_array_append_new(before, value);
        } else if (before) {
            json_object_set_new(keys, key, json_pack("[O, o]", before, value));
        } else {
            json_object_set_new(keys, key, value);
        }
        memory_free(key);
    }
    return keys;
}

static json_t *prop_of(const struct export_prop *prop, int number)
{
    json_t *extras = json_object();
    json_object_set_new(extras, "static_prop", json_integer(number));
    json_object_set_new(extras, "model", diag_json_text(prop->model));
    json_object_set_new(extras, "skin", json_integer(prop->skin));
    return extras;
}

static bool differs(const float *values, const float *usual, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabsf(values[i] - usual[i]) > 0)
            return true;
    return false;
}

static void set_place(const struct export_node *from, json_t *node)
{
    static const float none[4] = {0, 0, 0, 1}, one[3] = {1, 1, 1};
    if (differs(from->translation, none, 3))
        json_object_set_new(node, "translation", gltf_numbers(from->translation, 3));
    if (differs(from->rotation, none, 4))
        json_object_set_new(node, "rotation", gltf_numbers(from->rotation, 4));
    if (differs(from->scale, one, 3))
        json_object_set_new(node, "scale", gltf_numbers(from->scale, 3));
}

static json_t *node_of(const struct export_model *scene, const struct export_node *from)
{
    json_t *node = json_object();
    json_object_set_new(node, "name", diag_json_text(from->name));
    set_place(from, node);
    if (from->mesh >= 0)
        json_object_set_new(node, "mesh", json_integer(from->mesh));
    if (from->light >= 0) {
        json_t *extensions = json_pack("{s:{s:i}}", "KHR_lights_punctual", "light", from->light);
        json_object_set_new(node, "extensions", extensions);
    }
    if (from->entity >= 0)
        json_object_set_new(node, "extras", keys_of(&scene->entities->entities[from->entity]));
    else if (from->prop >= 0)
        json_object_set_new(node, "extras", prop_of(&scene->props[from->prop], from->prop));
    return node;
}

static void add_child(json_t *nodes, int parent, int child)
{
    json_t *node = json_array_get(nodes, (size_t)parent), *list = json_object_get(node, "children");
    if (!list) {
        list = json_array();
        json_object_set_new(node, "children", list);
    }
    json_array_append_new(list, json_integer(child));
}

static json_t *scene_of(const struct export_model *from, json_t *roots)
{
    json_t *scene = json_object(), *extras = json_object();
    json_object_set_new(scene, "name", diag_json_text(from->name));
    json_object_set_new(scene, "nodes", roots);
    json_object_set_new(extras, "unit", gltf_number(from->units));
    json_object_set_new(scene, "extras", extras);
    return scene;
}

void gltf_set_nodes(const struct export_model *scene, json_t *root)
{
    json_t *nodes = json_array(), *roots = json_array(), *scenes = json_array();
    for (size_t i = 0; i < arrlenu(scene->nodes); i++) {
        json_array_append_new(nodes, node_of(scene, &scene->nodes[i]));
        if (scene->nodes[i].parent >= 0)
            add_child(nodes, scene->nodes[i].parent, (int)i);
        else
            json_array_append_new(roots, json_integer((json_int_t)i));
    }
    json_array_append_new(scenes, scene_of(scene, roots));
    json_object_set_new(root, "scene", json_integer(0));
    json_object_set_new(root, "scenes", scenes);
    json_object_set_new(root, "nodes", nodes);
    set_lights(scene, root);
}
