/* Lightmaps with a border: its luxels have the light of the surface there. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lightmap_extent.h"
#include "tests/support/near.h"
#include "tests/support/room_bsp.h"
#include "tests/support/vbsp/text_map.h"
#include "tests/support/vrad/lit_map.h"
#include "vrad/encode/border.h"
#include "vrad/encode/lightmap.h"
#include "vrad/encode/seam_pairs.h"
#include "vrad/encode/seams.h"
#include "vrad/luxels/luxel_border.h"
#include "vrad/vrad.h"

/* A hall whose floor is cut into four for its lightmaps, with a bright light near where they meet:
 * a box throws a shadow over one of the edges. */
static void open_hall(struct text_map *map, const char *lights)
{
    text_map_init(map);
    map->options.lightmap_border = true;
    text_map_room(map, vec3(0, 0, 0), vec3(640, 640, 128));
    text_map_box(map, vec3(400, 300, 40), vec3(440, 340, 60), "wall");
    text_map_entity(map, "info_player_start", "origin \"60 60 60\"");
    bytes_append_text(&map->text, "%s", lights);
}

static const char one_light[] = "}\nentity { id 900 classname light origin \"540 380 90\" _light "
                                "\"255 240 200 400\" _lightHDR \"-1 -1 -1 1\"\n";
static const char two_lights[] =
    "}\nentity { id 900 classname light origin \"540 380 90\" _light \"255 240 200 400\" _lightHDR "
    "\"200 220 255 900\"\n"
    "}\nentity { id 901 classname light origin \"450 520 70\" style 5 _light \"255 255 255 300\"\n";

static void light_hall(struct text_map *map, const struct vrad_options *options)
{
    text_map_compile(map, STATUS_OK);
    assert_int_equal(vrad_run(&map->env, options, NULL, map->assets, map->bsp), STATUS_OK);
    text_map_verify(map, map->bsp);
}

static bool is_floor(const struct bsp *bsp, const struct bsp_face *face)
{
    return bsp->planes[face->plane].normal[2] > 0.9f && fabsf(bsp->planes[face->plane].dist) < 0.1f;
}

/* The bytes of a luxel at lightmap coordinates; NULL: the lightmap ends before. With `inside` its
 * border is left out. */
static const unsigned char *luxel_at(const struct bsp *bsp, const struct bsp_face *face,
                                     const struct bytes *lighting, int map, int s, int t,
                                     bool inside)
{
    struct lightmap_extent extent = lightmap_extent_of(bsp, face);
    int width = face->lightmap_size[0] + 1, height = face->lightmap_size[1] + 1;
    int x = s - face->lightmap_mins[0], y = t - face->lightmap_mins[1];
    int margin = inside ? extent.border : 0;
    if (x < margin || y < margin || x >= width - margin || y >= height - margin)
        return NULL;
    return lighting->data + face->light_offset +
           4 * (ptrdiff_t)(map * width * height + y * width + x);
}

/* The same to what matching of seams may leave: a byte, in the dark a fraction of white / 4000. */
static void assert_same_colour(const unsigned char *a, const unsigned char *b)
{
    for (int k = 0; k < 3; k++) {
        double x = ldexp(a[k], (int8_t)a[3]), y = ldexp(b[k], (int8_t)b[3]);
        assert_near(x, y, 0.015 * x + 0.06);
    }
}

/* Compares the luxels of all pairs of floors: one that both have is the same, border or not.
 * Returns how many there are. */
static int compare_floors(const struct bsp *bsp, const struct bsp_face *faces,
                          const struct bytes *lighting, int maps)
{
    int same = 0;
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++)
        for (ptrdiff_t k = 0; k < arrlen(bsp->faces); k++) {
            const struct bsp_face *a = &faces[i], *b = &faces[k];
            if (i == k || !is_floor(bsp, a) || !is_floor(bsp, b))
                continue;
            assert_memory_equal(a->styles, b->styles, sizeof a->styles);
            for (int n = 0; n < maps; n++)
                for (int t = b->lightmap_mins[1]; t <= b->lightmap_mins[1] + b->lightmap_size[1];
                     t++)
                    for (int s = b->lightmap_mins[0];
                         s <= b->lightmap_mins[0] + b->lightmap_size[0]; s++) {
                        const unsigned char *own = luxel_at(bsp, a, lighting, n, s, t, true);
                        const unsigned char *other = luxel_at(bsp, b, lighting, n, s, t, false);
                        if (!own || !other)
                            continue;
                        assert_same_colour(own, other);
                        same++;
                    }
        }
    return same;
}

static void a_cut_floor_has_one_light(void **state)
{
    (void)state;
    struct text_map map;
    struct vrad_options options = vrad_defaults;
    options.bounce = 2;
    open_hall(&map, one_light);
    light_hall(&map, &options);
    /* Two cuts of 41 luxels: the edge, and a luxel of either face in the border of the other. */
    assert_true(compare_floors(map.bsp, map.bsp->faces, &map.bsp->ldr.lighting, 1) > 300);
    text_map_free(&map);
}

/* Bumped lightmaps, two styles, and HDR light that differs. */
static void all_kinds_of_light_have_it(void **state)
{
    (void)state;
    struct text_map map;
    struct vrad_options options = vrad_defaults;
    options.bounce = 1;
    options.ldr = options.hdr = true;
    open_hall(&map, two_lights);
    map.options.bump_all = true;
    light_hall(&map, &options);
    assert_true(compare_floors(map.bsp, map.bsp->faces, &map.bsp->ldr.lighting, 8) > 8 * 300);
    assert_true(compare_floors(map.bsp, map.bsp->faces_hdr, &map.bsp->hdr.lighting, 8) > 8 * 300);
    text_map_free(&map);
}

/* Every surface of a lit room: no luxel of a border is black, or leaves the range of the light
 * beside it by more than its factor. */
static void no_border_is_black(void **state)
{
    (void)state;
    struct text_map map;
    struct vrad_options options = vrad_defaults;
    int seen = 0;
    open_hall(&map, one_light);
    light_hall(&map, &options);
    for (ptrdiff_t i = 0; i < arrlen(map.bsp->faces); i++) {
        const struct bsp_face *face = &map.bsp->faces[i];
        int width = face->lightmap_size[0] + 1, height = face->lightmap_size[1] + 1;
        assert_int_equal(lightmap_extent_of(map.bsp, face).border, 1);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int s = x ? x < width - 1 ? x : width - 2 : 1;
                int t = y ? y < height - 1 ? y : height - 2 : 1;
                double beside = room_grey(map.bsp, (int)i, s, t);
                seen += s != x || t != y;
                assert_true(beside < 0.5 || room_grey(map.bsp, (int)i, x, y) > 0.05 * beside);
            }
    }
    assert_true(seen > 500);
    text_map_free(&map);
}

/* The light that a cubic filter shows at luxel coordinates of a face. */
static double cubic_at(const struct face_light *face, const float *lattice, const float st[2])
{
    double at[2], weight[2][4], sum = 0;
    int first[2];
    for (int k = 0; k < 2; k++) {
        int side = k ? face->height : face->width;
        at[k] = fmin(fmax((double)st[k], 0), side - 1);
        first[k] = (int)at[k];
        double x = at[k] - first[k], y = 1 - x;
        weight[k][0] = y * y * y / 6;
        weight[k][1] = 2.0 / 3 - x * x + x * x * x / 2;
        weight[k][2] = 2.0 / 3 - y * y + y * y * y / 2;
        weight[k][3] = x * x * x / 6;
    }
    for (int i = 0; i < 16; i++) {
        double share = weight[0][i % 4] * weight[1][i / 4];
        int luxel = (first[1] + i / 4) * lattice_width(face) + first[0] + i % 4;
        for (int k = 0; k < 3 && share > 1e-12; k++)
            sum += share * (double)lattice[3 * luxel + k] / 3;
    }
    return sum;
}

/* The root mean square of log2 of one side over the other, on edges between flat faces. */
static double cubic_mismatch(const struct luxel_map *map, const struct seam_list *list)
{
    static const struct lightmap_options plain = {.scale = 1};
    float **lattices = memory_zalloc((size_t)map->face_count, sizeof *lattices);
    double sum = 0;
    for (int i = 0; i < map->face_count; i++) {
        const struct face_light *face = &map->faces[i];
        lattices[i] = memory_zalloc(3 * (size_t)lattice_count(face) + 1, sizeof(float));
        if (face->count)
            lightmap_colours(face, &plain, 0, 0, 0, lattices[i]);
    }
    for (size_t i = 0; i < arrlenu(list->points); i++) {
        const struct seam *seam = &list->seams[list->points[i].seam];
        double light[2];
        for (int k = 0; k < 2; k++)
            light[k] = cubic_at(&map->faces[seam->face[k]], lattices[seam->face[k]],
                                list->points[i].st[k]);
        double miss = log2((light[0] + 0.5) / (light[1] + 0.5));
        sum += miss * miss;
    }
    for (int i = 0; i < map->face_count; i++)
        memory_free(lattices[i]);
    memory_free(lattices);
    return sqrt(sum / (double)arrlenu(list->points));
}

/* Floors of three lightmap scales, and a column of twelve smoothed sides. */
static void seams_match_after_cubic_filtering(void **state)
{
    (void)state;
    struct lit_map lit;
    struct seam_list list;
    struct vbsp_options options = vbsp_defaults;
    options.lightmap_border = true;
    lit_map_open_as(&lit, "light_seams.vmf", &options, 100);
    const struct env *env = &lit.compiled.env;
    assert_true(borders_any(&lit.map));
    seam_list_build(env, &lit.map, &list);
    double repeated = cubic_mismatch(&lit.map, &list);
    borders_fill(env, &list, &lit.map);
    double filled = cubic_mismatch(&lit.map, &list);
    borders_share(&list, &lit.map);
    borders_fill(env, &list, &lit.map);
    seams_match(env, &list, &lit.map);
    double matched = cubic_mismatch(&lit.map, &list);
    print_message("cubic steps: %.4f repeated, %.4f filled, %.4f matched\n", repeated, filled,
                  matched);
    assert_true(repeated > 0.05);
    assert_true(filled < repeated);
    assert_true(matched < 0.03);
    seam_list_free(&list);
    lit_map_close(&lit);
}

/* The wall a unit thick that stands on an edge: the dark floor behind it keeps a dark border. */
static void no_light_comes_through_a_wall(void **state)
{
    (void)state;
    struct lit_map lit;
    struct seam_list list;
    struct vbsp_options options = vbsp_defaults;
    int tested = 0;
    options.lightmap_border = true;
    lit_map_open_as(&lit, "light_seams.vmf", &options, 0);
    const struct env *env = &lit.compiled.env;
    seam_list_build(env, &lit.map, &list);
    borders_share(&list, &lit.map);
    borders_fill(env, &list, &lit.map);
    for (int i = 0; i < lit.map.face_count; i++) {
        const struct face_light *face = &lit.map.faces[i];
        if (!face->count || face->normal.z < 0.9)
            continue;
        for (int at = 0; at < lattice_count(face); at++) {
            struct lattice_place place = lattice_place(face, at);
            const double x = at % lattice_width(face) - 1, y = at / lattice_width(face) - 1;
            struct vec3 point = luxel_point(&lit.map, face, (struct point2){x, y}, NULL);
            if (!place.in_border || face->border_light->hidden[place.luxel] ||
                fabs(point.z) > 0.1 || fabs(point.x - 384) > 17 || point.y < 32 || point.y > 224)
                continue;
            const float *shown = border_direct(face, 0, 0) + 3 * place.luxel;
            const float *beside = face->direct[0] + 3 * lattice_nearest(face, at);
            for (int k = 0; k < 3; k++)
                assert_true(shown[k] <= 2.01f * beside[k]);
            tested++;
        }
    }
    assert_true(tested > 8);
    seam_list_free(&list);
    lit_map_close(&lit);
}

/* maps/light_seams.vmf: light across edges that should be invisible: the two lightmaps agree there
 * after filtering, and the sum of the light stays. */

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

SUITE(test_vrad_border)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_floor_has_one_light),
        cmocka_unit_test(all_kinds_of_light_have_it),
        cmocka_unit_test(no_border_is_black),
        cmocka_unit_test(seams_match_after_cubic_filtering),
        cmocka_unit_test(no_light_comes_through_a_wall),
        cmocka_unit_test(faces_that_meet_show_the_same),
        cmocka_unit_test(no_seam_runs_under_a_wall),
        cmocka_unit_test(files_have_them_unless_told_not_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
