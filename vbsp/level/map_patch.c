/* Patches of a .map: a grid of control points, in columns. */
#include <math.h>
#include <stdint.h>

#include "common/core/array.h"
#include "common/diag/codes/map_files.def"
#include "common/diag/codes/map_patches.def"
#include "vbsp/level/map_reader.h"

/* Engine limits: sides of the grid, and control points for collision. */
enum { MIN_SIDE = 3, MAX_SIDE = 31, MAX_POINTS = 1024 };

enum { COORDINATES = 5 }; /* of a control point: x y z s t */

struct kind {
    const char *word;
    int numbers; /* count of numbers in parentheses after the material */
    bool fixed;  /* two of them are fixed subdivisions */
};

static const struct kind kinds[] = {{"patchDef2", 5, false}, {"patchDef3", 7, true}};

static const struct kind *find_kind(const struct map_token *word)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (map_token_is(word, kinds[i].word))
            return &kinds[i];
    return NULL;
}

/* Reports the patch. Always false. */
static bool bad_patch(struct map_reader *reader, const struct map_token *token, const char *wanted)
{
    struct diag_where where = map_reader_where(reader, token->line);
    if (token->kind != MAP_TOKEN_END) /* otherwise the missing brace is reported */
        (void)diag_report(reader->diag, DIAG_PATCH_SYNTAX, &where,
                          "expected %s, found \"%.*s\"; the patch is dropped", wanted,
                          (int)(token->length < 60 ? token->length : 60), token->text);
    return false;
}

static bool check_size(struct map_reader *reader, const struct map_patch *patch)
{
    struct diag_where where = map_reader_where(reader, patch->line);
    int columns = patch->columns, rows = patch->rows;
    int max = columns > rows ? columns : rows, min = columns < rows ? columns : rows;
    if (min < MIN_SIDE)
        (void)diag_report(reader->diag, DIAG_PATCH_SMALL, &where,
                          "%d x %d, at least %d x %d are needed; the patch is dropped", columns,
                          rows, MIN_SIDE, MIN_SIDE);
    else if (columns % 2 == 0 || rows % 2 == 0)
        (void)diag_report(reader->diag, DIAG_PATCH_EVEN, &where,
                          "%d x %d, both must be odd; the patch is dropped", columns, rows);
    else if ((int64_t)columns * rows > MAX_POINTS)
        (void)diag_report(reader->diag, DIAG_PATCH_POINTS, &where,
                          "%d x %d = %lld, at most %d are possible; the patch is dropped", columns,
                          rows, (long long)columns * rows, MAX_POINTS);
    else if (max > MAX_SIDE)
        (void)diag_report(
            reader->diag, DIAG_PATCH_LONG, &where,
            "%d x %d control points, at most %d each way are possible; the patch is dropped",
            columns, rows, MAX_SIDE);
    else
        return true;
    return false;
}

static int to_flags(double number)
{
    return fabs(number) <= UINT32_MAX ? (int)(uint32_t)(int64_t)number : 0;
}

static bool is_count(double number)
{
    return number >= 0 && number <= INT32_MAX && !(fabs(number - rint(number)) > 0);
}

/* ( columns rows contents flags value ), with subdivisions before contents in a patchDef3 */
static bool read_header(struct map_reader *reader, const struct kind *kind, struct map_patch *patch)
{
    double numbers[7];
    struct map_token bad, open = map_lexer_peek(&reader->lexer);
    if (!map_read_numbers(&reader->lexer, numbers, kind->numbers, &bad))
        return bad_patch(reader, &bad, "the size of the patch");
    for (int i = 0; i < (kind->fixed ? 4 : 2); i++)
        if (!is_count(numbers[i]))
            return bad_patch(reader, &open, "a size in whole numbers");
    patch->columns = (int)numbers[0];
    patch->rows = (int)numbers[1];
    for (int i = 0; kind->fixed && i < 2; i++)
        patch->subdivisions[i] = (int)numbers[2 + i];
    patch->contents = to_flags(numbers[kind->numbers - 3]);
    patch->flags = to_flags(numbers[kind->numbers - 2]);
    return check_size(reader, patch);
}

static bool read_point(struct map_reader *reader, struct map_patch_point *out)
{
    double numbers[COORDINATES];
    struct map_token bad, open = map_lexer_peek(&reader->lexer);
    if (!map_read_numbers(&reader->lexer, numbers, COORDINATES, &bad))
        return bad_patch(reader, &bad, "a control point of five numbers");
    out->p = vec3(numbers[0], numbers[1], numbers[2]);
    out->texture[0] = numbers[3];
    out->texture[1] = numbers[4];
    if (map_point_fits(out->p) && isfinite(numbers[3]) && isfinite(numbers[4]))
        return true;
    struct diag_where where = map_reader_where(reader, open.line);
    (void)diag_report(reader->diag, DIAG_MAP_POINT, &where,
                      "control point %g %g %g with texture coordinates %g %g is not finite, or "
                      "more than %g units from the origin; the patch is dropped",
                      numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], MAP_POINT_LIMIT);
    return false;
}

static bool read_mark(struct map_reader *reader, char mark, const char *wanted)
{
    struct map_token token = map_lexer_peek(&reader->lexer);
    if (token.mark != mark)
        return bad_patch(reader, &token, wanted);
    (void)map_lexer_next(&reader->lexer);
    return true;
}

static bool read_points(struct map_reader *reader, struct map_patch *patch)
{
    patch->points = ARENA_ARRAY(&reader->map->arena, struct map_patch_point,
                                (size_t)patch->columns * (size_t)patch->rows);
    if (!read_mark(reader, '(', "the control points"))
        return false;
    for (int column = 0; column < patch->columns; column++) {
        if (!read_mark(reader, '(', "a column of control points"))
            return false;
        for (int row = 0; row < patch->rows; row++)
            if (!read_point(reader, &patch->points[row * patch->columns + column]))
                return false;
        if (!read_mark(reader, ')', "the end of a column of control points"))
            return false;
    }
    return read_mark(reader, ')', "the end of the control points");
}

/* The contents of the inner braces. */
static bool read_body(struct map_reader *reader, const struct kind *kind, struct map_patch *patch)
{
    struct map_token name = map_lexer_peek(&reader->lexer);
    if ((name.kind != MAP_TOKEN_WORD && name.kind != MAP_TOKEN_QUOTED) || !name.length)
        return bad_patch(reader, &name, "a material name");
    name = map_lexer_name(&reader->lexer);
    patch->material = map_reader_material(reader, &name);
    if (!read_header(reader, kind, patch) || !read_points(reader, patch))
        return false;
    struct map_token close = map_lexer_peek(&reader->lexer);
    return close.mark == '}' || close.mark == '{' || close.kind == MAP_TOKEN_END ||
           bad_patch(reader, &close, "the end of the patch");
}

static void report_kind(struct map_reader *reader, const struct map_token *word)
{
    struct diag_where where = map_reader_where(reader, word->line);
    (void)diag_report(reader->diag, DIAG_MAP_KIND, &where,
                      "\"%.*s\" is neither a brush nor a Quake 3 patch; it is dropped",
                      (int)(word->length < 60 ? word->length : 60), word->text);
}

void map_read_patch(struct map_reader *reader, int opened)
{
    struct map_patch patch = {.id = reader->brushes - 1, .line = opened};
    struct map_token word = map_lexer_next(&reader->lexer);
    const struct kind *kind = find_kind(&word);
    bool sound = kind != NULL;
    int depth = 1;
    if (!kind)
        report_kind(reader, &word);
    else if ((sound = read_mark(reader, '{', "the { of the patch")))
        depth = 2;
    if (sound && !read_body(reader, kind, &patch))
        sound = false;
    for (; sound && depth > 0; depth--) {
        struct map_token close = map_lexer_peek(&reader->lexer);
        if (close.mark != '}') {
            map_reader_unclosed(reader, "a patch", opened, &close);
            return;
        }
        (void)map_lexer_next(&reader->lexer);
    }
    if (sound)
        arrput(reader->entity->patches, patch);
    else
        map_reader_skip(reader, "a patch", opened, depth);
}
