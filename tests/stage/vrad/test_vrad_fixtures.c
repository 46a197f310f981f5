/* Texture lights beside fixtures, in maps/light_fixtures.vmf, and shadows of thin things. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/vrad/lit_map.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/lights/light.h"
#include "vrad/lights/patch_shape.h"
#include "vrad/lights/rad_file.h"

/* The ceiling, and the fixtures on it: their middles, and half their side. */
static const double ceiling_z = 128, middle_y = 128, half_side = 16;
static const double low_box = 128, high_box = 384; /* 2 and 8 units high */

static void open_fixtures(struct lit_map *lit, struct rad_file *rad)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_disk()};
    struct bytes text = {0};
    const char *path = MAPS_DIR "/light_fixtures.rad";
    *rad = (struct rad_file){0};
    assert_int_equal(fs_load(env.fs, env.diag, path, &text), STATUS_OK);
    rad_parse((const char *)text.data, text.size, path, env.diag, rad);
    bytes_free(&text);
    diag_free(env.diag);
    lit_map_open_with(lit, "light_fixtures.vmf", 0, rad);
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

/* Returns true if the luxel lies beside a fixture, up to four luxels from its sides, and is of use:
 * it is whole, and no fixture hides another from it. */
static bool is_beside(const struct luxel *luxel, double fixture)
{
    struct vec3 at = lit_map_place(luxel);
    double x = fabs(at.x - fixture) - half_side, y = fabs(at.y - middle_y);
    return luxel->area > 0 && !luxel->hidden && x > 9 && x < 64 && y <= half_side;
}

/* The light of a patch, as the rectangle of its shape, at a point of the ceiling: by the sum over
 * small pieces of it. */
static double patch_at(const struct light *light, struct vec3 point, struct vec3 normal)
{
    enum { STEPS = 24 };
    double sum = 0;
    for (int n = 0; n < STEPS * STEPS; n++) {
        struct vec3 piece =
            vec3_mad(light->origin, light->shape->side[0], (n % STEPS + 0.5) * 2 / STEPS - 1);
        piece = vec3_mad(piece, light->shape->side[1], (n / STEPS + 0.5) * 2 / STEPS - 1);
        struct vec3 way = vec3_sub(piece, point);
        double d = vec3_length(way), from = -vec3_dot(way, light->normal);
        sum += fmax(from, 0) * fmax(vec3_dot(way, normal), 0) / (d * d * d * d);
    }
    return sum * light_grey(light) / (STEPS * STEPS);
}

/* By a ray from a unit above the ceiling: the boxes hide others of the map. */
static bool sees(const struct lit_map *lit, struct vec3 point, const struct light *light)
{
    struct vec3 way = vec3_sub(light_source(light), point);
    struct trace_packet packet = {.far[0] = 1};
    for (int k = 0; k < 3; k++) {
        packet.origin[k][0] = (float)point.e[k];
        packet.direction[k][0] = (float)way.e[k];
    }
    return !scene_blocked16(&lit->scene, &packet, 1);
}

/* The mean over a luxel. */
static double wanted_at(const struct lit_map *lit, const struct face_light *face, int luxel)
{
    enum { STEPS = 4 };
    const struct light_set *set = &lit->lights;
    double sum = 0;
    for (int n = 0; n < STEPS * STEPS; n++) {
        double s = luxel % face->width + (n % STEPS + 0.5) / STEPS - 0.5;
        double t = luxel / face->width + (n / STEPS + 0.5) / STEPS - 0.5;
        struct vec3 point = vec3_mad(face->origin, face->axis[0], s);
        point = vec3_mad(point, face->axis[1], t);
        for (ptrdiff_t i = 0; i < arrlen(set->lights); i++)
            if (sees(lit, vec3_add(point, face->normal), &set->lights[i]))
                sum += patch_at(&set->lights[i], point, face->normal);
    }
    return sum / (STEPS * STEPS);
}

/* The sides of the box of 2 units have their middle a unit below the ceiling. */
static void ceilings_have_the_light_of_fixtures(void **state)
{
    struct lit_map lit;
    struct rad_file rad;
    int tested = 0;
    (void)state;
    open_fixtures(&lit, &rad);
    for (int i = 0; i < lit.map.face_count; i++) {
        const struct face_light *face = &lit.map.faces[i];
        for (int l = 0; is_ceiling(face) && l < face->count; l++) {
            if (!is_beside(&face->luxels[l], low_box) && !is_beside(&face->luxels[l], high_box))
                continue;
            double want = wanted_at(&lit, face, l);
            assert_near(lit_map_grey(face, l), want, 0.05 * want);
            tested++;
        }
    }
    assert_true(tested > 16);
    close_fixtures(&lit, &rad);
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

SUITE(test_vrad_fixtures)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceilings_have_the_light_of_fixtures),
        cmocka_unit_test(thin_shadows_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
