/* Bevels of random brushes off the grid: none may cut into its own brush. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/core/random.h"
#include "common/geom/epsilon.h"
#include "vbsp/context.h"

enum { SOLIDS = 1000 };

struct draw {
    uint64_t seed, count;
};

static double between(struct draw *draw, double low, double high)
{
    return low + (high - low) * random_unit(draw->seed, draw->count++);
}

static struct vec3 direction(struct draw *draw)
{
    for (;;) {
        struct vec3 v;
        for (int k = 0; k < 3; k++)
            v.e[k] = between(draw, -1, 1);
        double length = vec3_length(v);
        if (length > 0.1 && length <= 1)
            return vec3_scale(v, 1 / length);
    }
}

/* Three points on the plane, in the order that makes it look along the normal. */
static void put_side(struct bytes *text, int id, struct vec3 normal, struct vec3 at)
{
    struct vec3 other = fabs(normal.z) < 0.7 ? vec3(0, 0, 1) : vec3(1, 0, 0);
    struct vec3 u = vec3_normalize(vec3_cross(normal, other)), v = vec3_cross(normal, u);
    struct vec3 p[3] = {vec3_mad(at, u, 64), at, vec3_mad(at, v, 64)};
    bytes_append_text(text, "side { id %d plane \"", id);
    for (int i = 0; i < 3; i++)
        bytes_append_text(text, "(%.4f %.4f %.4f) ", p[i].x, p[i].y, p[i].z);
    bytes_append_text(text, "\" material wall uaxis \"[1 0 0 0] 0.25\" vaxis \"[0 -1 0 0] 0.25\" "
                            "lightmapscale 16 }\n");
}

/* A turned box of any thickness, with a few corners cut off. */
static void put_solid(struct bytes *text, int number)
{
    struct draw draw = {(uint64_t)number, 0};
    struct vec3 center, axes[3];
    for (int k = 0; k < 3; k++)
        center.e[k] = between(&draw, -2000, 2000);
    axes[0] = direction(&draw);
    if (number % 3 == 0) /* leans a little only */
        axes[0] = vec3_normalize(vec3_mad(vec3(1, 0, 0), axes[0], pow(10, between(&draw, -5, 0))));
    axes[1] = vec3_normalize(vec3_cross(axes[0], direction(&draw)));
    axes[2] = vec3_cross(axes[0], axes[1]);
    bytes_append_text(text, "solid { id %d\n", number + 1);
    int id = 100 * number;
    for (int i = 0; i < 6; i++) {
        struct vec3 normal = vec3_scale(axes[i / 2], i % 2 ? 1 : -1);
        double half = pow(2, between(&draw, -2, 7));
        normal = vec3_normalize(vec3_mad(normal, direction(&draw), between(&draw, 0, 0.05)));
        put_side(text, id++, normal, vec3_mad(center, normal, half));
    }
    for (int cuts = (int)between(&draw, 0, 6); cuts; cuts--) {
        struct vec3 normal = direction(&draw);
        put_side(text, id++, normal, vec3_mad(center, normal, pow(2, between(&draw, -2, 7))));
    }
    bytes_append_text(text, "}\n");
}

static bool is_in(const struct plane *planes, const struct map_brush *brush, struct vec3 point)
{
    for (int i = 0; i < brush->side_count; i++)
        if (!brush->sides[i].bevel && plane_distance(&planes[brush->sides[i].plane], point) > 1e-6)
            return false;
    return true;
}

/* The deepest cut of a bevel into the volume enclosed by the other sides. */
static double deepest_cut(const struct plane *planes, const struct map_brush *brush)
{
    double deepest = 0;
    const struct brush_side *s = brush->sides;
    for (int i = 0; i < brush->side_count; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j; k++) {
                struct vec3 corner;
                if (s[i].bevel || s[j].bevel || s[k].bevel ||
                    !plane_intersection(&planes[s[i].plane], &planes[s[j].plane],
                                        &planes[s[k].plane], &corner) ||
                    !is_in(planes, brush, corner))
                    continue;
                for (int n = 0; n < brush->side_count; n++)
                    if (s[n].bevel)
                        deepest = fmax(deepest, plane_distance(&planes[s[n].plane], corner));
            }
    return deepest;
}

static void bevels_leave_the_brush_whole(void **state)
{
    (void)state;
    struct bytes text = {0};
    bytes_append_text(&text, "world { id 1 classname worldspawn\n");
    for (int i = 0; i < SOLIDS; i++)
        put_solid(&text, i);
    bytes_append_text(&text, "}\n");
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    struct env env = {.diag = diag, .fs = fs, .threads = 1};
    struct vbsp_options options = vbsp_defaults;
    struct level level;
    assert_int_equal(vmf_parse((const char *)text.data, text.size, "test.vmf", diag, &level),
                     STATUS_OK);
    struct compile compile = {.env = &env, .options = &options, .level = &level, .bsp = bsp_new()};
    assert_int_equal(assets_open(&env, &(struct assets_options){0}, &compile.assets), STATUS_OK);
    assert_int_equal(load_map(&compile), STATUS_OK);
    assert_true(arrlen(compile.brushes) > SOLIDS * 8 / 10);
    int bevels = 0;
    for (size_t i = 0; i < arrlenu(compile.brushes); i++) {
        const struct map_brush *brush = compile.brushes[i];
        assert_true(deepest_cut(compile.planes.planes, brush) < 1.1 * EPSILON_PLANE_DIST);
        for (int k = 0; k < brush->side_count; k++)
            bevels += brush->sides[k].bevel;
    }
    /* At least the six along the axes, which no turned brush has, and some along edges. */
    assert_true(bevels > 8 * (int)arrlen(compile.brushes));
    compile_free(&compile);
    bsp_free(compile.bsp);
    assets_free(compile.assets);
    level_free(&level);
    fs_memory_free(fs);
    diag_free(diag);
    bytes_free(&text);
}

SUITE(test_bevels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bevels_leave_the_brush_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
