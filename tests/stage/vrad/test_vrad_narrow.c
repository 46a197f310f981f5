/* Maps of small luxels keep their light narrow: with the same bytes, in less memory. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "tests/support/near.h"
#include "tests/support/vrad/lit_room.h"
#include "vrad/encode/lightmap.h"
#include "vrad/encode/seam_pairs.h"
#include "vrad/encode/seams.h"
#include "vrad/luxels/bounced.h"
#include "vrad/luxels/luxel_pack.h"

static const char lights[] = "{\n\"classname\" \"light\"\n\"origin\" \"90 60 100\"\n"
                             "\"_light\" \"255 200 100 300\"\n\"_quadratic_attn\" \"1\"\n}\n";

/* Two storeys of smoothed and bumped faces, with a box on the floor. */
static struct bsp *make_room(void)
{
    static const int flags[6] = {
        [ROOM_LOW_X] = SURFACE_BUMPLIGHT, [ROOM_CEILING] = SURFACE_SKY | SURFACE_SKY2D};
    struct bsp *bsp = room_new(vec3(512, 384, 256), 0.6, flags);
    room_add_box(bsp, vec3(200, 100, 0), vec3(232, 132, 90));
    return bsp;
}

struct lit {
    struct bytes lighting;
    int narrow_faces;
};

/* Grid points lie far apart, so that there are many luxels for each. */
static struct lit light_room(bool narrow, struct vec3 sky, int threads)
{
    const struct bounce_options bounce = {
        .bounces = 4, .sky = sky, .rays = 64, .spacing = 200, .tolerance = 0.4};
    const struct lightmap_options options = {.scale = 1};
    struct lit lit = {.narrow_faces = 0};
    struct lit_room room;
    struct seam_list seams;
    lit_room_open(&room, make_room(), lights, threads);
    assert_false(room.map.narrow); /* a small map */
    room.map.narrow = narrow;
    lit_room_direct(&room);
    bounce_light(&room.env, &room.scene, &room.map, &bounce);
    for (int i = 0; i < room.map.face_count; i++)
        lit.narrow_faces += room.map.faces[i].narrow != NULL;
    seam_list_build(&room.env, &room.map, &seams);
    seams_match(&room.env, &seams, &room.map);
    assert_int_equal(lightmap_write(&room.env, &room.map, &options, room.bsp->faces, &lit.lighting),
                     STATUS_OK);
    seam_list_free(&seams);
    lit_room_close(&room);
    return lit;
}

static void assert_same(struct vec3 sky, int threads)
{
    struct lit wide = light_room(false, sky, 1), narrow = light_room(true, sky, threads);
    assert_int_equal(wide.narrow_faces, 0);
    assert_true(narrow.narrow_faces >= 3);
    assert_int_equal(wide.lighting.size, narrow.lighting.size);
    assert_memory_equal(wide.lighting.data, narrow.lighting.data, wide.lighting.size);
    bytes_free(&wide.lighting);
    bytes_free(&narrow.lighting);
}

static void narrow_light_has_the_same_bytes(void **state)
{
    (void)state;
    assert_same(vec3(0, 0, 0), 1);
    assert_same(vec3(100, 110, 120), 2);
}

/* Single luxels are the same as all luxels at once. */
static void single_luxels_agree_with_all(void **state)
{
    const struct bounce_options bounce = {
        .bounces = 2, .rays = 64, .spacing = 200, .tolerance = 0.4};
    struct lit_room room;
    (void)state;
    lit_room_open(&room, make_room(), lights, 1);
    room.map.narrow = true;
    lit_room_direct(&room);
    bounce_light(&room.env, &room.scene, &room.map, &bounce);
    for (int i = 0; i < room.map.face_count; i++) {
        struct face_light *face = &room.map.faces[i];
        float *room_of_face = memory_alloc(3 * sizeof(float) * (size_t)(face->count + 1));
        for (int slot = 0; slot < face->slots && (face->indirect || face->narrow); slot++) {
            const float *all = bounced_all(face, slot, room_of_face);
            for (int k = 0; k < face->count; k++) {
                float one[3];
                bounced_at(face, slot, k, one);
                assert_memory_equal(one, all + (ptrdiff_t)3 * k, sizeof one);
            }
        }
        memory_free(room_of_face);
    }
    lit_room_close(&room);
}

/* Those under a box are hidden, and those beside it lie near an occluder. */
static void packed_luxels_are_the_same(void **state)
{
    struct lit_room room;
    int packed = 0, hidden = 0;
    (void)state;
    lit_room_open(&room, make_room(), lights, 1);
    for (int i = 0; i < room.map.face_count; i++) {
        struct face_light *face = &room.map.faces[i];
        size_t count = (size_t)face->count;
        struct luxel *before = memory_zalloc(count + 1, sizeof *before);
        if (count)
            memcpy(before, face->luxels, count * sizeof *before);
        for (size_t k = 0; k < count; k += 3)
            before[k].supersampled = true;
        luxel_pack_face(face);
        packed += face->pack != NULL;
        for (int k = 0; k < face->count; k++) {
            struct luxel space;
            if (k % 3 == 0)
                luxel_set_supersampled(face, k);
            const struct luxel *luxel = luxel_of(face, k, &space);
            assert_memory_equal(luxel->position, before[k].position, sizeof luxel->position);
            assert_true(luxel->area == before[k].area && luxel_area(face, k) == luxel->area);
            assert_true(luxel->hidden == before[k].hidden &&
                        luxel_is_hidden(face, k) == luxel->hidden &&
                        luxel->near_occluders == before[k].near_occluders &&
                        luxel->near_backfaces == before[k].near_backfaces &&
                        luxel->supersampled == before[k].supersampled);
            hidden += luxel->hidden;
        }
        memory_free(before);
    }
    assert_true(packed >= 5 && hidden > 0);
    lit_room_close(&room);
}

/* Bounced light on faces that are small, many and not quite planar: interpolation between few
 * points loses nothing, and a face does not occlude its own luxels. */

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"48 40 56\"\n"
                                   "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n";

static void bounce_all(struct lit_room *room)
{
    const struct bounce_options options = {.bounces = 1000, .rays = 1024};
    lit_room_direct(room);
    bounce_light(&room->env, &room->scene, &room->map, &options);
}

/* In closets, where each face has a handful of points and its borders are dark, all light is
 * absorbed in the end. Bounced light is four times the direct light. */
static void small_rooms_keep_energy(void **state)
{
    (void)state;
    static const double sizes[][3] = {{96, 96, 80}, {64, 112, 96}, {160, 48, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct lit_room room;
        const double albedo = 0.8;
        struct vec3 size = vec3(sizes[i][0], sizes[i][1], sizes[i][2]);
        lit_room_open(&room, room_new(size, albedo, NULL), light_entity, 2);
        bounce_all(&room);
        assert_near(lit_room_absorbed(&room, albedo), 1, 0.025);
        lit_room_close(&room);
    }
}

/* Moves a corner of the floor off its plane, as vertex merging may. */
static struct bsp *nonplanar_room(double by)
{
    struct bsp *bsp = room_new(vec3(256, 192, 128), 0.5, NULL);
    const struct bsp_face *floor = &bsp->faces[ROOM_FLOOR];
    int edge = bsp->surfedges[floor->first_edge];
    bsp->vertices[bsp->edges[edge].v[0]].p[2] += (float)by;
    return bsp;
}

static void a_nonplanar_face_does_not_occlude_itself(void **state)
{
    (void)state;
    struct lit_room plane, bent;
    lit_room_open(&plane, nonplanar_room(0), light_entity, 1);
    lit_room_open(&bent, nonplanar_room(0.25), light_entity, 1);
    bounce_all(&plane);
    bounce_all(&bent);
    for (int i = 0; i < plane.map.faces[ROOM_FLOOR].count; i++) {
        double want = lit_room_bounced(&plane, ROOM_FLOOR, i, 0);
        assert_near(lit_room_bounced(&bent, ROOM_FLOOR, i, 0), want, 0.03 * want);
    }
    lit_room_close(&plane);
    lit_room_close(&bent);
}

/* With the minimum number of rays, narrow faces, which take fewer than others, still have some. */
static void few_rays_are_enough_for_a_narrow_face(void **state)
{
    (void)state;
    struct lit_room room;
    const struct bounce_options options = {.bounces = 8, .rays = 16};
    lit_room_open(&room, room_new(vec3(256, 32, 32), 0.5, NULL), light_entity, 1);
    lit_room_fill(&room, 100);
    bounce_light(&room.env, &room.scene, &room.map, &options);
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < room.map.faces[face].count; i++)
            assert_near(lit_room_bounced(&room, face, i, 0), 100 * (1 - 1.0 / 256), 1);
    lit_room_close(&room);
}

SUITE(test_vrad_narrow)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_light_has_the_same_bytes),
        cmocka_unit_test(single_luxels_agree_with_all),
        cmocka_unit_test(packed_luxels_are_the_same),
        cmocka_unit_test(small_rooms_keep_energy),
        cmocka_unit_test(a_nonplanar_face_does_not_occlude_itself),
        cmocka_unit_test(few_rays_are_enough_for_a_narrow_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
