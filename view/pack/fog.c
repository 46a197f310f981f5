#include "view/pack/fog.h"

#include <math.h>

#include "common/assets/shaders/shader_script.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/epsilon.h"

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

/* Reads "fogparms ( R G B ) DISTANCE". */
static bool read_parms(const struct shader_block *block, double colour[3], double *distance)
{
    struct shader_cursor cursor = shader_cursor(block);
    struct shader_directive line;
    struct arena arena = {0};
    bool found = false;
    while (!found && shader_next_directive(&cursor, &arena, &line)) {
        double numbers[4];
        size_t count = 0;
        for (size_t i = 1; i < line.count && count < 4; i++)
            count += str_to_doubles(line.words[i] + strspn(line.words[i], "("), &numbers[count], 1);
        found = str_equal_nocase(line.words[0], "fogparms") && count == 4 && numbers[3] > 0;
        for (int k = 0; k < 3 && found; k++)
            colour[k] = linear(numbers[k]);
        if (found)
            *distance = numbers[3];
    }
    arena_free(&arena);
    return found;
}

/* The first six sides of a brush are those of its box. */
static bool box_of(const struct bsp *bsp, int number, double mins[3], double maxs[3])
{
    int found = 0;
    if (number < 0 || number >= arrlen(bsp->brushes))
        return false;
    const struct bsp_brush *brush = &bsp->brushes[number];
    for (int i = 0; i < brush->side_count; i++) {
        const struct bsp_plane *plane = &bsp->planes[bsp->brush_sides[brush->first_side + i].plane];
        for (int k = 0; k < 3; k++) {
            double normal = (double)plane->normal[k], at = (double)plane->dist;
            if (normal > 1 - EPSILON_PLANE_NORMAL) {
                maxs[k] = at;
                found |= 1 << k;
            } else if (normal < -1 + EPSILON_PLANE_NORMAL) {
                mins[k] = -at;
                found |= 8 << k;
            }
        }
    }
    return found == 63;
}

static json_t *volumes_of(const struct map_scene *scene)
{
    const struct bsp *bsp = scene->bsp;
    json_t *rows = json_array();
    for (size_t i = 0; i < arrlenu(bsp->effects) && json_array_size(rows) < MAX_VOLUMES; i++) {
        char name[SHADER_NAME + 1] = {0};
        memcpy(name, bsp->effects[i].name, SHADER_NAME);
        const struct shader_block *block = assets_shader_block(scene->materials.assets, name);
        double numbers[BOX_NUMBERS];
        if (block && read_parms(block, numbers, &numbers[9]) &&
            box_of(bsp, bsp->effects[i].brush, &numbers[3], &numbers[6]))
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
