#include "common/core/portable_math.h"
#include "vbsp/level/adapt/adapt.h"

#include <math.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"

#define RADIANS(degrees) ((degrees) * PI / 180)

/* 7500 / 100^2: the brightness 100 units from a light of 1. */
#define LIGHT_TO_BRIGHTNESS 0.75
#define GAMMA               2.2 /* of colours in Source's keys; Quake's are linear */

#define CONE         45.0 /* default for spots */
#define MAX_CONE     80.0 /* wider cones have no radius at their target */
#define AIM_DISTANCE 100.0

/* Parses "r g b [brightness]"; false if invalid. */
static bool read_light(const char *text, double colour[3], double *brightness)
{
    double v[8];
    size_t count = str_to_doubles(text, v, 8);
    if (count != 1 && count != 3 && count != 4 && count != 8)
        return false;
    for (int i = 0; i < 3; i++)
        colour[i] =
            portable_pow(portable_fmin(portable_fmax(v[count == 1 ? 0 : i], 0), 1e6) / 255, GAMMA);
    *brightness = count >= 4 ? v[3] : 255;
    return isfinite(*brightness) && *brightness >= 0;
}

/* As Valve's vrad does: "pitch" overrides that of "angles", and counts upwards. */
static struct vec3 direction_of(const struct entity *keys)
{
    struct vec3 angles = vec3(0, 0, 0);
    (void)entity_vector(keys, "angles", &angles);
    double pitch = entity_number(keys, "pitch", 0), angle = entity_number(keys, "angle", 0);
    if (angle == -1 || angle == -2)
        return vec3(0, 0, angle == -1 ? 1 : -1);
    pitch = RADIANS(pitch != 0 ? pitch : angles.x);
    double yaw = RADIANS(angle != 0 ? angle : angles.y);
    struct vec3 direction = vec3(portable_cos(yaw) * portable_cos(pitch),
                                 portable_sin(yaw) * portable_cos(pitch), portable_sin(pitch));
    return vec3_is_finite(direction) ? direction : vec3(0, 0, -1);
}

static bool find_origin(const struct level *map, const char *name, struct vec3 *out)
{
    for (size_t i = 0; *name && i < arrlenu(map->entities); i++)
        if (str_equal_nocase(entity_value(&map->entities[i].keys, "targetname"), name))
            return entity_vector(&map->entities[i].keys, "origin", out);
    return false;
}

/* Aims the light at a new info_null in the direction of its angles. */
static void add_target(struct level *map, size_t index, struct vec3 origin)
{
    struct vec3 at = vec3_mad(origin, direction_of(&map->entities[index].keys), AIM_DISTANCE);
    struct map_entity target = {.id = map->entities[index].id,
                                .line = map->entities[index].line,
                                .part = map->entities[index].part};
    const char *name = arena_printf(&map->arena, "light_aim_%zu", index);
    entity_set(&target.keys, &map->arena, "classname", "info_null");
    entity_set(&target.keys, &map->arena, "targetname", name);
    entity_set(&target.keys, &map->arena, "origin",
               arena_printf(&map->arena, "%.9g %.9g %.9g", at.x, at.y, at.z));
    entity_set(&map->entities[index].keys, &map->arena, "target", name);
    arrput(map->entities, target);
}

/* The same colour, half as bright. */
static const char *half_brightness(struct level *map, const char *light, double brightness)
{
    double v[8];
    size_t count = str_to_doubles(light, v, 8);
    return arena_printf(&map->arena, "%.9g %.9g %.9g %.9g", v[0], v[count > 2 ? 1 : 0],
                        v[count > 2 ? 2 : 0], brightness / 2);
}

static void convert_light(struct level *map, size_t index)
{
    struct entity *keys = &map->entities[index].keys;
    bool spot = entity_is(keys, "light_spot");
    bool environment = entity_is(keys, "light_environment");
    bool sun = environment || entity_is(keys, "light_directional");
    double colour[3], brightness;
    struct vec3 origin = vec3(0, 0, 0), target;
    if ((!spot && !sun && !entity_is(keys, "light")) ||
        !read_light(entity_value(keys, "_light"), colour, &brightness))
        return;
    double max = portable_fmax(colour[0], portable_fmax(colour[1], colour[2]));
    double light = brightness * max / (sun ? 1 : LIGHT_TO_BRIGHTNESS);
    for (int i = 0; i < 3; i++)
        colour[i] = max > 0 ? colour[i] / max : 1;
    (void)entity_vector(keys, "origin", &origin);
    bool aimed = find_origin(map, entity_value(keys, "target"), &target);
    double distance = aimed ? vec3_distance(origin, target) : AIM_DISTANCE;
    double cone =
        RADIANS(portable_fmin(portable_fmax(entity_number(keys, "_cone", CONE), 1), MAX_CONE));
    const char *half = half_brightness(map, entity_value(keys, "_light"), brightness);
    entity_remove(keys, "_light");
    entity_set(keys, &map->arena, "classname", "light");
    entity_set(keys, &map->arena, "light", arena_printf(&map->arena, "%.9g", light));
    entity_set(keys, &map->arena, "_color",
               arena_printf(&map->arena, "%.6g %.6g %.6g", colour[0], colour[1], colour[2]));
    if (sun)
        entity_set(keys, &map->arena, "_sun", "1");
    if (environment && !read_light(entity_value(keys, "_ambient"), colour, &brightness))
        entity_set(keys, &map->arena, "_ambient", half);
    if (spot)
        entity_set(keys, &map->arena, "radius",
                   arena_printf(&map->arena, "%.9g", distance * portable_tan(cone)));
    if ((spot || sun) && !aimed)
        add_target(map, index, origin);
}

void adapt_quake3_lights(struct level *map)
{
    size_t count = arrlenu(map->entities); /* targets are appended */
    for (size_t i = 1; i < count; i++)
        convert_light(map, i);
}

void adapt_quake3_spawns(struct level *map)
{
    static const char *const starts[] = {
        "info_player_start", "info_player_terrorist", "info_player_counterterrorist",
        "info_player_coop",  "info_player_teamspawn", "info_player_combine",
        "info_player_rebel", "info_survivor_position"};
    for (size_t i = 0; i < arrlenu(map->entities); i++)
        if (entity_is(&map->entities[i].keys, "info_player_deathmatch"))
            return;
    for (size_t i = 1; i < arrlenu(map->entities); i++)
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
            if (entity_is(&map->entities[i].keys, starts[k]))
                entity_set(&map->entities[i].keys, &map->arena, "classname",
                           "info_player_deathmatch");
}
