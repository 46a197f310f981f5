/* Hulls of displacements: closed, tight, and numbered as in existing files. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lumps/physics.h"
#include "common/bsp/query.h"
#include "tests/support/bsp_files.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/physics/physics.h"

enum { HEADER = 9, MAX = 17 * 17 };

struct hull_view {
    const uint8_t *triangles, *edges;
    int triangle_count, first_triangle, edge_count, first_edge;
};

static struct hull_view view_of(const struct bytes *hull)
{
    assert_true(hull->size > HEADER);
    assert_int_equal(load_u32(hull->data), 1);
    struct hull_view view = {.triangle_count = hull->data[4],
                             .first_triangle = hull->data[5],
                             .edge_count = hull->data[6],
                             .first_edge = hull->data[7]};
    view.triangles = hull->data + HEADER;
    view.edges = view.triangles + (size_t)(4 * view.triangle_count);
    assert_int_equal(hull->size, HEADER + 4 * view.triangle_count + 2 * view.edge_count);
    assert_int_equal(2 * view.edge_count, 3 * view.triangle_count);
    return view;
}

/* The one end of edge `a` that `b` has too. */
static int shared_end(const struct hull_view *view, int a, int b)
{
    const uint8_t *e = view->edges + (size_t)(2 * a), *f = view->edges + (size_t)(2 * b);
    bool first = e[0] == f[0] || e[0] == f[1], second = e[1] == f[0] || e[1] == f[1];
    assert_true(first != second);
    return first ? e[0] : e[1];
}

static void corners_of(const struct hull_view *view, int triangle, int corners[3])
{
    const uint8_t *edges = view->triangles + (size_t)(4 * triangle);
    for (int k = 0; k < 3; k++)
        corners[k] = shared_end(view, edges[(k + 2) % 3], edges[k]);
}

/* Each edge has two triangles, and runs along the first that uses it. */
static void expect_closed(const struct hull_view *view)
{
    int uses[256] = {0};
    for (int i = 0; i < view->triangle_count; i++) {
        int corners[3];
        corners_of(view, i, corners);
        for (int k = 0; k < 3; k++) {
            int edge = view->triangles[4 * i + k];
            assert_in_range(edge, 0, view->edge_count - 1);
            assert_int_equal(corners[k], view->edges[2 * edge + (uses[edge] ? 1 : 0)]);
            uses[edge]++;
        }
        assert_in_range(view->triangles[4 * i + 3], 0, view->triangle_count - 1);
    }
    for (int i = 0; i < view->edge_count; i++)
        assert_int_equal(uses[i], 2);
}

/* Edges of the grid's triangles, and only they, come last, each kind in order of use. */
static void expect_numbered(const struct hull_view *view, int side)
{
    bool grid[81][81] = {{false}};
    for (int i = 0; i < 2 * (side - 1) * (side - 1); i++) {
        int corners[3];
        displacement_triangle(side, i, corners);
        for (int k = 0; k < 3; k++)
            grid[corners[k]][corners[(k + 1) % 3]] = grid[corners[(k + 1) % 3]][corners[k]] = true;
    }
    for (int i = 0; i < view->edge_count; i++)
        assert_int_equal(grid[view->edges[2 * i]][view->edges[2 * i + 1]], i >= view->first_edge);
    int next[2] = {0, view->first_edge};
    for (int i = 0; i < 4 * view->triangle_count; i++) {
        int edge = view->triangles[i], kind = edge >= view->first_edge;
        if (i % 4 == 3)
            continue;
        assert_true(edge <= next[kind]);
        next[kind] += edge == next[kind];
    }
}

/* How far the points stand out of the hull at most. */
static double measure(const struct hull_view *view, const struct vec3 *points, int count,
                      double *volume)
{
    double out = 0;
    *volume = 0;
    for (int i = 0; i < view->triangle_count; i++) {
        int c[3];
        corners_of(view, i, c);
        struct vec3 normal =
            vec3_cross(vec3_sub(points[c[1]], points[c[0]]), vec3_sub(points[c[2]], points[c[0]]));
        *volume += vec3_dot(normal, vec3_sub(points[c[0]], points[0])) / 6;
        if (vec3_length(normal) < 0.01)
            continue;
        for (int k = 0; k < count; k++)
            out = fmax(out, vec3_dot(vec3_normalize(normal), vec3_sub(points[k], points[c[0]])));
    }
    return out;
}

static void fill(struct vec3 *points, int side, double (*height)(double, double))
{
    for (int i = 0; i < side * side; i++) {
        double x = (double)(i % side) / (side - 1), y = (double)(i / side) / (side - 1);
        points[i] = vec3(256 * x, 128 * y, height(x, y));
    }
}

static double flat(double x, double y)
{
    (void)x;
    (void)y;
    return 0;
}

static double ramp(double x, double y)
{
    return 32 * x + 16 * y;
}

static double bowl(double x, double y)
{
    return 64 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5));
}

static void a_bowl_has_its_rim_and_bottom(void **state)
{
    (void)state;
    for (int side = 5; side <= 9; side += 4) {
        struct vec3 points[MAX];
        struct bytes bytes = {0};
        fill(points, side, bowl);
        assert_true(displacement_hull(points, side, &bytes));
        struct hull_view view = view_of(&bytes);
        double volume;
        expect_closed(&view);
        expect_numbered(&view, side);
        assert_true(measure(&view, points, side * side, &volume) < 1e-3);
        /* All points are corners: the bottom has the grid's cells, the top is one polygon. */
        assert_int_equal(view.triangle_count, 2 * side * side - 4);
        assert_int_equal(view.first_triangle, view.triangle_count);
        assert_true(view.first_edge < view.edge_count);
        assert_true(volume > 256 * 128 * 15 && volume < 256 * 128 * 32);
        bytes_free(&bytes);
    }
}

/* One looks out of the face that lies most the other way. */
static void the_other_side_is_known(void **state)
{
    (void)state;
    struct vec3 points[MAX];
    struct bytes bytes = {0};
    fill(points, 5, bowl);
    assert_true(displacement_hull(points, 5, &bytes));
    struct hull_view view = view_of(&bytes);
    for (int i = 0; i < view.triangle_count; i++) {
        int a[3], b[3];
        corners_of(&view, i, a);
        corners_of(&view, view.triangles[4 * i + 3], b);
        struct vec3 n =
            vec3_cross(vec3_sub(points[a[1]], points[a[0]]), vec3_sub(points[a[2]], points[a[0]]));
        struct vec3 m =
            vec3_cross(vec3_sub(points[b[1]], points[b[0]]), vec3_sub(points[b[2]], points[b[0]]));
        assert_true(vec3_dot(n, m) < 0);
    }
    bytes_free(&bytes);
}

static void a_flat_one_has_two_faces(void **state)
{
    (void)state;
    double (*const shapes[])(double, double) = {flat, ramp};
    for (int i = 0; i < 2; i++) {
        struct vec3 points[MAX];
        struct bytes bytes = {0};
        fill(points, 5, shapes[i]);
        assert_true(displacement_hull(points, 5, &bytes));
        struct hull_view view = view_of(&bytes);
        double volume;
        expect_closed(&view);
        expect_numbered(&view, 5);
        /* Four around the vertex beside a corner, two behind; the vertex and that corner share an
         * edge of the grid. */
        assert_int_equal(view.triangle_count, 6);
        assert_int_equal(view.first_edge, 8);
        assert_int_equal(view.edges[16] + view.edges[17], 16 + 20);
        assert_true(measure(&view, points, 25, &volume) < 1e-6);
        assert_true(fabs(volume) < 1e-6);
        bytes_free(&bytes);
    }
}

static void what_has_no_hull(void **state)
{
    (void)state;
    struct vec3 points[MAX];
    struct bytes bytes = {0};
    for (int i = 0; i < MAX; i++)
        points[i] = vec3(i % 5, 2.0 * (i % 5), 0);
    assert_false(displacement_hull(points, 5, &bytes)); /* a line */
    for (int i = 0; i < MAX; i++)
        points[i] = vec3(1, 2, 3);
    assert_false(displacement_hull(points, 5, &bytes)); /* a point */
    fill(points, 17, bowl);
    assert_false(displacement_hull(points, 17, &bytes)); /* more vertices than a byte counts */
    assert_int_equal(bytes.size, 0);
}

/* The corpus */

struct tally {
    int hulls, same_size;
};

/* The vertices of a displacement in a file; returns how many there are a side. */
static int read_grid(const struct bsp *bsp, int number, struct vec3 points[MAX])
{
    const struct bsp_displacement *record = &bsp->displacements[number];
    struct displacement flat = {.map.side = (1 << record->power) + 1};
    struct vec3 start = vec3_from_floats(record->start), corners[4];
    int first = 0, side = flat.map.side;
    for (int i = 0; i < 4; i++) {
        corners[i] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, &bsp->faces[record->face], i));
        if (vec3_distance(corners[i], start) < vec3_distance(corners[first], start))
            first = i;
    }
    for (int i = 0; i < 4; i++)
        flat.corners[i] = corners[(first + i) % 4];
    for (int i = 0; i < side * side; i++) {
        const struct bsp_disp_vertex *vertex = &bsp->disp_vertices[record->first_vertex + i];
        points[i] = vec3_mad(displacement_base(&flat, i / side, i % side),
                             vec3_from_floats(vertex->vector), (double)vertex->distance);
    }
    return side;
}

static void compare(const struct bsp *bsp, int number, const struct bytes *theirs,
                    struct tally *tally)
{
    struct vec3 points[MAX];
    struct bytes bytes = {0};
    int side = read_grid(bsp, number, points), count = side * side;
    assert_true(displacement_hull(points, side, &bytes));
    struct hull_view reference = view_of(theirs), ours = view_of(&bytes);
    double volumes[2];
    expect_closed(&reference);
    expect_numbered(&reference, side);
    expect_closed(&ours);
    expect_numbered(&ours, side);
    assert_true(measure(&reference, points, count, &volumes[0]) < 5e-3);
    assert_true(measure(&ours, points, count, &volumes[1]) < 1e-3);
    assert_true(fabs(volumes[0] - volumes[1]) <= 1e-3 * fabs(volumes[0]) + 1e-3);
    tally->hulls++;
    tally->same_size += theirs->size == bytes.size;
    bytes_free(&bytes);
}

static void visit(void *context, const char *path, const struct bytes *file)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bsp *bsp;
    struct physics_displacements physics;
    assert_int_equal(bsp_decode(file->data, file->size, path, diag, &bsp), STATUS_OK);
    assert_int_equal(physics_displacements_decode(&bsp->displacement_physics, NULL, diag, &physics),
                     STATUS_OK);
    for (int i = 0; i < (int)arrlen(physics.items); i++)
        if (!physics.items[i].none)
            compare(bsp, i, &physics.items[i].hull, context);
    physics_displacements_free(&physics);
    bsp_free(bsp);
    diag_free(diag);
}

static void hulls_are_as_large_as_valves(void **state)
{
    (void)state;
    struct tally tally = {0};
    if (!bsp_files_visit(SHARED_DIR "/corpus/vmf", visit, &tally)) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
    print_message("%d hulls, %d with as many triangles as theirs\n", tally.hulls, tally.same_size);
    assert_int_equal(tally.hulls, 33);
    assert_true(tally.same_size >= 18);
}

SUITE(test_displacement_hull)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bowl_has_its_rim_and_bottom), cmocka_unit_test(the_other_side_is_known),
        cmocka_unit_test(a_flat_one_has_two_faces),      cmocka_unit_test(what_has_no_hull),
        cmocka_unit_test(hulls_are_as_large_as_valves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
