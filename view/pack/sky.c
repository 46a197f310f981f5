#include "view/pack/sky.h"

#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "scene/materials/texture_file.h"

enum { PANORAMA_WIDTH = 1024, PANORAMA_HEIGHT = PANORAMA_WIDTH / 2 };

/* All directions: by turns to the left around the z axis, from behind, and from above down. */
static struct vec3 direction_of(int x, int y)
{
    double turn = ((x + 0.5) / PANORAMA_WIDTH - 0.5) * 2 * PI;
    double down = (y + 0.5) / PANORAMA_HEIGHT * PI, flat = portable_sin(down);
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
            sky_box_at(box, direction_of(x, y), PI / PANORAMA_HEIGHT, seen);
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
