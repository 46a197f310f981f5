/* Random Quake 3 maps: boxes and rotated boxes, structural and detail, in a sealed room. The first
 * brush that a ray meets must be drawn there, and nothing before it. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/core/random.h"
#include "tests/support/vbsp/q3_map.h"

enum { SOUPS = 150, BRUSHES = 14, RAYS = 200, SIZE = 256 };

/* Rays closer to an edge than this are skipped. */
#define NEAR_EDGE 0.5
/* Tolerance for grazing rays, since planes are snapped. */
#define SAME_DISTANCE 0.5
/* Degenerate triangles are ignored. */
#define MIN_AREA 0.05

struct solid {
    struct plane planes[Q3_SIDES];
};

struct soup {
    struct text_map map;
    struct solid solids[BRUSHES + Q3_SIDES];
    int count;
    uint64_t seed, drawn;
};

static double draw(struct soup *soup, double low, double high)
{
    return low + (high - low) * random_unit(soup->seed, soup->drawn++);
}

/* A box by its corners; bit k of a corner's number is set on the high side along axis k. */
static void add_solid(struct soup *soup, const struct vec3 corners[8], bool detail)
{
    static const int sides[Q3_SIDES][3] = {{6, 4, 0}, {3, 1, 5}, {1, 0, 4},
                                           {7, 6, 2}, {0, 1, 3}, {6, 7, 5}};
    struct solid *solid = &soup->solids[soup->count++];
    bytes_append_text(&soup->map.text, "{\n");
    for (int i = 0; i < Q3_SIDES; i++) {
        const struct vec3 *p[3];
        for (int k = 0; k < 3; k++)
            p[k] = &corners[sides[i][k]];
        assert_true(plane_from_points(*p[0], *p[1], *p[2], &solid->planes[i]));
        for (int k = 0; k < 3; k++)
            bytes_append_text(&soup->map.text, "( %.9g %.9g %.9g ) ", p[k]->x, p[k]->y, p[k]->z);
        bytes_append_text(&soup->map.text, "test/wall 0 0 0 1 1 %d 0 0\n", detail ? 134217728 : 0);
    }
    bytes_append_text(&soup->map.text, "}\n");
}

static void add_box(struct soup *soup, struct vec3 low, struct vec3 high, double angle, bool detail)
{
    struct vec3 corners[8], middle = vec3_lerp(low, high, 0.5);
    for (int i = 0; i < 8; i++) {
        struct vec3 p =
            vec3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
        struct vec3 d = vec3_sub(p, middle);
        corners[i] = angle == 0 ? p
                                : vec3_add(middle, vec3(d.x * cos(angle) - d.y * sin(angle),
                                                        d.x * sin(angle) + d.y * cos(angle), d.z));
    }
    add_solid(soup, corners, detail);
}

static void add_walls(struct soup *soup)
{
    for (int side = 0; side < Q3_SIDES; side++) {
        struct vec3 low = vec3(-16, -16, -16), high = vec3(SIZE + 16, SIZE + 16, SIZE + 16);
        if (side % 2)
            low.e[side / 2] = SIZE;
        else
            high.e[side / 2] = 0;
        add_box(soup, low, high, 0, false);
    }
}

static double on_grid(double value)
{
    return 8 * rint(value / 8);
}

static void make(struct soup *soup, uint64_t seed)
{
    *soup = (struct soup){.seed = seed};
    q3_map_init(&soup->map);
    add_walls(soup);
    for (int i = 0; i < BRUSHES; i++) {
        struct vec3 low, high;
        for (int k = 0; k < 3; k++) {
            low.e[k] = on_grid(draw(soup, 0, SIZE - 40));
            high.e[k] = low.e[k] + on_grid(draw(soup, 8, 100));
        }
        bool turned = draw(soup, 0, 1) < 0.3, detail = draw(soup, 0, 1) < 0.5;
        add_box(soup, low, high, turned ? draw(soup, 0.1, 1.4) : 0, detail);
    }
}

static bool is_inside(const struct soup *soup, struct vec3 point)
{
    for (int i = 0; i < soup->count; i++) {
        bool inside = true;
        for (int k = 0; k < Q3_SIDES && inside; k++)
            inside = plane_distance(&soup->solids[i].planes[k], point) < NEAR_EDGE;
        if (inside)
            return true;
    }
    return false;
}

/* Where a ray enters a solid, and its distance from the nearest edge there; HUGE_VAL: it misses the
 * solid. Negative clearances are misses. */
static double enter(const struct solid *solid, struct vec3 from, struct vec3 along,
                    double *clearance)
{
    double best = -1;
    int side = -1;
    for (int i = 0; i < Q3_SIDES; i++) {
        double speed = vec3_dot(solid->planes[i].normal, along);
        if (speed >= 0)
            continue;
        double at = plane_distance(&solid->planes[i], from) / -speed;
        if (at > best) {
            best = at;
            side = i;
        }
    }
    if (side < 0 || best < 0)
        return HUGE_VAL;
    struct vec3 hit = vec3_mad(from, along, best);
    *clearance = HUGE_VAL;
    for (int i = 0; i < Q3_SIDES; i++)
        if (i != side)
            *clearance = fmin(*clearance, -plane_distance(&solid->planes[i], hit));
    return *clearance < -NEAR_EDGE ? HUGE_VAL : best;
}

/* The first solid that a ray meets; false when it passes too close to an edge. */
static bool first_solid(const struct soup *soup, struct vec3 from, struct vec3 along, double *out)
{
    bool sure = true;
    *out = HUGE_VAL;
    for (int i = 0; i < soup->count; i++) {
        double clearance, at = enter(&soup->solids[i], from, along, &clearance);
        if (at >= *out)
            continue;
        *out = at;
        sure = clearance > NEAR_EDGE;
    }
    /* A solid that is grazed earlier counts too. */
    for (int i = 0; i < soup->count && sure; i++) {
        double clearance, at = enter(&soup->solids[i], from, along, &clearance);
        sure = at >= *out - NEAR_EDGE || clearance > NEAR_EDGE;
    }
    return sure;
}

/* The first triangle that faces the ray. */
static double first_drawn(const struct soup *soup, struct vec3 from, struct vec3 along)
{
    const struct text_map *map = &soup->map;
    const struct bsp_model *world = &map->bsp->models[0];
    double best = HUGE_VAL;
    for (int i = 0; i < world->face_count; i++) {
        const struct bsp_surface *surface = &map->bsp->surfaces[world->first_face + i];
        for (int j = 0; j + 2 < surface->index_count; j += 3) {
            struct vec3 p[3];
            for (int k = 0; k < 3; k++)
                p[k] = q3_corner(map, surface, j + k);
            struct vec3 out = vec3_cross(vec3_sub(p[0], p[1]), vec3_sub(p[2], p[1]));
            double area = vec3_length(out), speed = vec3_dot(out, along);
            if (speed >= -1e-9 || area < MIN_AREA)
                continue;
            double at = vec3_dot(out, vec3_sub(p[0], from)) / speed;
            struct vec3 hit = vec3_mad(from, along, at);
            bool inside = at > 0 && at < best;
            for (int k = 0; k < 3 && inside; k++)
                inside = vec3_dot(vec3_cross(vec3_sub(p[(k + 1) % 3], p[k]), out),
                                  vec3_sub(hit, p[k])) >= -1e-3 * area;
            if (inside)
                best = at;
        }
    }
    return best;
}

static bool is_open(const struct soup *soup, struct vec3 point)
{
    return !is_inside(soup, point) && q3_leaf_at(&soup->map, point)->cluster >= 0;
}

static struct vec3 some_point(struct soup *soup)
{
    return vec3(draw(soup, 1, SIZE - 1), draw(soup, 1, SIZE - 1), draw(soup, 1, SIZE - 1));
}

/* Returns the number of rays that were checked. */
static int check_rays(struct soup *soup)
{
    int told = 0;
    for (int i = 0; i < RAYS; i++) {
        struct vec3 from = some_point(soup);
        struct vec3 along = vec3_normalize(vec3_sub(some_point(soup), from));
        double truth;
        if (!is_open(soup, from) || !first_solid(soup, from, along, &truth))
            continue;
        double drawn = first_drawn(soup, from, along);
        if (fabs(drawn - truth) > SAME_DISTANCE)
            print_message("soup %d: from %g %g %g a solid at %g, a surface at %g\n",
                          (int)soup->seed, from.x, from.y, from.z, truth, drawn);
        assert_true(fabs(drawn - truth) < SAME_DISTANCE);
        told++;
    }
    return told;
}

static void what_rays_meet_is_drawn(void **state)
{
    (void)state;
    int told = 0;
    for (uint64_t seed = 1; seed <= SOUPS; seed++) {
        struct soup soup;
        make(&soup, seed);
        struct vec3 point = some_point(&soup);
        while (is_inside(&soup, point))
            point = some_point(&soup);
        char origin[96];
        snprintf(origin, sizeof origin, "%.9g %.9g %.9g", point.x, point.y, point.z);
        q3_map_player(&soup.map, origin);
        q3_map_compile(&soup.map, STATUS_OK);
        told += check_rays(&soup);
        text_map_free(&soup.map);
    }
    assert_true(told > SOUPS * RAYS / 4);
}

SUITE(test_q3_soups)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rays_meet_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
