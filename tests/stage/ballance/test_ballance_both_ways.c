/* Levels of random brushes as BM files and back: the same solid set, planes, volume and texture
 * coordinates. */
#include "tests/support/suite.h"

#include "ballance/bmx/material_table.h"
#include "ballance/compile/ballance.h"
#include "ballance/level/bmx_level.h"
#include "common/core/strings.h"
#include "common/diag/codes/ballance_to_map.def"
#include "tests/support/random_solids.h"

enum { SOLIDS = 6, LEVELS = 1000, POINTS = 1000 };

struct random_level {
    struct test_solid solids[SOLIDS];
    size_t count;
    bool apart; /* each solid is an entity */
    struct level level;
};

/* --- from planes to a level --- */

static void write_side(struct bytes *text, const struct plane *plane, struct dice *dice)
{
    struct vec3 n = plane->normal, p1 = vec3_scale(n, plane->dist), other = vec3(0, 0, 0);
    other.e[(vec3_major_axis(n) + 1) % 3] = 1;
    struct vec3 u = vec3_normalize(vec3_cross(n, other)), v = vec3_cross(n, u);
    struct vec3 p0 = vec3_mad(p1, u, 64), p2 = vec3_mad(p1, v, 64);
    double angle = dice_between(dice, 0, 2 * PI), s = portable_sin(angle), c = portable_cos(angle);
    struct vec3 a = vec3_mad(vec3_scale(u, c), v, s), b = vec3_mad(vec3_scale(v, c), u, -s);
    const struct vec3 *points[] = {&p0, &p1, &p2};
    const char *material = dice_of(dice, 2) ? "Floor_Side" : "Wood_Plain";
    double shifts[2], scales[2]; /* drawn one by one: arguments are in any order */
    for (int i = 0; i < 2; i++) {
        shifts[i] = dice_between(dice, -64, 64);
        scales[i] = dice_between(dice, 0.25, 2);
    }
    for (int i = 0; i < 3; i++)
        bytes_append_text(text, "( %.17g %.17g %.17g ) ", points[i]->x, points[i]->y, points[i]->z);
    bytes_append_text(text, "ballance/%s [ %.17g %.17g %.17g %.17g ] [ %.17g %.17g %.17g %.17g ]",
                      material, a.x, a.y, a.z, shifts[0], b.x, b.y, b.z, shifts[1]);
    bytes_append_text(text, " 0 %.17g %.17g\n", scales[0], scales[1]);
}

static void make_level(struct random_level *out, uint64_t seed)
{
    struct dice dice = {.seed = seed};
    struct bytes text = {0};
    struct diag *diag = diag_new(NULL, NULL);
    *out = (struct random_level){.apart = seed % 2 == 0};
    out->count = 1 + (size_t)dice_of(&dice, SOLIDS);
    bytes_append_text(&text, "{\n\"classname\" \"worldspawn\"\n\"mapversion\" \"220\"\n}\n");
    for (size_t i = 0; i < out->count; i++) {
        out->solids[i] = dice_solid(&dice, 64);
        if (!i || out->apart)
            bytes_append_text(&text, "{\n\"classname\" \"phys_floor\"\n\"targetname\" \"F%zu\"\n",
                              i);
        bytes_append_text(&text, "{\n");
        for (size_t k = 0; k < out->solids[i].count; k++)
            write_side(&text, &out->solids[i].planes[k], &dice);
        bytes_append_text(&text, i + 1 == out->count || out->apart ? "}\n}\n" : "}\n");
    }
    assert_int_equal(map_parse((const char *)text.data, text.size, "level.map", diag, &out->level),
                     STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    bytes_free(&text);
}

static struct bmx *to_bmx(const struct level *level)
{
    struct fs *fs = fs_memory_new();
    struct diag *diag = diag_new(NULL, NULL);
    const struct env env = {.diag = diag, .fs = fs, .threads = 1};
    struct bmx *bmx;
    assert_int_equal(ballance_make(&env, &(struct ballance_options){0}, NULL, level, &bmx),
                     STATUS_OK);
    for (size_t i = 0; i < diag_entries(diag); i++)
        print_message("%s\n", diag_entry(diag, i)->message);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    fs_memory_free(fs);
    return bmx;
}

/* Slivers, thinner than what brushes are exact to, are reported as sides that lose their texture.
 */
enum way_back { EXACT, WITH_SLIVERS, NO_BRUSHES, WAYS };

static enum way_back to_level(const struct bmx *bmx, struct level *out)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bmx_level_files files;
    bmx_level_make(bmx, &(struct bmx_level_options){.name = "level"}, "level.bmx", diag, out,
                   &files);
    enum way_back way = diag_count_code(diag, DIAG_BMX_TO_BUDGET) ||
                                diag_count_code(diag, DIAG_BMX_TO_UNLIKE) ||
                                diag_count_code(diag, DIAG_BMX_TO_OPEN)
                            ? NO_BRUSHES
                        : diag_count_code(diag, DIAG_BMX_TO_MAPPING) ? WITH_SLIVERS
                                                                     : EXACT;
    diag_free(diag);
    bmx_level_files_free(&files);
    return way;
}

/* --- comparison --- */

static struct test_solid planes_of(const struct map_solid *solid)
{
    struct test_solid out = {0};
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        const struct vec3 *p = solid->sides[i].points;
        assert_in_range(out.count, 0, SOLID_SIDES - 1);
        assert_true(plane_from_points(p[0], p[1], p[2], &out.planes[out.count++]));
    }
    return out;
}

/* Returns an stb_ds array. */
static struct test_solid *solids_of(const struct level *level)
{
    struct test_solid *solids = NULL;
    for (size_t i = 0; i < arrlenu(level->entities); i++)
        for (size_t k = 0; k < arrlenu(level->entities[i].solids); k++)
            arrput(solids, planes_of(&level->entities[i].solids[k]));
    return solids;
}

static double nearest_to(const struct test_solid *solids, size_t count, struct vec3 p,
                         double *inside)
{
    double nearest = 1e30;
    *inside = 1e30;
    for (size_t i = 0; i < count; i++) {
        double off = solid_distance(&solids[i], p);
        nearest = portable_fmin(nearest, fabs(off));
        *inside = portable_fmin(*inside, off);
    }
    return nearest;
}

static void expect_same_contents(const struct random_level *from, const struct test_solid *solids,
                                 uint64_t seed)
{
    struct dice dice = {.seed = seed + LEVELS};
    for (int i = 0; i < POINTS; i++) {
        struct vec3 p;
        double was, is;
        for (int k = 0; k < 3; k++)
            p.e[k] = dice_between(&dice, -100, 160);
        if (nearest_to(from->solids, from->count, p, &was) < 0.05)
            continue;
        nearest_to(solids, arrlenu(solids), p, &is);
        if ((was < 0) != (is < 0))
            print_message("level %zu: contents at %g %g %g\n", (size_t)seed, p.x, p.y, p.z);
        assert_int_equal(was < 0, is < 0);
    }
}

static void expect_same_volume(const struct random_level *from, const struct test_solid *solids,
                               double tolerance, uint64_t seed)
{
    double expected = 0, volume = 0;
    for (size_t i = 0; i < arrlenu(solids); i++)
        volume += planes_volume(solids[i].planes, solids[i].count);
    if (from->apart)
        for (size_t i = 0; i < from->count; i++)
            expected += planes_volume(from->solids[i].planes, from->solids[i].count);
    else
        expected = union_volume(from->solids, from->count);
    if (fabs(volume - expected) > tolerance * expected)
        print_message("level %zu: volume %.9g, was %.9g\n", (size_t)seed, volume, expected);
    assert_true(fabs(volume - expected) <= tolerance * expected);
}

static double at_image(const struct map_side *side, int axis, struct vec3 p)
{
    const struct map_texture_axis *map = axis ? &side->v : &side->u;
    double texels = vec3_dot(p, map->axis) / map->scale + map->shift;
    return side->mapped_in_images ? texels : texels / (int)MATERIAL_TABLE_TEXTURE_SIZE;
}

/* Returns true when the winding lies on the side, with the same texture at its points. */
static bool is_like(const struct map_side *side, const struct plane *plane,
                    const struct winding *winding, const struct map_side *other)
{
    struct plane own;
    (void)plane_from_points(side->points[0], side->points[1], side->points[2], &own);
    if (vec3_dot(own.normal, plane->normal) < 0.999 ||
        !str_equal_nocase(side->material, other->material))
        return false;
    for (int i = 0; i < winding->count; i++) {
        if (fabs(plane_distance(&own, winding->points[i])) > 0.01)
            return false;
        for (int axis = 0; axis < 2; axis++)
            if (fabs(at_image(side, axis, winding->points[i]) -
                     at_image(other, axis, winding->points[i])) > 1e-4)
                return false;
    }
    return true;
}

/* Returns true for a side narrower than what planes are exact to: 0.01 units on each of its edges.
 */
static bool is_sliver(const struct winding *winding)
{
    double longest = 0;
    for (int i = 0; i < winding->count; i++)
        longest = portable_fmax(
            longest, vec3_distance(winding->points[i], winding->points[(i + 1) % winding->count]));
    return winding_area(winding) < 0.02 * longest;
}

/* Every side that is drawn has the plane and the texture of one that it was made of. */
static void expect_same_sides(const struct level *from, const struct level *to, uint64_t seed)
{
    struct arena arena = {0};
    for (size_t e = 0; e < arrlenu(to->entities); e++)
        for (size_t s = 0; s < arrlenu(to->entities[e].solids); s++) {
            const struct map_solid *solid = &to->entities[e].solids[s];
            struct test_solid planes = planes_of(solid);
            for (size_t i = 0; i < arrlenu(solid->sides); i++) {
                const struct winding *winding =
                    winding_of_side(&arena, planes.planes, planes.count, i, 1e-9);
                bool found = !winding || is_sliver(winding) ||
                             strstr(solid->sides[i].material, "common/caulk");
                for (size_t a = 0; a < arrlenu(from->entities) && !found; a++)
                    for (size_t b = 0; b < arrlenu(from->entities[a].solids) && !found; b++) {
                        const struct map_solid *was = &from->entities[a].solids[b];
                        for (size_t k = 0; k < arrlenu(was->sides) && !found; k++)
                            found = is_like(&was->sides[k], &planes.planes[i], winding,
                                            &solid->sides[i]);
                    }
                if (!found)
                    print_message("level %zu: entity %zu, solid %zu, side %zu\n", (size_t)seed, e,
                                  s, i);
                assert_true(found);
            }
        }
    arena_free(&arena);
}

static enum way_back check_level(uint64_t seed)
{
    struct random_level from;
    struct level to;
    make_level(&from, seed);
    struct bmx *bmx = to_bmx(&from.level);
    enum way_back way = to_level(bmx, &to);
    struct test_solid *solids = solids_of(&to);
    if (from.apart && way == EXACT)
        assert_int_equal(arrlen(solids), from.count);
    if (way != NO_BRUSHES) {
        expect_same_contents(&from, solids, seed);
        expect_same_volume(&from, solids, way == EXACT ? 1e-5 : 1e-4, seed);
    }
    if (way == EXACT)
        expect_same_sides(&from.level, &to, seed);
    arrfree(solids);
    bmx_free(bmx);
    level_free(&from.level);
    level_free(&to);
    return way;
}

static void random_levels_come_back(void **state)
{
    (void)state;
    size_t ways[WAYS] = {0};
    for (uint64_t seed = 0; seed < LEVELS; seed++)
        ways[check_level(seed)]++;
    assert_in_range(ways[WITH_SLIVERS], 0, LEVELS / 100);
    assert_in_range(ways[NO_BRUSHES], 0, LEVELS / 1000);
}

SUITE(test_ballance_both_ways)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_levels_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
