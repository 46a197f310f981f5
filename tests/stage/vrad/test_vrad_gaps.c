/* Path tracing where light comes from near surfaces and through gaps, and what it tells of its own
 * error. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/lights/light.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/reference/luxel_errors.h"
#include "vrad/reference/reference.h"

static const char no_light[] = "{\n\"classname\" \"info_null\"\n\"origin\" \"9 9 9\"\n}\n";

/* A patch light of a whole face, as texture lights make them. */
static void make_face_shine(struct lit_room *room, int face, double intensity)
{
    struct light light = {.type = WORLDLIGHT_SURFACE,
                          .face = face,
                          .normal = room->map.faces[face].normal,
                          .intensity = vec3(intensity, intensity, intensity)};
    struct bounds box = luxel_face_bounds(&room->map, &room->map.faces[face]);
    light.origin = bounds_center(&box);
    arrput(room->lights.lights, light);
    lights_place(room->bsp, &room->lights);
}

/* The form factor of a rectangle from 0 to x and 0 to y, as seen from a parallel element at the
 * distance z under its corner. */
static double corner_factor(double x, double y, double z)
{
    double a = x / z, b = y / z, p = sqrt(1 + a * a), q = sqrt(1 + b * b);
    return (a / p * atan(b / p) + b / q * atan(a / q)) / (2 * PI);
}

static double factor(double width, double height, double z, double x, double y)
{
    return corner_factor(x, y, z) + corner_factor(width - x, y, z) +
           corner_factor(x, height - y, z) + corner_factor(width - x, height - y, z);
}

/* The mean over the square of a luxel, clipped to the floor. */
static double mean_factor(double side, double z, struct vec3 at, double reach)
{
    enum { STEPS = 16 };
    double sum = 0, low[2], size[2];
    for (int k = 0; k < 2; k++) {
        low[k] = portable_fmax(at.e[k] - reach, 0);
        size[k] = portable_fmin(at.e[k] + reach, side) - low[k];
    }
    for (int i = 0; i < STEPS * STEPS; i++)
        sum += factor(side, side, z, low[0] + size[0] * (i % STEPS + 0.5) / STEPS,
                      low[1] + size[1] * (i / STEPS + 0.5) / STEPS);
    return sum / (STEPS * STEPS);
}

/* A ceiling that shines onto a floor of its size, at any gap. */
static void area_lights_are_areas(void **state)
{
    static const double gaps[] = {1, 2, 8, 32};
    const double side = 64;
    (void)state;
    for (int g = 0; g < 4; g++) {
        struct lit_room room;
        struct luxel_errors errors = {0};
        lit_room_open(&room, room_new(vec3(side, side, gaps[g]), 0, NULL), no_light, 1);
        make_face_shine(&room, ROOM_CEILING, 100 * side * side / PI); /* a radiosity of 100 */
        lit_room_fill(&room, 0);
        const struct reference_options options = {.paths = 256};
        reference_light(&room.env, &room.scene, &room.lights, &options, &room.map, &errors);
        const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
        double worst = 0, sum = 0, true_sum = 0;
        for (int i = 0; i < floor->count; i++) {
            double light = (double)floor->direct[0][3 * i];
            double reach = vec3_length(floor->axis[0]) / 2;
            struct vec3 middle = vec3_mad(vec3_mad(floor->origin, floor->axis[0], i % floor->width),
                                          floor->axis[1], i / floor->width);
            double wanted = 100 * mean_factor(side, gaps[g], middle, reach);
            double error = (double)errors.faces[ROOM_FLOOR].errors[i];
            worst = fmax(worst, fabs(light - wanted) / (error + 0.01 * wanted));
            sum += light;
            true_sum += wanted;
            assert_near(lit_room_bounced(&room, ROOM_FLOOR, i, 0), 0, 1e-6);
        }
        assert_near(sum / true_sum, 1, 0.01);
        assert_true(worst < 4.5);
        luxel_errors_free(&errors);
        lit_room_close(&room);
    }
}

/* ---- a slot ---- */

/* A light behind a wall that leaves a slot of 4 units under the ceiling. */
static void open_slot(struct lit_room *room, double albedo)
{
    static const char light[] = "{\n\"classname\" \"light\"\n\"origin\" \"228 64 108\"\n"
                                "\"_light\" \"255 255 255 400\"\n\"_quadratic_attn\" \"1\"\n}\n";
    struct bsp *bsp = room_new(vec3(256, 128, 128), albedo, NULL);
    room_add_box(bsp, vec3(192, 0, 0), vec3(196, 128, 124));
    lit_room_open(room, bsp, light, 1);
    lit_room_fill(room, 0);
}

struct part {
    double light, error; /* sum over the luxels before the wall, and its standard error */
};

static struct part trace_slot(struct lit_room *room, const struct reference_options *options,
                              struct luxel_errors *errors)
{
    struct part out = {0, 0};
    reference_light(&room->env, &room->scene, &room->lights, options, &room->map, errors);
    for (int face = 0; face < 6; face++) {
        const struct face_light *light = &room->map.faces[face];
        for (int i = 0; i < light->count; i++) {
            if (!(luxel_position(light, i).x < 190) || !errors->faces[face].paths[i])
                continue;
            out.light += lit_room_total(room, face, i);
            out.error += pow((double)errors->faces[face].errors[i], 2);
        }
    }
    out.error = sqrt(out.error);
    return out;
}

static struct part slot_light(const struct reference_options *options)
{
    struct lit_room room;
    struct luxel_errors errors = {0};
    open_slot(&room, 0.5);
    struct part part = trace_slot(&room, options, &errors);
    luxel_errors_free(&errors);
    lit_room_close(&room);
    return part;
}

/* Paths that aim and paths that do not find the same light, the former with less error. */
static void aiming_changes_no_light(void **state)
{
    (void)state;
    const struct part aimed = slot_light(&(struct reference_options){.paths = 128, .bounces = 4});
    const struct part other =
        slot_light(&(struct reference_options){.paths = 512, .bounces = 4, .no_aim = true});
    assert_true(fabs(aimed.light - other.light) < 3.5 * portable_hypot(aimed.error, other.error));
    assert_true(aimed.error < other.error);
    assert_true(other.error < 0.05 * other.light);
}

/* Where all surfaces shine evenly and reflect a half, each gets twice what one emits. */
static void a_furnace_is_even(void **state)
{
    struct lit_room room;
    struct luxel_errors errors = {0};
    double sum = 0, worst = 0;
    int count = 0;
    (void)state;
    lit_room_open(&room, room_new(vec3(96, 64, 48), 0.5, NULL), no_light, 1);
    for (int face = 0; face < 6; face++) {
        struct bounds box = luxel_face_bounds(&room.map, &room.map.faces[face]);
        struct vec3 size = vec3_sub(box.maxs, box.mins);
        double area = size.x * size.y + size.y * size.z + size.z * size.x;
        make_face_shine(&room, face, 10 * area / PI);
    }
    lit_room_fill(&room, 0);
    const struct reference_options options = {.paths = 256, .bounces = 100};
    reference_light(&room.env, &room.scene, &room.lights, &options, &room.map, &errors);
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < room.map.faces[face].count; i++, count++) {
            double light = lit_room_total(&room, face, i);
            sum += light;
            worst = fmax(worst, fabs(light - 20) / (double)errors.faces[face].errors[i]);
        }
    assert_near(sum / count, 20, 0.05);
    assert_true(worst < 5);
    luxel_errors_free(&errors);
    lit_room_close(&room);
}

/* ---- errors ---- */

/* The errors of runs with other seeds scatter as these say. */
static void errors_are_those_of_seeds(void **state)
{
    enum { RUNS = 12 };
    struct lit_room room;
    double squares = 0, told = 0;
    float *sums[2] = {NULL, NULL};
    (void)state;
    open_slot(&room, 0.5);
    const int count = room.map.faces[ROOM_FLOOR].count;
    for (int k = 0; k < 2; k++)
        sums[k] = memory_zalloc((size_t)count, sizeof(float));
    lit_room_close(&room);
    for (int run = 0; run < RUNS; run++) {
        open_slot(&room, 0.5);
        struct luxel_errors errors = {0};
        const struct reference_options options = {
            .paths = 64, .bounces = 2, .seed = (uint64_t)run + 1};
        trace_slot(&room, &options, &errors);
        for (int i = 0; i < count; i++) {
            double light = lit_room_total(&room, ROOM_FLOOR, i);
            sums[0][i] += (float)light;
            sums[1][i] += (float)(light * light);
            told += pow((double)errors.faces[ROOM_FLOOR].errors[i], 2) / RUNS;
        }
        luxel_errors_free(&errors);
        lit_room_close(&room);
    }
    for (int i = 0; i < count; i++) {
        double mean = (double)sums[0][i] / RUNS;
        squares += ((double)sums[1][i] - RUNS * mean * mean) / (RUNS - 1);
    }
    assert_near(squares / told, 1, 0.25);
    for (int k = 0; k < 2; k++)
        memory_free(sums[k]);
}

/* Luxels get no more paths than they need, and those that are dark by chance no fewer: the light
 * stays what it is. */
static void paths_stop_at_an_error(void **state)
{
    enum { MOST = 1024 };
    struct lit_room room;
    struct luxel_errors errors = {0};
    int64_t early = 0, count = 0;
    (void)state;
    open_slot(&room, 0.5);
    const struct reference_options options = {.paths = MOST, .bounces = 2, .error = 0.2};
    const struct part stopped = trace_slot(&room, &options, &errors);
    const struct part all = slot_light(&(struct reference_options){.paths = 512, .bounces = 2});
    assert_true(fabs(stopped.light - all.light) < 4 * portable_hypot(stopped.error, all.error));
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < room.map.faces[face].count; i++) {
            uint32_t paths = errors.faces[face].paths[i];
            double light = fmax(lit_room_total(&room, face, i), REFERENCE_FLOOR);
            count += paths > 0;
            early += paths > 0 && paths < MOST;
            if (paths > 0 && paths < MOST)
                assert_true((double)errors.faces[face].errors[i] < 0.2001 * light);
        }
    assert_true(count > 300 && early > count / 2);
    const struct error_summary sum = luxel_errors_sum(&errors, &room.map);
    assert_true(sum.mean <= sum.high && sum.high <= sum.max && sum.mean > 0.01 && sum.mean < 0.25);
    assert_true(sum.paths < count * MOST);
    luxel_errors_free(&errors);
    lit_room_close(&room);
}

/* The file has the shape of the lightmaps, and their numbers. */
static void the_file_has_all_luxels(void **state)
{
    struct lit_room room;
    struct luxel_errors errors = {0};
    struct bytes file = {0};
    (void)state;
    open_slot(&room, 0.5);
    const struct reference_options options = {.paths = 32, .bounces = 1};
    trace_slot(&room, &options, &errors);
    luxel_errors_write(&errors, &room.map, &file);
    struct byte_reader from = byte_reader(file.data, file.size);
    assert_memory_equal(read_block(&from, 8), "LUXERROR", 8);
    assert_int_equal(read_u32(&from), 1);
    assert_int_equal(read_u32(&from), room.map.face_count);
    for (int face = 0; face < room.map.face_count; face++) {
        const struct face_light *light = &room.map.faces[face];
        assert_int_equal(read_u32(&from), light->width);
        assert_int_equal(read_u32(&from), light->height);
        assert_int_equal(read_u32(&from), 1);
        assert_int_equal(read_u32(&from), 0);
        const unsigned char *paths = read_block(&from, 4 * (size_t)light->count);
        const unsigned char *floats = read_block(&from, 4 * (size_t)light->count);
        assert_memory_equal(paths, errors.faces[face].paths, 4 * (size_t)light->count);
        assert_memory_equal(floats, errors.faces[face].errors, 4 * (size_t)light->count);
    }
    assert_true(!from.failed && from.at == from.size);
    bytes_free(&file);
    luxel_errors_free(&errors);
    lit_room_close(&room);
}

SUITE(test_vrad_gaps)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(area_lights_are_areas),  cmocka_unit_test(aiming_changes_no_light),
        cmocka_unit_test(a_furnace_is_even),      cmocka_unit_test(errors_are_those_of_seeds),
        cmocka_unit_test(paths_stop_at_an_error), cmocka_unit_test(the_file_has_all_luxels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
