#include "tests/support/suite.h"

#include <fenv.h>
#include <math.h>
#include <stdbool.h>

#include "tests/support/flush_denormals.h"
#include "tests/support/library_session.h"

/* Builds the map and opens it. */
static struct brushwork_bsp *open_map(struct test_session *test, const char *map)
{
    struct brushwork_bsp *bsp;
    session_open(test);
    assert_int_equal(session_build(test, map), BRUSHWORK_OK);
    assert_int_equal(brushwork_bsp_open(test->session, "out.bsp", &bsp), BRUSHWORK_OK);
    return bsp;
}

static void close_map(struct test_session *test, struct brushwork_bsp *bsp)
{
    brushwork_bsp_close(bsp);
    brushwork_session_free(test->session);
}

/* Writes the BSP to memory and reads it again. */
static struct brushwork_bsp *reopened(struct test_session *test, struct brushwork_bsp *bsp)
{
    void *data;
    size_t size;
    struct brushwork_bsp *copy;
    assert_int_equal(brushwork_bsp_save(bsp, &data, &size), BRUSHWORK_OK);
    assert_int_equal(brushwork_bsp_read(test->session, data, size, "copy", &copy), BRUSHWORK_OK);
    brushwork_free(data);
    return copy;
}

static void an_unchanged_file_keeps_its_bytes(void **state)
{
    (void)state;
    static const char *const maps[] = {"two_rooms.vmf", "q3_patches.map"};
    for (size_t i = 0; i < 2; i++) {
        struct test_session test;
        struct brushwork_bsp *bsp = open_map(&test, maps[i]);
        const void *file;
        void *data;
        size_t size, saved;
        assert_int_equal(brushwork_file_get(test.session, "out.bsp", &file, &size), BRUSHWORK_OK);
        assert_int_equal(brushwork_bsp_save(bsp, &data, &saved), BRUSHWORK_OK);
        assert_int_equal(saved, size);
        assert_memory_equal(data, file, size);
        assert_int_equal(brushwork_bsp_verify(bsp), BRUSHWORK_OK);
        brushwork_free(data);
        close_map(&test, bsp);
    }
}

static void entities_are_changed_and_written(void **state)
{
    (void)state;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, "two_rooms.vmf");
    size_t count = brushwork_entity_count(bsp), at;
    assert_string_equal(brushwork_entity_get(bsp, 0, "ClassName"), "worldspawn");
    assert_int_equal(brushwork_entity_set(bsp, 0, "message", "one"), BRUSHWORK_OK);
    assert_int_equal(brushwork_entity_set(bsp, 0, "message", "two"), BRUSHWORK_OK);
    assert_int_equal(brushwork_entity_add(bsp, &at), BRUSHWORK_OK);
    assert_int_equal(at, count);
    assert_int_equal(brushwork_pair_add(bsp, at, "OnTrigger", "a,b"), BRUSHWORK_OK);
    assert_int_equal(brushwork_pair_add(bsp, at, "OnTrigger", "c,d"), BRUSHWORK_OK);
    struct brushwork_bsp *copy = reopened(&test, bsp);
    assert_int_equal(brushwork_entity_count(copy), count + 1);
    assert_string_equal(brushwork_entity_get(copy, 0, "message"), "two");
    assert_int_equal(brushwork_pair_count(copy, at), 2);
    assert_string_equal(brushwork_pair_key(copy, at, 1), "OnTrigger");
    assert_string_equal(brushwork_pair_value(copy, at, 1), "c,d");
    assert_int_equal(brushwork_entity_unset(copy, at, "ontrigger"), BRUSHWORK_OK);
    assert_int_equal(brushwork_pair_count(copy, at), 0);
    assert_int_equal(brushwork_entity_remove(copy, at), BRUSHWORK_OK);
    assert_int_equal(brushwork_entity_count(copy), count);
    brushwork_bsp_close(copy);
    close_map(&test, bsp);
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, "two_rooms.vmf");
    size_t count = brushwork_entity_count(bsp);
    assert_int_equal(brushwork_entity_set(bsp, 0, "message", "a\"b"), BRUSHWORK_USAGE);
    assert_int_equal(brushwork_pair_add(bsp, 0, "a\nb", "c"), BRUSHWORK_USAGE);
    assert_int_equal(brushwork_entity_set(bsp, count, "a", "b"), BRUSHWORK_USAGE);
    assert_int_equal(brushwork_entity_remove(bsp, 0), BRUSHWORK_USAGE);
    assert_true(session_said(&test, "T001"));
    assert_null(brushwork_entity_get(bsp, 0, "message"));
    assert_null(brushwork_pair_key(bsp, count, 0));
    assert_null(brushwork_lightmap_pixels(bsp, 1 << 20, 0));
    assert_string_equal(brushwork_material_name(bsp, 1 << 20), "");
    assert_int_equal(brushwork_leaf_cluster(bsp, -5), -1);
    /* An error of an earlier call is no reason to refuse the next. */
    void *data;
    size_t size;
    assert_int_equal(brushwork_bsp_save(bsp, &data, &size), BRUSHWORK_OK);
    brushwork_free(data);
    close_map(&test, bsp);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, "two_rooms.vmf"), *cut;
    void *data;
    size_t size;
    assert_int_equal(brushwork_bsp_save(bsp, &data, &size), BRUSHWORK_OK);
    for (size_t part = 0; part < 8; part++) {
        assert_int_equal(brushwork_bsp_read(test.session, data, size * part / 8, "cut", &cut),
                         BRUSHWORK_FAILED);
        assert_null(cut);
    }
    assert_int_equal(brushwork_bsp_open(test.session, "absent.bsp", &cut), BRUSHWORK_FAILED);
    assert_null(cut);
    assert_true(session_said(&test, "C001"));
    brushwork_free(data);
    close_map(&test, bsp);
}

static void files_are_packed_and_unpacked(void **state)
{
    (void)state;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, "two_rooms.vmf");
    size_t before, count, size;
    void *data;
    assert_int_equal(brushwork_packed_count(bsp, &before), BRUSHWORK_OK);
    assert_int_equal(brushwork_packed_put(bsp, "cfg/a.txt", "hello", 5), BRUSHWORK_OK);
    assert_int_equal(brushwork_packed_put(bsp, "../a.txt", "hello", 5), BRUSHWORK_FAILED);
    struct brushwork_bsp *copy = reopened(&test, bsp);
    assert_int_equal(brushwork_packed_count(copy, &count), BRUSHWORK_OK);
    assert_int_equal(count, before + 1);
    assert_string_equal(brushwork_packed_name(copy, before), "cfg/a.txt");
    assert_int_equal(brushwork_packed_get(copy, "CFG/A.txt", &data, &size), BRUSHWORK_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(data, "hello", 5);
    brushwork_free(data);
    assert_int_equal(brushwork_packed_remove(copy, "cfg/a.txt"), BRUSHWORK_OK);
    assert_int_equal(brushwork_packed_get(copy, "cfg/a.txt", &data, &size), BRUSHWORK_FAILED);
    assert_true(session_said(&test, "B142"));
    brushwork_bsp_close(copy);
    close_map(&test, bsp);
}

/* Twice the area of a triangle along the normal of its first vertex; below 0 it is clockwise. */
static double turn(const struct brushwork_mesh *mesh, const uint32_t *at)
{
    const float *a = mesh->vertices[at[0]].position, *b = mesh->vertices[at[1]].position;
    const float *c = mesh->vertices[at[2]].position, *n = mesh->vertices[at[0]].normal;
    double u[3], v[3], sum = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    for (int k = 0; k < 3; k++)
        sum += (double)n[k] * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
    return sum;
}

static void assert_is_face(struct brushwork_bsp *bsp, const struct brushwork_mesh *mesh,
                           const struct brushwork_face *face)
{
    assert_true(face->first_vertex + face->vertex_count <= mesh->vertex_count);
    assert_true(face->first_index + face->index_count <= mesh->index_count);
    assert_true(face->material >= 0 && face->material < (int)brushwork_material_count(bsp));
    for (uint32_t i = 0; i < face->index_count; i++) {
        uint32_t at = mesh->indices[face->first_index + i];
        assert_in_range(at, face->first_vertex, face->first_vertex + face->vertex_count - 1);
        for (int k = 0; k < 2 && face->lightmap >= 0; k++) {
            assert_true(mesh->vertices[at].lightmap[k] > -1e-3F);
            assert_true(mesh->vertices[at].lightmap[k] < 1 + 1e-3F);
        }
    }
    for (uint32_t i = 0; i + 2 < face->index_count; i += 3)
        assert_true(turn(mesh, mesh->indices + face->first_index + i) < 0.1);
}

static void meshes_have_all_faces(void **state)
{
    (void)state;
    static const struct {
        const char *map;
        bool curved;
    } cases[] = {{"two_rooms.vmf", false}, {"displacements.vmf", true}, {"q3_patches.map", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_session test;
        struct brushwork_bsp *bsp = open_map(&test, cases[i].map);
        const struct brushwork_mesh *mesh = brushwork_bsp_mesh(bsp);
        bool curved = false, lit = false;
        assert_true(mesh->face_count > 0 && mesh->index_count > 0);
        for (size_t f = 0; f < mesh->face_count; f++) {
            assert_is_face(bsp, mesh, &mesh->faces[f]);
            curved |= mesh->faces[f].columns > 0;
            lit |= mesh->faces[f].lightmap >= 0;
        }
        assert_int_equal(curved, cases[i].curved);
        assert_true(lit);
        close_map(&test, bsp);
    }
}

static void lightmaps_are_numbers(void **state)
{
    (void)state;
    static const char *const maps[] = {"two_rooms.vmf", "q3_lights.map"};
    for (size_t i = 0; i < 2; i++) {
        struct test_session test;
        struct brushwork_bsp *bsp = open_map(&test, maps[i]);
        struct brushwork_lightmap info;
        float max = 0;
        assert_true(brushwork_lightmap_count(bsp) > 0);
        for (size_t n = 0; n < brushwork_lightmap_count(bsp); n++) {
            assert_int_equal(brushwork_lightmap_info(bsp, n, &info), BRUSHWORK_OK);
            float *pixels = brushwork_lightmap_pixels(bsp, n, 0);
            assert_non_null(pixels);
            for (int k = 0; k < info.width * info.height * 3; k++)
                max = fmaxf(max, pixels[k]);
            brushwork_free(pixels);
            assert_null(brushwork_lightmap_pixels(bsp, n, info.style_count));
        }
        assert_true(max > 0.05F && max < 100);
        close_map(&test, bsp);
    }
}

static void points_have_contents_and_sight(void **state)
{
    (void)state;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, "box.vmf");
    const double inside[3] = {0, 0, 64}, outside[3] = {9000, 0, 0};
    int32_t leaf = brushwork_leaf_at(bsp, inside), cluster = brushwork_leaf_cluster(bsp, leaf);
    assert_int_equal(brushwork_contents_at(bsp, inside), 0);
    assert_true(cluster >= 0);
    assert_true(brushwork_cluster_sees(bsp, cluster, cluster));
    assert_false(brushwork_cluster_sees(bsp, cluster, 1 << 20));
    assert_int_equal(brushwork_leaf_cluster(bsp, brushwork_leaf_at(bsp, outside)), -1);
    close_map(&test, bsp);
}

/* Counts calls after which the host's mode is another one. */
static void expect_mode(int *lost)
{
    if (fegetround() != FE_UPWARD || !flushes_denormals())
        ++*lost;
}

/* Does what a host does, and returns the bytes of its BSP. */
static struct bytes_of_map {
    void *data;
    size_t size;
} use_map(const char *map, int *lost)
{
    struct bytes_of_map out;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, map);
    expect_mode(lost);
    (void)brushwork_leaf_at(bsp, (double[3]){0});
    expect_mode(lost);
    (void)brushwork_contents_at(bsp, (double[3]){0});
    expect_mode(lost);
    (void)brushwork_bsp_mesh(bsp);
    expect_mode(lost);
    brushwork_free(brushwork_lightmap_pixels(bsp, 0, 0));
    expect_mode(lost);
    (void)brushwork_lightmap_info(bsp, SIZE_MAX, &(struct brushwork_lightmap){0});
    expect_mode(lost);
    (void)brushwork_bsp_save(bsp, &out.data, &out.size);
    expect_mode(lost);
    close_map(&test, bsp);
    return out;
}

static void the_host_keeps_its_floating_point_mode(void **state)
{
    (void)state;
    static const char *const maps[] = {"two_rooms.vmf", "q3_lights.map"};
    for (size_t i = 0; i < 2; i++) {
        int lost = 0, unused = 0;
        fenv_t clean;
        struct bytes_of_map usual = use_map(maps[i], &unused);
        fegetenv(&clean);
        flush_denormals();
        fesetround(FE_UPWARD);
        struct bytes_of_map other = use_map(maps[i], &lost);
        const bool flushes = flushes_denormals();
        fesetenv(&clean);
        assert_int_equal(flushes ? lost : 0, 0);
        assert_int_equal(usual.size, other.size);
        assert_memory_equal(usual.data, other.data, usual.size);
        brushwork_free(usual.data);
        brushwork_free(other.data);
    }
}

SUITE(test_library_bsp)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_file_keeps_its_bytes),
        cmocka_unit_test(entities_are_changed_and_written),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(files_are_packed_and_unpacked),
        cmocka_unit_test(meshes_have_all_faces),
        cmocka_unit_test(lightmaps_are_numbers),
        cmocka_unit_test(points_have_contents_and_sight),
        cmocka_unit_test(the_host_keeps_its_floating_point_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
