/* Brushes of a .map: one face per line with three points, material and mapping. The form is
 * detected per face: a parenthesis after the points starts a brush primitive's matrix, a bracket
 * after the material Valve's axes, a number the classic form. */
#include <math.h>
#include <stdint.h>

#include "common/core/array.h"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/map_files.def"
#include "common/diag/codes/sides.def"
#include "vbsp/level/map_reader.h"
#include "vbsp/level/map_texture.h"
#include "vbsp/level/plane_points.h"

/* Three points are collinear if the sine of their angle is less. */
#define MIN_SINE 1e-9

/* Larger numbers are invalid: results would not be finite. */
#define MAPPING_LIMIT 1e9
#define MIN_SCALE     1e-9

enum faces { FACES_SOUND, FACES_BAD, FACES_UNCLOSED };

struct face {
    struct map_reader *reader;
    struct map_side side;
    struct vec3 normal;
    double rows[2][3]; /* of a brush primitive */
};

static struct diag_where face_where(const struct face *face)
{
    struct diag_where where = map_reader_where(face->reader, face->side.line);
    where.side_id = face->side.id;
    return where;
}

/* Reports the face. Always false. */
static bool bad_face(const struct face *face, const struct map_token *token, const char *wanted)
{
    struct diag_where where = face_where(face);
    where.line = token->line;
    if (token->kind == MAP_TOKEN_END)
        return false; /* the missing brace is reported instead */
    (void)diag_report(face->reader->diag, DIAG_MAP_BRUSH, &where,
                      "expected %s, found \"%.*s\"; the brush is dropped", wanted,
                      (int)(token->length < 60 ? token->length : 60), token->text);
    return false;
}

static bool read_points(struct face *face)
{
    struct map_side *side = &face->side;
    for (int i = 0; i < 3; i++) {
        struct map_token bad;
        if (!map_read_numbers(&face->reader->lexer, side->points[i].e, 3, &bad))
            return bad_face(face, &bad, "a point of three numbers");
    }
    if (plane_points_fit(side->points))
        return true;
    struct diag_where where = face_where(face);
    const struct vec3 *p = side->points;
    (void)diag_report(face->reader->diag, DIAG_MAP_POINT, &where,
                      "( %g %g %g ) ( %g %g %g ) ( %g %g %g ): a number is more than %.0f; the "
                      "brush is dropped",
                      p[0].x, p[0].y, p[0].z, p[1].x, p[1].y, p[1].z, p[2].x, p[2].y, p[2].z,
                      MAP_PLANE_LIMIT);
    return false;
}

static bool in_reach(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(numbers[i]) <= MAPPING_LIMIT))
            return false;
    return true;
}

static bool good_scales(double scales[2])
{
    if (!in_reach(scales, 2))
        return false;
    for (int i = 0; i < 2; i++) {
        if (!(fabs(scales[i]) > 0))
            scales[i] = 1;
        if (fabs(scales[i]) < MIN_SCALE)
            return false;
    }
    return true;
}

static void check_mapping(struct face *face, bool sound)
{
    if (sound)
        return;
    struct diag_where where = face_where(face);
    (void)diag_report(face->reader->diag, DIAG_SIDE_AXES, &where,
                      "the texture numbers are out of range; the default alignment is used");
    map_axes_default(face->normal, &face->side);
}

/* ( ( a b c ) ( d e f ) ) */
static bool read_matrix(struct face *face)
{
    struct map_lexer *lexer = &face->reader->lexer;
    (void)map_lexer_next(lexer);
    struct map_token bad;
    for (int i = 0; i < 2; i++)
        if (!map_read_numbers(lexer, face->rows[i], 3, &bad))
            return bad_face(face, &bad, "a row of the texture matrix");
    struct map_token close = map_lexer_next(lexer);
    return close.mark == ')' || bad_face(face, &close, "the end of the texture matrix");
}

static bool read_plain_numbers(struct face *face, double *out, int count)
{
    for (int i = 0; i < count; i++) {
        struct map_token token = map_lexer_next(&face->reader->lexer);
        if (!map_token_number(&token, &out[i]))
            return bad_face(face, &token, "a number of the texture alignment");
    }
    return true;
}

/* [ x y z shift ] [ x y z shift ] rotation scale scale: the axes already include the rotation. */
static bool read_valve(struct face *face)
{
    struct map_lexer *lexer = &face->reader->lexer;
    struct map_texture_axis *axes[2] = {&face->side.u, &face->side.v};
    bool sound = true;
    for (int i = 0; i < 2; i++) {
        double numbers[4];
        struct map_token mark = map_lexer_next(lexer);
        if (mark.mark != '[')
            return bad_face(face, &mark, "a texture axis in brackets");
        if (!read_plain_numbers(face, numbers, 4))
            return false;
        mark = map_lexer_next(lexer);
        if (mark.mark != ']')
            return bad_face(face, &mark, "the end of a texture axis");
        sound = sound && in_reach(numbers, 4);
        axes[i]->axis = vec3(numbers[0], numbers[1], numbers[2]);
        axes[i]->shift = numbers[3];
    }
    double rest[3];
    if (!read_plain_numbers(face, rest, 3))
        return false;
    sound = good_scales(rest + 1) && sound;
    face->side.u.scale = rest[1];
    face->side.v.scale = rest[2];
    check_mapping(face, sound);
    return true;
}

static bool read_classic(struct face *face)
{
    double numbers[5];
    if (!read_plain_numbers(face, numbers, 5))
        return false;
    bool sound = in_reach(numbers, 3) && good_scales(numbers + 3);
    const struct map_classic_mapping mapping = {
        .shift = {numbers[0], numbers[1]}, .rotate = numbers[2], .scale = {numbers[3], numbers[4]}};
    if (sound)
        map_axes_classic(face->normal, &mapping, &face->side);
    check_mapping(face, sound);
    return true;
}

static bool read_material(struct face *face)
{
    struct map_token name = map_lexer_name(&face->reader->lexer);
    bool text = name.kind == MAP_TOKEN_WORD || name.kind == MAP_TOKEN_QUOTED;
    if (!text || name.unclosed)
        return bad_face(face, &name, "a material name");
    if (!name.length) {
        struct diag_where where = face_where(face);
        (void)diag_report(face->reader->diag, DIAG_SIDE_MATERIAL, &where, "common/nodraw is used");
        face->side.material = "textures/common/nodraw";
        return true;
    }
    face->side.material = map_reader_material(face->reader, &name);
    return true;
}

/* Optional contents, flags and an unused value, on the same line. */
static void read_flags(struct face *face)
{
    struct map_lexer *lexer = &face->reader->lexer;
    int *fields[] = {&face->side.contents, &face->side.flags};
    for (size_t i = 0;; i++) {
        double number;
        struct map_token token = map_lexer_peek(lexer);
        if (!map_token_number(&token, &number))
            return;
        (void)map_lexer_next(lexer);
        if (i < 2 && fabs(number) <= UINT32_MAX)
            *fields[i] = (int)(uint32_t)(int64_t)number;
    }
}

static bool read_mapping(struct face *face)
{
    bool primitive = map_lexer_peek(&face->reader->lexer).mark == '(';
    if (primitive && !read_matrix(face))
        return false;
    if (!read_material(face))
        return false;
    if (primitive) {
        map_axes_primitive(face->normal, (const double(*)[3])face->rows, &face->side);
        check_mapping(face, in_reach(face->rows[0], 3) && in_reach(face->rows[1], 3));
    } else if (map_lexer_peek(&face->reader->lexer).mark == '[') {
        if (!read_valve(face))
            return false;
    } else if (!read_classic(face)) {
        return false;
    }
    read_flags(face);
    return true;
}

static bool find_plane(const struct vec3 p[3], struct vec3 *normal)
{
    struct vec3 a = vec3_sub(p[0], p[1]), b = vec3_sub(p[2], p[1]), cross = vec3_cross(a, b);
    *normal = vec3(0, 0, 1);
    if (!(vec3_length(cross) > MIN_SINE * vec3_length(a) * vec3_length(b)))
        return false;
    *normal = vec3_normalize(cross);
    return true;
}

/* False when the brush must be dropped. A face without a plane is skipped: the others may still
 * enclose the volume. */
static bool read_face(struct map_reader *reader, struct map_solid *solid, int number)
{
    struct face face = {.reader = reader};
    face.side.id = number;
    face.side.line = map_lexer_peek(&reader->lexer).line;
    if (!read_points(&face))
        return false;
    const struct vec3 *p = face.side.points;
    bool has_plane = plane_points_settle(face.side.points) && find_plane(p, &face.normal);
    if (!read_mapping(&face))
        return false;
    if (has_plane) {
        arrput(solid->sides, face.side);
        return true;
    }
    struct diag_where where = face_where(&face);
    (void)diag_report(reader->diag, DIAG_MAP_FLAT_FACE, &where,
                      "( %g %g %g ) ( %g %g %g ) ( %g %g %g ); the face is dropped", p[0].x, p[0].y,
                      p[0].z, p[1].x, p[1].y, p[1].z, p[2].x, p[2].y, p[2].z);
    return true;
}

/* Skips the rest of a dropped brush, or up to the brace of the next. */
static void skip_faces(struct map_reader *reader)
{
    for (struct map_token token = map_lexer_peek(&reader->lexer);
         token.kind != MAP_TOKEN_END && token.mark != '{' && token.mark != '}';
         token = map_lexer_peek(&reader->lexer))
        (void)map_lexer_next(&reader->lexer);
}

/* Reads faces up to and including the closing brace, unless it is missing. */
static enum faces read_faces(struct map_reader *reader, struct map_solid *solid, int opened)
{
    bool sound = true;
    for (int number = 0; sound; number++) {
        struct map_token token = map_lexer_peek(&reader->lexer);
        if (token.mark == '}' || token.mark == '{' || token.kind == MAP_TOKEN_END)
            break;
        sound = read_face(reader, solid, number);
    }
    skip_faces(reader);
    struct map_token close = map_lexer_peek(&reader->lexer);
    if (close.mark != '}') {
        map_reader_unclosed(reader, "a brush", opened, &close);
        return FACES_UNCLOSED;
    }
    (void)map_lexer_next(&reader->lexer);
    return sound ? FACES_SOUND : FACES_BAD;
}

/* Reads "brushDef { faces }" and the closing brace of the brush. */
static bool read_primitive(struct map_reader *reader, struct map_solid *solid, int opened)
{
    (void)map_lexer_next(&reader->lexer);
    struct map_token open = map_lexer_peek(&reader->lexer);
    if (open.mark != '{') {
        struct diag_where where = map_reader_where(reader, open.line);
        (void)diag_report(reader->diag, DIAG_MAP_BRUSH, &where,
                          "expected { after brushDef; the brush is dropped");
        map_reader_skip(reader, "a brush", opened, 1);
        return false;
    }
    (void)map_lexer_next(&reader->lexer);
    enum faces faces = read_faces(reader, solid, open.line);
    if (faces == FACES_UNCLOSED)
        return false;
    struct map_token close = map_lexer_peek(&reader->lexer);
    if (close.mark != '}') {
        map_reader_unclosed(reader, "a brush", opened, &close);
        return false;
    }
    (void)map_lexer_next(&reader->lexer);
    return faces == FACES_SOUND;
}

void map_read_brush(struct map_reader *reader, int opened)
{
    struct map_solid solid = {.id = reader->brushes - 1, .line = opened};
    struct map_token first = map_lexer_peek(&reader->lexer);
    bool sound = first.kind == MAP_TOKEN_WORD ? read_primitive(reader, &solid, opened)
                                              : read_faces(reader, &solid, opened) == FACES_SOUND;
    if (sound && arrlen(solid.sides) < 4) {
        struct diag_where where = map_reader_where(reader, opened);
        (void)diag_report(reader->diag, DIAG_SOLID_SIDES, &where,
                          "%td valid, at least 4 needed; the brush is dropped",
                          arrlen(solid.sides));
        sound = false;
    }
    if (sound)
        arrput(reader->entity->solids, solid);
    else
        arrfree(solid.sides);
}
