#include "view/pack/sky.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "scene/materials/texture_file.h"

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

enum { PANORAMA_WIDTH = 1024, PANORAMA_HEIGHT = PANORAMA_WIDTH / 2 };

/* All directions: by turns to the left around the z axis, from behind, and from above down. */
static struct vec3 direction_of(int x, int y)
{
    double turn = ((x + 0.5) / (double)PANORAMA_WIDTH - 0.5) * 2 * PI;
    double down = (y + 0.5) / (double)PANORAMA_HEIGHT * PI, flat = portable_sin(down);
    return vec3(flat * portable_cos(turn), flat * portable_sin(turn), portable_cos(down));
}

static struct texture *panorama_of(const struct sky_box *box)
{
    struct vtf_image image = {PANORAMA_WIDTH, PANORAMA_HEIGHT,
                              memory_alloc((size_t)4 * PANORAMA_WIDTH * PANORAMA_HEIGHT)};
    for (int y = 0; y < PANORAMA_HEIGHT; y++)
        for (int x = 0; x < PANORAMA_WIDTH; x++) {
            uint8_t *pixel = image.rgba + 4 * ((size_t)y * PANORAMA_WIDTH + (size_t)x);
            float seen[3];
            sky_box_at(box, direction_of(x, y), PI / (double)PANORAMA_HEIGHT, seen);
            for (int k = 0; k < 3; k++)
                pixel[k] = (uint8_t)(255 * seen[k] + 0.5f);
            pixel[3] = 255;
        }
    return texture_new(&image);
}

static void add_panorama(const struct sky_box *box, int quality, struct view_data *data,
                         json_t *row)
{
    const struct texture_file_options options = {PANORAMA_WIDTH, quality};
    struct texture *panorama = panorama_of(box);
    struct bytes file = {0};
    (void)texture_file_write(panorama, &options, false, &file);
    json_object_set_new(row, "image", json_integer(view_data_image(data, &file, "image/jpeg")));
    bytes_free(&file);
    texture_free(panorama);
}

void view_sky_pack(const struct map_scene *scene, const struct view_options *options,
                   struct view_data *data)
{
    const struct sky *sky = &scene->sky;
    json_t *row = json_object();
    json_object_set_new(row, "zenith", view_numbers(sky->zenith, 3));
    json_object_set_new(row, "horizon", view_numbers(sky->horizon, 3));
    if (sky->has_sun) {
        json_object_set_new(row, "sun", view_numbers(sky->sun, 3));
        json_object_set_new(row, "toSun", view_numbers(sky->to_sun.e, 3));
    }
    if (scene->sky_box)
        add_panorama(scene->sky_box, options->quality, data, row);
    json_object_set_new(data->head, "sky", row);
}
