/* Convex hulls of points that are nearly coplanar, collinear or equal: closed, convex, around all
 * points. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/core/random.h"
#include "tests/support/long_form.h"
#include "vbsp/target/source/physics/physics_convex.h"

enum { FEW = 20000, SETS = 100000, POINTS_MAX = 48, CORNERS = 3, SIDE = 5 };

#define TOLERANCE 1e-4

/* Rounding of a point, relative to the extent. */
#define ROUNDING 2e-10

static double part(uint64_t *seed, double min, double max)
{
    *seed = hash_pair(*seed, 7);
    return min + (max - min) * (double)(*seed >> 11) / 9007199254740992.0;
}

static int choice(uint64_t *seed, int count)
{
    int chosen = (int)part(seed, 0, count);
    return chosen < count ? chosen : count - 1;
}

/* --- sets of points --- */

struct set {
    struct vec3 points[POINTS_MAX];
    int count;
    double extent;
    double thickness; /* maximum across a plane through it */
    bool is_solid;    /* surely not flat */
};

static struct vec3 direction(uint64_t *seed)
{
    struct vec3 way = vec3(part(seed, -1, 1), part(seed, -1, 1), part(seed, -1, 1));
    if (choice(seed, 3) == 0) {
        way = vec3(0, 0, 0);
        way.e[choice(seed, 3)] = 1;
    }
    return vec3_length(way) < 0.1 ? vec3(0, 0, 1) : vec3_normalize(way);
}

/* A point of the unit cube: anywhere, or on a coarse lattice, so that many are coplanar. */
static struct vec3 cube_point(uint64_t *seed, bool lattice)
{
    struct vec3 point = vec3(part(seed, 0, 1), part(seed, 0, 1), part(seed, 0, 1));
    for (int i = 0; i < 3 && lattice; i++)
        point.e[i] = floor(point.e[i] * (double)SIDE) / (double)(SIDE - 1);
    return point;
}

/* Points in `dimensions` dimensions, as thick as `thickness` in the others, scaled and turned. */
static void make_set(uint64_t *seed, struct set *set)
{
    static const double amounts[] = {0, 0, 1e-12, 1e-10, 1e-9, 1e-7, 1e-5, 9e-5, 1.1e-4, 1e-3, 0.1};
    int dimensions = choice(seed, 4);
    bool lattice = choice(seed, 2) == 0;
    double size = exp(part(seed, 0, 8)), noise = amounts[choice(seed, 11)];
    struct vec3 x = direction(seed), y = direction(seed), z, middle = vec3(0, 0, 0);
    if (vec3_length(vec3_cross(x, y)) < 0.1)
        y = fabs(x.z) > 0.9 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    y = vec3_normalize(vec3_cross(x, y));
    z = vec3_cross(x, y);
    if (choice(seed, 2))
        middle = vec3(part(seed, -4e3, 4e3), part(seed, -4e3, 4e3), part(seed, -4e3, 4e3));
    set->count = 1 + choice(seed, POINTS_MAX);
    set->is_solid = dimensions == 3 && !lattice && set->count > 12;
    set->extent = 0;
    for (int i = 0; i < set->count; i++) {
        struct vec3 at = vec3_scale(cube_point(seed, lattice), size), point = middle;
        for (int k = dimensions; k < 3; k++)
            at.e[k] = 0;
        point = vec3_mad(vec3_mad(vec3_mad(point, x, at.x), y, at.y), z, at.z);
        for (int k = 0; k < 3; k++)
            point.e[k] += part(seed, -noise, noise);
        set->points[i] =
            i && !set->is_solid && choice(seed, 9) == 0 ? set->points[choice(seed, i)] : point;
        set->extent = fmax(set->extent, vec3_distance(set->points[i], set->points[0]));
    }
    set->thickness = dimensions == 3 ? HUGE_VAL : 2 * sqrt(3) * noise + 1e-12 * vec3_length(middle);
}

/* --- what a hull must be --- */

static bool is_closed(const struct convex_triangle *triangles)
{
    static int uses[POINTS_MAX][POINTS_MAX];
    bool used[POINTS_MAX] = {false}, closed = true;
    int vertices = 0, count = (int)arrlen(triangles);
    memset(uses, 0, sizeof uses);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < CORNERS; k++) {
            const int *points = triangles[i].points;
            uses[points[k]][points[(k + 1) % CORNERS]]++;
            vertices += !used[points[k]];
            used[points[k]] = true;
        }
    for (int i = 0; i < POINTS_MAX; i++)
        for (int k = 0; k < POINTS_MAX; k++)
            closed = closed && uses[i][k] <= 1 && uses[i][k] == uses[k][i];
    return closed && 2 * vertices - 4 == count; /* one body without holes */
}

/* How far a point lies in front of a triangle, less what rounding of the corners can give: much
 * where the triangle is narrow. */
static double most_outside(const struct set *set, const struct convex_triangle *triangles)
{
    double max_out = 0;
    for (size_t i = 0; i < arrlenu(triangles); i++) {
        const int *c = triangles[i].points;
        struct vec3 a = set->points[c[0]], b = set->points[c[1]], d = set->points[c[2]];
        struct vec3 cross = vec3_cross(vec3_sub(b, a), vec3_sub(d, a));
        double longest = fmax(vec3_distance(a, b), fmax(vec3_distance(b, d), vec3_distance(a, d)));
        double width = vec3_length(cross) / longest;
        double allowed = ROUNDING * set->extent * (1 + 2 * set->extent / fmax(width, 1e-300));
        for (int k = 0; k < set->count; k++)
            max_out = fmax(max_out,
                           vec3_dot(vec3_normalize(cross), vec3_sub(set->points[k], a)) - allowed);
    }
    return max_out;
}

static void expect_hull(const struct set *set, uint64_t seed, int *hulls)
{
    struct convex_triangle *triangles = convex_hull(set->points, set->count, TOLERANCE);
    if (!triangles)
        assert_false(set->is_solid);
    else if (4 * set->thickness < TOLERANCE)
        fail_msg("set %llx: a hull of what is flat", (unsigned long long)seed);
    else if (!is_closed(triangles))
        fail_msg("set %llx: an open hull", (unsigned long long)seed);
    else if (most_outside(set, triangles) > TOLERANCE)
        fail_msg("set %llx: a point %g outside", (unsigned long long)seed,
                 most_outside(set, triangles));
    *hulls += triangles != NULL;
    arrfree(triangles);
}

static void hulls_of_nearly_degenerate_sets(void **state)
{
    (void)state;
    int hulls = 0, count = long_form(FEW, SETS);
    for (uint64_t i = 0; i < (uint64_t)count; i++) {
        static struct set set;
        uint64_t seed = hash_pair(i, 18);
        make_set(&seed, &set);
        expect_hull(&set, i, &hulls);
    }
    print_message("%d of %d sets have a hull\n", hulls, count);
    assert_true(hulls > count / 4);
}

/* Corners of a round pedestal whose top and foot are flat but for 1e-9 units. */
static void a_pedestal(void **state)
{
    (void)state;
    int hulls = 0;
    static const struct vec3 points[] = {
        {.x = 1349.5431460034406, .y = -349.54314600344054, .z = 128.00040690150129},
        {.x = 1349.4894815840253, .y = -349.48950657143223, .z = 188},
        {.x = 1352.463895968767, .y = -347.47190765027045, .z = 68.000203449969362},
        {.x = 1355.9415294720134, .y = -346.03054896251456, .z = 68.000203450893252},
        {.x = 1355.8853782941867, .y = -345.97565118775367, .z = 173.00040690109537},
        {.x = 1355.8772896434116, .y = -345.96779487160967, .z = 188},
        {.x = 1359.8615109128109, .y = -345.20605508098072, .z = 68.000203450334908},
        {.x = 1364.0000762939712, .y = -344.90055621855777, .z = 173.00040690301466},
        {.x = 1368.1711435336456, .y = -345.17080680669096, .z = 188},
        {.x = 1372.0584705279866, .y = -346.03054896251456, .z = 68.000203450893252},
        {.x = 1372.1227103565884, .y = -345.96779487160967, .z = 188},
        {.x = 1375.5360251189338, .y = -347.47190831116961, .z = 68.000203449948344},
        {.x = 1375.6296387524983, .y = -347.37821781539191, .z = 188},
        {.x = 1378.4033160248075, .y = -349.596721716535, .z = 68.000203450619736},
    };
    struct set set = {.count = 14, .extent = 125, .thickness = HUGE_VAL, .is_solid = true};
    memcpy(set.points, points, sizeof points);
    expect_hull(&set, 0, &hulls);
    for (uint64_t i = 0; i < (uint64_t)long_form(FEW, SETS) / 10; i++) {
        uint64_t seed = hash_pair(i, 81);
        for (int k = 0; k < set.count; k++)
            for (int axis = 0; axis < 3; axis++)
                set.points[k].e[axis] = points[k].e[axis] + part(&seed, -1e-8, 1e-8);
        expect_hull(&set, i, &hulls);
    }
}

SUITE(test_convex_hull)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_of_nearly_degenerate_sets),
        cmocka_unit_test(a_pedestal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
