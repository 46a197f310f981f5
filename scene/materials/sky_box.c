#include "scene/materials/sky_box.h"

#include "common/core/portable_math.h"

/* As ioquake3 shows them. */
#define WORLD_RADIUS 4096.0

/* Images end at their borders: no sample reaches those of the opposite one. */
static double inside(double place, int texels, double footprint)
{
    double margin = portable_fmin(0.5 * portable_fmax(1.0 / texels, footprint), 0.5);
    return portable_fmin(portable_fmax(place, margin), 1 - margin);
}

/* A side that is twice as wide as high, as many games have them, is the upper half of one whose
 * lower half repeats its last row. */
static void side_at(const struct texture *side, double right, double down, double footprint,
                    float rgba[4])
{
    int width = side->levels[0].width, height = side->levels[0].height;
    double stretch = width == 2 * height ? 2 : 1;
    texture_at(side, inside(right, width, footprint),
               inside(stretch * down, height, stretch * footprint), footprint, rgba);
}

static void add_box(const struct sky_box *box, struct vec3 direction, double width,
                    struct blended *out)
{
    struct sky_place place = sky_place_of(direction);
    float rgba[4];
    side_at(box->sides[place.side], place.right, place.down, 0.5 * width / place.far, rgba);
    for (int k = 0; k < 3; k++) {
        out->added[k] = screen_brightness(box->clouds.screen, rgba[k]);
        out->kept[k] = 0;
    }
}

/* Clouds lie on a sphere around the middle of the world, which the eye is on top of. The angles of
 * their place to two axes are their texture coordinates. */
static struct layer_point cloud_point(double height, struct vec3 direction, double width)
{
    double up = WORLD_RADIUS * direction.z, reach = WORLD_RADIUS + height;
    double way = sqrt(up * up + reach * reach - WORLD_RADIUS * WORLD_RADIUS) - up;
    struct vec3 place = vec3_scale(direction, way);
    place.z += WORLD_RADIUS;
    place = vec3_normalize(place);
    return (struct layer_point){.place = {portable_acos(place.x), portable_acos(place.y)},
                                .footprint = width * way / reach,
                                .light = {1, 1, 1},
                                .opacity = 1};
}

void sky_box_at(const struct sky_box *box, struct vec3 direction, double width, float out[3])
{
    struct blended blended = {.kept = {0, 0, 0}};
    if (box->sides[0])
        add_box(box, direction, width, &blended);
    if (box->clouds.count) {
        struct layer_point point = cloud_point(box->cloud_height, direction, width);
        layers_over(&box->clouds, &point, &blended);
    }
    for (int k = 0; k < 3; k++)
        out[k] = blended.added[k];
}

static void mean_of(const struct sky_box *box, const struct vec3 *directions, int count,
                    double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = 0;
    for (int i = 0; i < count; i++) {
        float seen[3];
        sky_box_at(box, vec3_normalize(directions[i]), 1, seen);
        for (int k = 0; k < 3; k++)
            out[k] += 255.0 / count * (double)screen_light(box->clouds.screen, seen[k]);
    }
}

void sky_box_means(const struct sky_box *box, double zenith[3], double horizon[3])
{
    const struct vec3 up = vec3(0, 0, 1), around[] = {vec3(1, 0, 0.1), vec3(0, 1, 0.1),
                                                      vec3(-1, 0, 0.1), vec3(0, -1, 0.1)};
    mean_of(box, &up, 1, zenith);
    mean_of(box, around, 4, horizon);
}
