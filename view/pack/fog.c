#include "view/pack/fog.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

#define SCREEN_GAMMA 2.2

enum { BOX_NUMBERS = 10, MAX_VOLUMES = 16 /* fogVolumes of view/page/shaders.js */ };

static double linear(double screen)
{
    return portable_pow(portable_fmin(portable_fmax(screen, 0), 1), SCREEN_GAMMA);
}

/* --- by distance --- */

static json_t *fog_of_entity(const struct entity *entity)
{
    struct vec3 colour = vec3(255, 255, 255);
    entity_vector(entity, "fogcolor", &colour);
    for (int k = 0; k < 3; k++)
        colour.e[k] = linear(colour.e[k] / 255);
    const double start = entity_number(entity, "fogstart", 0),
                 end = entity_number(entity, "fogend", 0),
                 density = entity_number(entity, "fogmaxdensity", 1);
    if (!(entity_number(entity, "fogenable", 0) > 0) || !(end > start) || !isfinite(start) ||
        !isfinite(end) || !isfinite(density))
        return json_null();
    json_t *fog = json_object();
    json_object_set_new(fog, "colour", view_numbers(colour.e, 3));
    json_object_set_new(fog, "start", json_real(start));
    json_object_set_new(fog, "end", json_real(end));
    json_object_set_new(fog, "density", json_real(density));
    return fog;
}

/* The first entity of a class that has fog. */
static json_t *fog_of_class(const struct entity_list *entities, const char *classname)
{
    for (size_t i = 0; i < arrlenu(entities->entities); i++) {
        const struct entity *entity = &entities->entities[i];
        json_t *fog = entity_is(entity, classname) ? fog_of_entity(entity) : json_null();
        if (!json_is_null(fog))
            return fog;
    }
    return json_null();
}

/* --- volumes --- */

static json_t *volumes_of(const struct map_scene *scene)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < arrlenu(scene->fogs) && json_array_size(rows) < MAX_VOLUMES; i++) {
        const struct fog_volume *fog = &scene->fogs[i];
        double numbers[BOX_NUMBERS];
        for (int k = 0; k < 3 && fog->present; k++) {
            numbers[k] = linear(fog->colour[k]);
            numbers[3 + k] = fog->mins[k];
            numbers[6 + k] = fog->maxs[k];
        }
        numbers[9] = fog->distance;
        if (fog->present)
            json_array_append_new(rows, view_numbers(numbers, BOX_NUMBERS));
    }
    return rows;
}

void view_fog_pack(const struct map_scene *scene, struct view_data *data)
{
    json_object_set_new(data->head, "fog", fog_of_class(&scene->entities, "env_fog_controller"));
    json_object_set_new(data->head, "skyboxFog", fog_of_class(&scene->entities, "sky_camera"));
    json_object_set_new(data->head, "fogVolumes", volumes_of(scene));
}
