/* Texture lights beside fixtures, in maps/light_fixtures.vmf: games show less light there than the
 * rendering equation gives. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_map.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/lights/light.h"
#include "vrad/lights/rad_file.h"

/* The ceiling, and the fixtures on it: their middles, and half their side. */
static const double ceiling_z = 128, middle_y = 128, half_side = 16;
static const double low_box = 128, high_box = 384; /* 2 and 8 units high */

static void open_fixtures(struct lit_map *lit, struct rad_file *rad, enum surface_model_kind kind)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_disk()};
    struct bytes text = {0};
    const char *path = MAPS_DIR "/light_fixtures.rad";
    *rad = (struct rad_file){0};
    assert_int_equal(fs_load(env.fs, env.diag, path, &text), STATUS_OK);
    rad_parse((const char *)text.data, text.size, path, env.diag, rad);
    bytes_free(&text);
    diag_free(env.diag);
    lit_map_open_with(lit, "light_fixtures.vmf", 0, rad, surface_model_of(kind));
}

static void close_fixtures(struct lit_map *lit, struct rad_file *rad)
{
    lit_map_close(lit);
    rad_free(rad);
}

static bool is_ceiling(const struct face_light *face)
{
    return face->count && face->normal.z < -0.9 &&
           fabs(lit_map_place(&face->luxels[0]).z - ceiling_z) < 0.01;
}

/* Returns true if the luxel lies beside a fixture, at one to two luxels from its sides, and is of
 * use: it is whole, and no fixture hides another from it. */
static bool is_beside(const struct luxel *luxel, double fixture)
{
    struct vec3 at = lit_map_place(luxel);
    double x = fabs(at.x - fixture) - half_side, y = fabs(at.y - middle_y);
    return luxel->area > 0 && !luxel->hidden && x > 2 && x < 20 && y <= half_side;
}

/* The mean of the light beside a fixture on the ceiling. */
static double beside(const struct lit_map *lit, double fixture)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < lit->map.face_count; i++) {
        const struct face_light *face = &lit->map.faces[i];
        for (int l = 0; is_ceiling(face) && l < face->count; l++)
            if (is_beside(&face->luxels[l], fixture)) {
                sum += lit_map_grey(face, l);
                count++;
            }
    }
    assert_true(count > 1);
    return sum / count;
}

/* The sides of the box of 2 units have their middle a unit below the ceiling, which they do not
 * light as games show it. */
static void a_low_fixture_has_no_halo(void **state)
{
    struct lit_map physical, game;
    struct rad_file rads[2];
    (void)state;
    open_fixtures(&physical, &rads[0], SURFACE_PHYSICAL);
    open_fixtures(&game, &rads[1], SURFACE_SOURCE);
    double halo = beside(&physical, low_box), without = beside(&game, low_box);
    print_message("beside the low box: %.1f physical, %.1f as games show it\n", halo, without);
    assert_true(halo > 5);
    assert_true(without < 0.01 * halo);
    assert_true(beside(&game, high_box) > 5);
    close_fixtures(&physical, &rads[0]);
    close_fixtures(&game, &rads[1]);
}

/* The light of the patches at a point, a unit above the surface. */
static double patches_at(const struct light_set *set, struct vec3 point, struct vec3 normal)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < arrlen(set->lights); i++) {
        struct vec3 direction, lifted = vec3_add(point, normal);
        double distance, share = light_at(&set->lights[i], lifted, &direction, &distance);
        double grey =
            (set->lights[i].intensity.x + set->lights[i].intensity.y + set->lights[i].intensity.z) /
            3;
        sum += grey * share * fmax(vec3_dot(direction, normal), 0);
    }
    return sum;
}

/* Beside the box of 8 units: the mean over two luxels by two. */
static void light_is_taken_over_a_window(void **state)
{
    enum { STEPS = 64 };
    struct lit_map game;
    struct rad_file rad;
    int tested = 0;
    (void)state;
    open_fixtures(&game, &rad, SURFACE_SOURCE);
    for (int i = 0; i < game.map.face_count; i++) {
        const struct face_light *face = &game.map.faces[i];
        for (int l = 0; is_ceiling(face) && l < face->count; l++) {
            struct vec3 at = lit_map_place(&face->luxels[l]);
            double x = fabs(at.x - high_box) - half_side, sum = 0;
            if (!(face->luxels[l].area > 0) || x < 17 || x > 64 ||
                fabs(at.y - middle_y) > half_side)
                continue;
            for (int n = 0; n < STEPS * STEPS; n++) {
                double s = l % face->width + 2 * ((n % STEPS + 0.5) / (double)STEPS - 0.5);
                double t = l / face->width + 2 * ((n / STEPS + 0.5) / (double)STEPS - 0.5);
                struct vec3 point = vec3_mad(face->origin, face->axis[0], s);
                point = vec3_mad(point, face->axis[1], t);
                sum += patches_at(&game.lights, point, face->normal);
            }
            double want = sum / (STEPS * STEPS);
            assert_near(lit_map_grey(face, l), want, 0.08 * want);
            tested++;
        }
    }
    assert_true(tested > 8);
    close_fixtures(&game, &rad);
}

/* Returns true if a luxel is not within 64 units of a fixture. */
static bool is_away(const struct light_set *set, const struct luxel *luxel)
{
    for (ptrdiff_t i = 0; i < arrlen(set->lights); i++)
        if (vec3_distance(set->lights[i].origin, lit_map_place(luxel)) < 64)
            return false;
    return luxel->area > 0 && !luxel->hidden;
}

/* The energy elsewhere is the same, within 2 %. */
static void light_elsewhere_is_physical(void **state)
{
    struct lit_map physical, game;
    struct rad_file rads[2];
    double sums[2] = {0};
    (void)state;
    open_fixtures(&physical, &rads[0], SURFACE_PHYSICAL);
    open_fixtures(&game, &rads[1], SURFACE_SOURCE);
    for (int i = 0; i < game.map.face_count; i++) {
        const struct face_light *one = &physical.map.faces[i], *other = &game.map.faces[i];
        for (int l = 0; l < one->count; l++)
            if (is_away(&game.lights, &one->luxels[l])) {
                sums[0] += lit_map_grey(one, l);
                sums[1] += lit_map_grey(other, l);
            }
    }
    print_message("elsewhere: %.4f of physical light\n", sums[1] / sums[0]);
    assert_near(sums[1], sums[0], 0.02 * sums[0]);
    close_fixtures(&physical, &rads[0]);
    close_fixtures(&game, &rads[1]);
}

/* Adaptive visibility sampling agrees with rays to every luxel. */

enum { SIZE = 512, ACROSS = SIZE / 16 + 1 };

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"250 262 370\"\n"
                                   "\"_light\" \"255 255 255 300\"\n\"_quadratic_attn\" \"1\"\n}\n";

/* The floor under a light, with a bar one luxel wide and a small box between; on the heap. */
static float *light_floor(bool thorough)
{
    const struct direct_options options = {.fine = 32, .thorough = thorough};
    struct lit_room room;
    struct bsp *bsp = room_new(vec3(SIZE, SIZE, 384), 0.5, NULL);
    room_add_box(bsp, vec3(60, 100, 40), vec3(460, 112, 52));
    room_add_box(bsp, vec3(330, 330, 60), vec3(360, 360, 80));
    lit_room_open(&room, bsp, light_entity, 2);
    direct_light(&room.env, &room.scene, &room.lights, &options, &room.map);
    const struct face_light *floor = &room.map.faces[ROOM_FLOOR];
    float *out = memory_alloc((size_t)(ACROSS * ACROSS) * sizeof *out);
    assert_int_equal(floor->count, ACROSS * ACROSS);
    for (int i = 0; i < floor->count; i++)
        out[i] = floor->direct[0][3 * i];
    lit_room_close(&room);
    return out;
}

static void thin_shadows_are_followed(void **state)
{
    float *sparse = light_floor(false), *all = light_floor(true);
    double error = 0, mean = 0;
    int dark = 0;
    (void)state;
    for (int i = 0; i < ACROSS * ACROSS; i++) {
        mean += (double)all[i];
        error += ((double)sparse[i] - (double)all[i]) * ((double)sparse[i] - (double)all[i]);
    }
    mean /= ACROSS * ACROSS;
    for (int i = 0; i < ACROSS * ACROSS; i++) {
        dark += (double)all[i] < 0.5 * mean;
        if ((double)all[i] < 0.1 * mean)
            assert_true((double)sparse[i] < 0.3 * mean);
        else if ((double)all[i] > 0.9 * mean)
            assert_true((double)sparse[i] > 0.7 * mean);
    }
    assert_true(dark > 15); /* there are shadows */
    assert_true(sqrt(error / (ACROSS * ACROSS)) < 0.02 * mean);
    memory_free(sparse);
    memory_free(all);
}

SUITE(test_vrad_surface_model)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_low_fixture_has_no_halo),
        cmocka_unit_test(light_is_taken_over_a_window),
        cmocka_unit_test(light_elsewhere_is_physical),
        cmocka_unit_test(thin_shadows_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
