/* maps/light_seams.vmf: light across edges that should be invisible: the two lightmaps agree there
 * after filtering, and the sum of the light stays. */
#include "tests/support/suite.h"

#include "tests/support/near.h"
#include "tests/support/room_bsp.h"
#include "tests/support/vrad/lit_map.h"
#include "vrad/encode/seam_pairs.h"
#include "vrad/encode/seams.h"
#include "vrad/vrad.h"

/* The filtered light at luxel coordinates. */
static double shown_at(const struct face_light *face, const float st[2])
{
    double s = fmin(fmax((double)st[0], 0), face->width - 1);
    double t = fmin(fmax((double)st[1], 0), face->height - 1);
    int i = (int)fmin(s, face->width - 2), j = (int)fmin(t, face->height - 2);
    int at = j * face->width + i;
    double u = s - i, v = t - j;
    return (1 - v) * ((1 - u) * lit_map_grey(face, at) + u * lit_map_grey(face, at + 1)) +
           v * ((1 - u) * lit_map_grey(face, at + face->width) +
                u * lit_map_grey(face, at + face->width + 1));
}

/* The root mean square of log2 of one side over the other, over the points of the list. */
static double mismatch(const struct luxel_map *map, const struct seam_list *list)
{
    double sum = 0;
    for (size_t i = 0; i < arrlenu(list->points); i++) {
        const struct seam *seam = &list->seams[list->points[i].seam];
        double a = shown_at(&map->faces[seam->face[0]], list->points[i].st[0]);
        double b = shown_at(&map->faces[seam->face[1]], list->points[i].st[1]);
        double miss = log2((a + 0.5) / (b + 0.5));
        sum += miss * miss;
    }
    return sqrt(sum / (double)arrlenu(list->points));
}

static double all_light(const struct luxel_map *map)
{
    double sum = 0;
    for (int i = 0; i < map->face_count; i++)
        for (int k = 0; k < map->faces[i].count; k++)
            sum += (double)map->faces[i].luxels[k].area * lit_map_grey(&map->faces[i], k);
    return sum;
}

static void faces_that_meet_show_the_same(void **state)
{
    struct lit_map lit;
    struct seam_list list;
    (void)state;
    lit_map_open(&lit, "light_seams.vmf", 100);
    seam_list_build(&lit.compiled.env, &lit.map, &list);
    assert_true(arrlenu(list.points) > 200);
    double before = mismatch(&lit.map, &list), light = all_light(&lit.map);
    seams_match(&lit.compiled.env, &list, &lit.map);
    double after = mismatch(&lit.map, &list);
    assert_true(before > 0.05);
    assert_true(after < 0.02);
    assert_near(all_light(&lit.map), light, 0.002 * light);
    seam_list_free(&list);
    lit_map_close(&lit);
}

/* A wall a unit thick stands on an edge of the floor: bright on one side, dark on the other. */
static void no_seam_runs_under_a_wall(void **state)
{
    struct lit_map lit;
    struct seam_list list;
    (void)state;
    lit_map_open(&lit, "light_seams.vmf", 100);
    seam_list_build(&lit.compiled.env, &lit.map, &list);
    for (size_t i = 0; i < arrlenu(list.points); i++) {
        const struct seam *seam = &list.seams[list.points[i].seam];
        const struct point2 at = {(double)list.points[i].st[0][0], (double)list.points[i].st[0][1]};
        struct vec3 point = luxel_point(&lit.map, &lit.map.faces[seam->face[0]], at, NULL);
        if (fabs(point.z) < 0.1 && fabs(point.x - 384) < 2)
            assert_false(point.y > 1 && point.y < 255);
    }
    seam_list_free(&list);
    lit_map_close(&lit);
}

/* The step on the long edge between two floors of different scale, after filtering, in the middle
 * of the edge. */
static double step_in_file(bool no_seams)
{
    struct compiled compiled;
    compiled_open(&compiled, "light_seams.vmf", NULL);
    assert_int_equal(compiled.status, STATUS_OK);
    struct vrad_options options = vrad_defaults;
    options.no_seams = no_seams;
    struct bsp *bsp = compiled.out.bsp;
    assert_int_equal(vrad_run(&compiled.env, &options, NULL, compiled.assets, bsp), STATUS_OK);
    double light[2] = {0, 0};
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++) {
        const struct bsp_face *face = &bsp->faces[i];
        const float *s = bsp->texinfo[face->texinfo].lightmap[0];
        struct vec3 corner = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, 0));
        bool is_floor = bsp->planes[face->plane].normal[2] > 0.9f && fabs(corner.z) < 0.1;
        /* Scale 16 ends at x = 256, where scale 8 begins; y runs from 0 to 256. */
        bool fine = fabsf(s[0]) > 0.1f, coarse = fabsf(s[0] - 0.0625f) < 1e-3f && corner.x < 257;
        if (!is_floor || !(fine || coarse) || corner.y > 257)
            continue;
        int column = fine ? 0 : face->lightmap_size[0];
        light[fine] = room_grey(bsp, (int)i, column, face->lightmap_size[1] / 2);
    }
    compiled_free(&compiled);
    assert_true(light[0] > 1 && light[1] > 1);
    return fabs(log2(light[0] / light[1]));
}

static void files_have_them_unless_told_not_to(void **state)
{
    (void)state;
    double plain = step_in_file(true), matched = step_in_file(false);
    assert_true(plain > 0.03);
    assert_true(matched < 0.5 * plain);
}

SUITE(test_vrad_seams)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_that_meet_show_the_same),
        cmocka_unit_test(no_seam_runs_under_a_wall),
        cmocka_unit_test(files_have_them_unless_told_not_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
