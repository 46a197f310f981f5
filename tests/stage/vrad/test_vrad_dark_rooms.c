/* A room that only bounced light reaches, through a doorway: smooth to the eye, and as bright as by
 * path tracing. */
#include "tests/support/suite.h"

#include <stdlib.h>

#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/reference/reference.h"

static const char light_entity[] =
    "{\n\"classname\" \"light\"\n\"origin\" \"160 160 100\"\n"
    "\"_light\" \"255 240 210 3000\"\n\"_quadratic_attn\" \"1\"\n}\n";

/* A wall from x = WALL on, with a door near its end; nothing behind FAR sees a lit place but
 * through the door. */
enum { LENGTH = 768, WIDTH = 320, HEIGHT = 128, WALL = 320, FAR = 448, DOOR = 208, DOOR_END = 256 };

static void open_rooms(struct lit_room *room)
{
    struct bsp *bsp = room_new(vec3(LENGTH, WIDTH, HEIGHT), 0.4, NULL);
    room_add_box(bsp, vec3(WALL, 0, 0), vec3(WALL + 16, DOOR, HEIGHT));
    room_add_box(bsp, vec3(WALL, DOOR_END, 0), vec3(WALL + 16, WIDTH, HEIGHT));
    room_add_box(bsp, vec3(WALL, DOOR, 96), vec3(WALL + 16, DOOR_END, HEIGHT));
    lit_room_open(room, bsp, light_entity, 2);
    const struct direct_options direct = {.fine = LUXEL_FINE, .everywhere = true};
    direct_light(&room->env, &room->scene, &room->lights, &direct, &room->map);
}

static double level(const struct lit_room *room, int face, int s, int t)
{
    return lit_room_total(room, face, t * room->map.faces[face].width + s);
}

/* How far a luxel is off the mean of its neighbours, relative to its own light. */
static double residual(const struct lit_room *room, int face, int s, int t)
{
    double own = level(room, face, s, t);
    double around = (level(room, face, s - 1, t) + level(room, face, s + 1, t) +
                     level(room, face, s, t - 1) + level(room, face, s, t + 1)) /
                    4;
    return fabs(own - around) / fmax(own, 0.3);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Residuals of the luxels that are dark, and smooth in `smooth`, in ascending order. */
static int residuals(const struct lit_room *room, const struct lit_room *smooth, double *out)
{
    int count = 0;
    for (int face = 0; face < 6; face++) {
        const struct face_light *light = &room->map.faces[face];
        for (int t = 1; t < light->height - 1; t++)
            for (int s = 1; s < light->width - 1; s++)
                if (level(smooth, face, s, t) >= 0.5 && level(smooth, face, s, t) < 32 &&
                    luxel_position(light, t * light->width + s).x > FAR &&
                    residual(smooth, face, s, t) < 0.03)
                    out[count++] = residual(room, face, s, t);
    }
    qsort(out, (size_t)count, sizeof *out, by_size);
    return count;
}

/* Blotches begin where a luxel is a tenth off its neighbours. */
static void dark_rooms_are_smooth(void **state)
{
    struct lit_room room, smooth;
    (void)state;
    open_rooms(&room);
    open_rooms(&smooth);
    const struct bounce_options usual = {.bounces = 100};
    const struct bounce_options thorough = {
        .bounces = 100, .rays = 512, .spacing = 48, .tolerance = 0.03};
    bounce_light(&room.env, &room.scene, &room.map, &usual);
    bounce_light(&smooth.env, &smooth.scene, &smooth.map, &thorough);
    double *found = memory_alloc((room.map.luxel_count + 1) * sizeof *found);
    int count = residuals(&room, &smooth, found), seen = 0;
    for (int i = 0; i < count; i++)
        seen += found[i] > 0.1;
    assert_true(count > 500);
    assert_true(seen * 100 <= count);
    assert_true(found[count * 99 / 100] < 0.08);
    memory_free(found);
    lit_room_close(&room);
    lit_room_close(&smooth);
}

/* Bounced light over the area of both rooms, and of the dark one. */
static void sum_light(const struct lit_room *room, double *all, double *dark)
{
    *all = *dark = 0;
    for (int face = 0; face < 6; face++) {
        const struct face_light *light = &room->map.faces[face];
        for (int i = 0; i < light->count; i++) {
            double power = (double)luxel_area(light, i) * lit_room_bounced(room, face, i, 0);
            *all += power;
            *dark += luxel_position(light, i).x > FAR ? power : 0;
        }
    }
}

static void dark_rooms_keep_energy(void **state)
{
    struct lit_room room, traced;
    double all, dark, true_all, true_dark;
    (void)state;
    open_rooms(&room);
    open_rooms(&traced);
    const struct bounce_options usual = {.bounces = 100};
    const struct reference_options paths = {.paths = 192, .bounces = 100};
    bounce_light(&room.env, &room.scene, &room.map, &usual);
    reference_light(&traced.env, &traced.scene, &traced.lights, &paths, &traced.map, NULL);
    sum_light(&room, &all, &dark);
    sum_light(&traced, &true_all, &true_dark);
    assert_near(all / true_all, 1, 0.01);
    assert_near(dark / true_dark, 1, 0.04); /* the noise of the paths is 1 % */
    lit_room_close(&room);
    lit_room_close(&traced);
}

SUITE(test_vrad_dark_rooms)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dark_rooms_are_smooth),
        cmocka_unit_test(dark_rooms_keep_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
