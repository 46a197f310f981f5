/* A random brush is the same in each form of a .map: the same planes, with the same texture
 * coordinates. */
#include "tests/support/suite.h"

#include "common/core/bytes.h"
#include "common/core/random.h"
#include "common/geom/plane.h"
#include "tests/support/vbsp/map_text.h"

enum { BRUSHES = 300, MAX_SIDES = 12, FORMS = 3 };

enum form { CLASSIC, VALVE, PRIMITIVE };

#define IMAGE_WIDTH  256
#define IMAGE_HEIGHT 64

struct random {
    uint64_t seed, count;
};

static double between(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random->seed, random->count++);
}

/* A face of a brush around the origin: a plane near a sphere, a classic mapping. */
struct drawn {
    struct vec3 points[3];
    double shift[2], rotate, scale[2];
};

static struct drawn draw_face(struct random *random, int number)
{
    static const struct vec3 axes[6] = {{{{1, 0, 0}}},  {{{-1, 0, 0}}}, {{{0, 1, 0}}},
                                        {{{0, -1, 0}}}, {{{0, 0, 1}}},  {{{0, 0, -1}}}};
    struct vec3 normal = number < 6 && between(random, 0, 1) < 0.5
                             ? axes[number]
                             : vec3_normalize(vec3(between(random, -1, 1), between(random, -1, 1),
                                                   between(random, -1, 1)));
    int major = vec3_major_axis(normal);
    struct vec3 a = vec3_normalize(vec3_cross(normal, axes[2 * ((major + 1) % 3)]));
    struct vec3 b = vec3_cross(normal, a);
    struct vec3 center = vec3_scale(normal, between(random, 32, 256));
    struct drawn face = {.rotate = floor(between(random, -4, 8)) * 45};
    face.points[1] = center;
    face.points[0] = vec3_mad(center, b, between(random, 16, 128));
    face.points[2] = vec3_mad(center, a, between(random, 16, 128));
    for (int i = 0; i < 2; i++) {
        face.shift[i] = between(random, -512, 512);
        face.scale[i] = between(random, 0.1, 2) * (between(random, 0, 1) < 0.3 ? -1 : 1);
    }
    return face;
}

static void put_points(struct bytes *text, const struct drawn *face)
{
    for (int i = 0; i < 3; i++)
        bytes_append_text(text, "( %.17g %.17g %.17g ) ", face->points[i].x, face->points[i].y,
                          face->points[i].z);
}

static void put_classic(struct bytes *text, const struct drawn *face)
{
    bytes_append_text(text, "a/b %.17g %.17g %.17g %.17g %.17g 0 0 0\n", face->shift[0],
                      face->shift[1], face->rotate, face->scale[0], face->scale[1]);
}

static void put_valve(struct bytes *text, const struct map_side *side)
{
    bytes_append_text(text,
                      "a/b [ %.17g %.17g %.17g %.17g ] [ %.17g %.17g %.17g %.17g ] 0 %.17g %.17g\n",
                      side->u.axis.x, side->u.axis.y, side->u.axis.z, side->u.shift, side->v.axis.x,
                      side->v.axis.y, side->v.axis.z, side->v.shift, side->u.scale, side->v.scale);
}

static double in_images(const struct map_side *side, struct vec3 p, int i)
{
    const struct map_texture_axis *axis = i ? &side->v : &side->u;
    double size = side->mapped_in_images ? 1 : i ? IMAGE_HEIGHT : IMAGE_WIDTH;
    return map_coordinate(axis, p) / size;
}

/* The directions in a face that a matrix counts along. */
static void directions(struct vec3 normal, struct vec3 *s, struct vec3 *t)
{
    *s = vec3(0, 1, 0);
    *t = vec3(normal.z < 0 ? -1 : 1, 0, 0);
    if (hypot(normal.x, normal.y) > 0) {
        *s = vec3_normalize(vec3(-normal.y, normal.x, 0));
        *t = vec3_cross(*s, normal);
    }
}

/* The matrix comes from three points of the face by Cramer's rule. */
static void put_primitive(struct bytes *text, const struct map_side *side)
{
    struct plane plane;
    struct vec3 s, t;
    const struct vec3 *p = side->points;
    assert_true(plane_from_points(p[0], p[1], p[2], &plane));
    directions(plane.normal, &s, &t);
    double a = vec3_dot(vec3_sub(p[0], p[1]), s), b = vec3_dot(vec3_sub(p[0], p[1]), t);
    double c = vec3_dot(vec3_sub(p[2], p[1]), s), d = vec3_dot(vec3_sub(p[2], p[1]), t);
    bytes_append_text(text, "( ");
    for (int i = 0; i < 2; i++) {
        double origin = in_images(side, p[1], i);
        double e = in_images(side, p[0], i) - origin, f = in_images(side, p[2], i) - origin;
        double along_s = (e * d - f * b) / (a * d - b * c);
        double along_t = (a * f - c * e) / (a * d - b * c);
        double rest = origin - along_s * vec3_dot(p[1], s) - along_t * vec3_dot(p[1], t);
        bytes_append_text(text, "( %.17g %.17g %.17g ) ", along_s, along_t, rest);
    }
    bytes_append_text(text, ") a/b 0 0 0\n");
}

/* `like` tells the mapping of all forms but the classic. */
static struct map_text written(enum form form, const struct drawn *faces, int count,
                               const struct map_solid *like)
{
    struct bytes text = {0};
    bytes_append_text(&text, "{\n\"classname\" \"worldspawn\"\n{\n");
    bytes_append_text(&text, form == PRIMITIVE ? "brushDef\n{\n" : "");
    for (int i = 0; i < count; i++) {
        put_points(&text, &faces[i]);
        if (form == CLASSIC)
            put_classic(&text, &faces[i]);
        else if (form == VALVE)
            put_valve(&text, &like->sides[i]);
        else
            put_primitive(&text, &like->sides[i]);
    }
    bytes_append_text(&text, form == PRIMITIVE ? "}\n}\n}\n" : "}\n}\n");
    struct map_text out = map_text_of((const char *)text.data, text.size);
    bytes_free(&text);
    assert_int_equal(out.status, STATUS_OK);
    assert_int_equal(diag_entries(out.diag), 0);
    assert_int_equal(arrlen(out.map.entities[0].solids[0].sides), count);
    return out;
}

static void same_face(const struct map_side *a, const struct map_side *b, struct random *random)
{
    struct plane p, q;
    assert_true(plane_from_points(a->points[0], a->points[1], a->points[2], &p));
    assert_true(plane_from_points(b->points[0], b->points[1], b->points[2], &q));
    assert_true(vec3_distance(p.normal, q.normal) < 1e-12);
    assert_float_equal(p.dist, q.dist, 1e-9);
    struct vec3 along[2] = {vec3_sub(a->points[0], a->points[1]),
                            vec3_sub(a->points[2], a->points[1])};
    for (int i = 0; i < 8; i++) {
        struct vec3 at = vec3_mad(a->points[1], along[0], between(random, -2, 2));
        at = vec3_mad(at, along[1], between(random, -2, 2));
        for (int j = 0; j < 2; j++)
            assert_float_equal(in_images(a, at, j), in_images(b, at, j), 1e-9);
    }
}

static void a_brush_says_the_same_in_each_form(void **state)
{
    (void)state;
    for (int i = 0; i < BRUSHES; i++) {
        struct random random = {.seed = (uint64_t)i};
        struct drawn faces[MAX_SIDES];
        int count = (int)between(&random, 4, MAX_SIDES + 1);
        for (int j = 0; j < count; j++)
            faces[j] = draw_face(&random, j);
        struct map_text forms[FORMS];
        for (int form = 0; form < FORMS; form++)
            forms[form] = written((enum form)form, faces, count,
                                  form ? &forms[CLASSIC].map.entities[0].solids[0] : NULL);
        for (int form = 1; form < FORMS; form++)
            for (int j = 0; j < count; j++)
                same_face(&forms[0].map.entities[0].solids[0].sides[j],
                          &forms[form].map.entities[0].solids[0].sides[j], &random);
        assert_true(forms[PRIMITIVE].map.entities[0].solids[0].sides[0].mapped_in_images);
        for (int form = 0; form < FORMS; form++)
            map_text_free(&forms[form]);
    }
}

SUITE(test_map_round_trip)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_brush_says_the_same_in_each_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
