/* Loads the displacements of sides, and writes the records of those with a face. */
#include "vbsp/target/source/displacements/displacement.h"

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/displacements.def"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/entities/state.h"

/* Positions of luxels on a displacement: for each the number of a triangle and its barycentric
 * weights (lump 34). Triangles are numbered through a quadtree: a square of 2x2 cells has eight
 * around its centre, a larger one has four smaller ones. A position on a border belongs to the
 * lowest number. */

/* Signs of the four squares in one, and of the corners of the eight triangles; the third corner is
 * the centre. Columns, rows. */
static const int square_signs[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
static const int triangle_corners[8][2][2] = {
    {{1, -1}, {0, -1}}, {{0, -1}, {-1, -1}}, {{-1, -1}, {-1, 0}}, {{-1, 0}, {-1, 1}},
    {{-1, 1}, {0, 1}},  {{0, 1}, {1, 1}},    {{1, 1}, {1, 0}},    {{1, 0}, {1, -1}},
};

/* Columns and rows are rounded quotients: a position on a border may seem to lie beside it. */
#define ON_BORDER (-1e-9)

struct sample {
    int triangle;
    double weights[3];
};

/* u and v are relative to the centre of the square, whose cells have size 1. */
static struct sample find_triangle(double u, double v)
{
    struct sample sample = {0};
    for (int i = 0; i < 8; i++) {
        const int(*c)[2] = triangle_corners[i];
        double area = c[0][0] * c[1][1] - c[0][1] * c[1][0];
        sample.triangle = i;
        sample.weights[0] = (u * c[1][1] - v * c[1][0]) / area;
        sample.weights[1] = (c[0][0] * v - c[0][1] * u) / area;
        sample.weights[2] = 1 - sample.weights[0] - sample.weights[1];
        if (sample.weights[0] >= ON_BORDER && sample.weights[1] >= ON_BORDER &&
            sample.weights[2] >= ON_BORDER)
            break;
    }
    return sample;
}

static struct sample find_sample(int side, double u, double v)
{
    double middle[2] = {(side - 1) / 2.0, (side - 1) / 2.0};
    int square = 0;
    for (int half = (side - 1) / 2; half > 1; half /= 2) {
        int child = 0;
        while (child < 3 && ((u - middle[0]) * square_signs[child][0] < 0 ||
                             (v - middle[1]) * square_signs[child][1] < 0))
            child++;
        middle[0] += square_signs[child][0] * half / 2.0;
        middle[1] += square_signs[child][1] * half / 2.0;
        square = 4 * square + child;
    }
    struct sample sample = find_triangle(u - middle[0], v - middle[1]);
    sample.triangle += 8 * square;
    return sample;
}

static void append(struct bytes *out, const struct sample *sample)
{
    unsigned char record[5];
    size_t size = 0;
    if (sample->triangle >= UINT8_MAX) {
        record[size++] = UINT8_MAX;
        record[size++] = (unsigned char)(sample->triangle - UINT8_MAX);
    } else {
        record[size++] = (unsigned char)sample->triangle;
    }
    for (int i = 0; i < 3; i++)
        record[size++] =
            (unsigned char)(portable_fmin(portable_fmax(sample->weights[i], 0), 1) * 255.9);
    bytes_append(out, record, size);
}

/* Appends the sample positions of (width + 1) * (height + 1) luxels. */
static void displacement_samples(const struct displacement *displacement, int width, int height,
                                 struct bytes *out)
{
    int side = displacement->map.side;
    for (int y = 0; y <= height; y++) {
        for (int x = 0; x <= width; x++) {
            double u = (double)x * (side - 1) / (width > 0 ? width : 1);
            double v = (double)y * (side - 1) / (height > 0 ? height : 1);
            struct sample sample = find_sample(side, u, v);
            append(out, &sample);
        }
    }
}

/* --- displacement --- */

/* Limit of readers for luxels along a side of a displacement. */
enum { MAX_LUXELS = 125 };

enum disp_triangle_tag { DISP_TRIANGLE_WALKABLE = 1 << 1, DISP_TRIANGLE_BUILDABLE = 1 << 2 };

/* The editor tags triangles whose normals have at least this z. */
#define WALKABLE_NORMAL  0.7
#define BUILDABLE_NORMAL 0.8

/* Corners closer than this may be welded into one. */
#define MIN_EDGE (2 * EPSILON_WELD)

const int displacement_edge_corners[DISP_EDGES][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};

struct vec3 displacement_base(const struct displacement *displacement, int row, int column)
{
    double v = (double)row / (displacement->map.side - 1);
    double u = (double)column / (displacement->map.side - 1);
    const struct vec3 *corners = displacement->corners;
    return vec3_lerp(vec3_lerp(corners[0], corners[1], v), vec3_lerp(corners[3], corners[2], v), u);
}

int displacement_edge_vertex(const struct displacement *displacement, int edge, int along)
{
    int side = displacement->map.side, last = side - 1;
    switch (edge) {
    case 0:
        return along * side;
    case 1:
        return last * side + along;
    case 2:
        return along * side + last;
    default:
        return along;
    }
}

int displacement_span_steps(const struct displacement *displacement, int span)
{
    int steps = displacement->map.side - 1;
    return span == SPAN_WHOLE ? steps : steps / 2;
}

int displacement_span_start(const struct displacement *displacement, int span)
{
    return span == SPAN_LAST_HALF ? (displacement->map.side - 1) / 2 : 0;
}

static bool is_quad(const struct winding *winding)
{
    if (!winding || winding->count != 4)
        return false;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (vec3_distance(winding->points[i], winding->points[j]) < MIN_EDGE)
                return false;
    return true;
}

static struct displacement *load_one(struct compile *compile, const struct map_brush *brush,
                                     const struct brush_side *side)
{
    struct displacement *out = ARENA_NEW(&compile->arena, struct displacement);
    struct diag_where where = brush_where(compile, brush, side);
    const char *problem;
    out->brush = brush;
    out->side = side;
    if (!map_displacement_read(side->map_side->displacement, &compile->arena, &out->map,
                               &problem)) {
        diag_report(compile->env->diag, DIAG_DISPLACEMENT_DAMAGED, &where,
                    "%s; the side stays flat", problem);
        return NULL;
    }
    if (!is_quad(side->winding)) {
        diag_report(compile->env->diag, DIAG_DISPLACEMENT_CORNERS, &where,
                    "the side has %d corners and stays flat",
                    side->winding ? side->winding->count : 0);
        return NULL;
    }
    if (out->map.missing)
        diag_report(compile->env->diag, DIAG_DISPLACEMENT_ROWS, &where,
                    "%d number%s missing in its rows; 0 is used", out->map.missing,
                    out->map.missing == 1 ? "" : "s");
    return out;
}

bool displacements_load(struct compile *compile, struct map_brush *brush)
{
    bool any = false;
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        if (!side->map_side || !side->map_side->displacement)
            continue;
        side->displacement = load_one(compile, brush, side);
        any = any || side->displacement;
    }
    return any;
}

static void add_brush(struct tree *tree, const struct map_brush *brush, struct face_list *list)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (!side->displacement || side->texinfo == TEXINFO_NODE)
            continue;
        struct face *face = face_new(&tree->arena);
        face->plane = side->plane;
        face->texinfo = side->texinfo;
        face->contents = brush->contents;
        face->smoothing_groups = side->map_side->smoothing_groups;
        face->winding = side->winding;
        face->side = side;
        face->brush = brush;
        face->displacement = true;
        face_list_add(list, face);
    }
}

struct face *faces_make_displacements(const struct compile *compile, struct tree *tree)
{
    struct face_list list = {0};
    for (size_t i = 0; i < arrlenu(compile->displacement_brushes); i++)
        add_brush(tree, compile->displacement_brushes[i], &list);
    return list.first;
}

/* The corners of the written face, rotated so that the one closest to the start comes first. */
static void turn_corners(const struct compile *compile, const struct face *face,
                         struct displacement *displacement)
{
    struct vec3 points[4];
    int nearest = 0;
    for (int i = 0; i < 4; i++) {
        points[i] = bsp_vertex_at(compile->bsp, face->vertices[i]);
        if (vec3_distance(points[i], displacement->map.start) <
            vec3_distance(points[nearest], displacement->map.start))
            nearest = i;
    }
    for (int i = 0; i < 4; i++) {
        displacement->corners[i] = points[(nearest + i) % 4];
        displacement->drawn[i] = face->winding->points[(nearest + i) % 4];
    }
}

/* Luxels along an axis, by the longer of two opposite edges. */
static int32_t count_luxels(const struct displacement *displacement, const float axis[4],
                            const int edges[2])
{
    double longest = 0;
    for (int i = 0; i < 2; i++) {
        const int *ends = displacement_edge_corners[edges[i]];
        longest = portable_fmax(
            longest, vec3_distance(displacement->corners[ends[0]], displacement->corners[ends[1]]));
    }
    double scale = vec3_length(vec3((double)axis[0], (double)axis[1], (double)axis[2]));
    return (int32_t)portable_fmin(floor(longest * scale) + 1, INT16_MAX);
}

/* Luxels are aligned with rows and columns, regardless of the texture axes. */
static void set_lightmap(const struct compile *compile, const struct displacement *displacement,
                         struct bsp_face *record)
{
    static const int edges[2][2] = {{1, 3}, {0, 2}};
    const struct bsp_texinfo *texinfo = &compile->texinfos.items[record->texinfo];
    int32_t longest = 0;
    for (int axis = 0; axis < 2; axis++) {
        int32_t luxels = count_luxels(displacement, texinfo->lightmap[axis], edges[axis]);
        longest = luxels > longest ? luxels : longest;
        record->lightmap_size[axis] = luxels > MAX_LUXELS ? MAX_LUXELS : luxels;
    }
    if (longest <= MAX_LUXELS)
        return;
    struct diag_where where = brush_where(compile, displacement->brush, displacement->side);
    diag_report(compile->env->diag, DIAG_DISPLACEMENT_LUXELS, &where,
                "%d luxels long, reduced to %d", (int)longest, MAX_LUXELS);
}

void displacement_take_face(struct compile *compile, const struct face *face,
                            struct bsp_face *record)
{
    struct displacement *displacement = face->side->displacement;
    if (!displacement || arrlen(face->vertices) != 4)
        return;
    turn_corners(compile, face, displacement);
    set_lightmap(compile, displacement, record);
    displacement->record.face = face->number;
    record->dispinfo = (int32_t)arrlen(source_state(compile)->displacements);
    arrput(source_state(compile)->displacements, displacement);
}

static void emit_vertices(struct bsp *bsp, const struct displacement *displacement)
{
    int side = displacement->map.side;
    for (int i = 0; i < side * side; i++) {
        struct vec3 offset = displacement->allowed[i]
                                 ? displacement->map.vertices[i].vector
                                 : vec3_sub(displacement->points[i],
                                            displacement_base(displacement, i / side, i % side));
        struct vec3 unit = vec3_normalize(offset);
        struct bsp_disp_vertex record = {.distance = (float)vec3_length(offset),
                                         .alpha = (float)displacement->map.vertices[i].alpha};
        for (int k = 0; k < 3; k++)
            record.vector[k] = (float)unit.e[k] + 0.0f;
        arrput(bsp->disp_vertices, record);
    }
}

void displacement_triangle(int side, int triangle, int corners[3])
{
    int cell = triangle / 2, half = triangle % 2;
    int i = cell / (side - 1) * side + cell % (side - 1);
    const int even[2][3] = {{i, i + side, i + side + 1}, {i, i + side + 1, i + 1}};
    const int odd[2][3] = {{i, i + side, i + 1}, {i + 1, i + side, i + side + 1}};
    memcpy(corners, i % 2 ? odd[half] : even[half], sizeof *even);
}

/* The tags that the editor would have written. */
static int steepness_tags(const struct displacement *displacement, int triangle)
{
    int corners[3];
    displacement_triangle(displacement->map.side, triangle, corners);
    struct vec3 a = displacement->points[corners[0]];
    struct vec3 normal = vec3_normalize(vec3_cross(vec3_sub(displacement->points[corners[2]], a),
                                                   vec3_sub(displacement->points[corners[1]], a)));
    return (normal.z >= WALKABLE_NORMAL ? MAP_TRIANGLE_WALKABLE : 0) |
           (normal.z >= BUILDABLE_NORMAL ? MAP_TRIANGLE_BUILDABLE : 0);
}

static int32_t triangle_tags(const struct displacement *displacement, int triangle)
{
    int tags = displacement->map.tags ? displacement->map.tags[triangle]
                                      : steepness_tags(displacement, triangle);
    bool walkable = tags & MAP_TRIANGLE_WALKABLE, buildable = tags & MAP_TRIANGLE_BUILDABLE;
    if (tags & MAP_TRIANGLE_FORCE_WALKABLE)
        walkable = tags & MAP_TRIANGLE_WALKABLE_VALUE;
    if (tags & MAP_TRIANGLE_FORCE_BUILDABLE)
        buildable = tags & MAP_TRIANGLE_BUILDABLE_VALUE;
    return (walkable ? DISP_TRIANGLE_WALKABLE : 0) | (buildable ? DISP_TRIANGLE_BUILDABLE : 0);
}

static void emit_record(struct compile *compile, struct displacement *displacement)
{
    struct bsp *bsp = compile->bsp;
    struct bsp_displacement *record = &displacement->record;
    const struct bsp_face *face = &bsp->faces[record->face];
    for (int i = 0; i < 3; i++)
        record->start[i] = (float)displacement->corners[0].e[i];
    record->first_vertex = (int32_t)arrlen(bsp->disp_vertices);
    record->first_triangle = (int32_t)arrlen(bsp->disp_triangles);
    record->power = displacement->map.power;
    record->min_tesselation = UINT32_C(0x80000000) | displacement->map.flags;
    record->contents = displacement->brush->contents & ~CONTENTS_DETAIL;
    record->lightmap_sample = (int32_t)bsp->disp_lightmap_samples.size;
    emit_vertices(bsp, displacement);
    int cells = displacement->map.side - 1;
    for (int i = 0; i < 2 * cells * cells; i++)
        arrput(bsp->disp_triangles, triangle_tags(displacement, i));
    displacement_samples(displacement, face->lightmap_size[0], face->lightmap_size[1],
                         &bsp->disp_lightmap_samples);
    arrput(bsp->displacements, *record);
}

void displacements_shape(struct compile *compile)
{
    size_t count = arrlenu(source_state(compile)->displacements);
    if (!count || source_state(compile)->displacements[0]->points)
        return;
    displacements_find_neighbours(source_state(compile)->displacements, count);
    displacements_find_allowed(source_state(compile)->displacements, count, &compile->arena);
}

void displacements_emit(struct compile *compile)
{
    size_t count = arrlenu(source_state(compile)->displacements);
    displacements_shape(compile);
    for (size_t i = 0; i < count; i++)
        emit_record(compile, source_state(compile)->displacements[i]);
}

void displacement_add_bounds(const struct compile *compile, int number, struct bounds *bounds)
{
    if (number >= arrlen(source_state(compile)->displacements))
        return; /* the faces are from an earlier compile */
    const struct displacement *displacement = source_state(compile)->displacements[number];
    for (int i = 0; i < displacement->map.side * displacement->map.side; i++)
        bounds_add_point(bounds, displacement->points[i]);
}

static bool reaches_area(const struct compile *compile, const struct displacement *displacement,
                         int area)
{
    const struct bsp *bsp = compile->bsp;
    struct vec3 normal = compile->planes.planes[displacement->side->plane].normal;
    for (int i = 0; i < displacement->map.side * displacement->map.side; i++) {
        struct vec3 above = vec3_add(displacement->points[i], normal);
        if (bsp->leaves[bsp_leaf_at(bsp, 0, above)].area == area)
            return true;
    }
    return false;
}

void displacements_mark_area(const struct compile *compile, int area, bool *faces)
{
    for (size_t i = 0; i < arrlenu(source_state(compile)->displacements); i++)
        if (reaches_area(compile, source_state(compile)->displacements[i], area))
            faces[source_state(compile)->displacements[i]->record.face] = true;
}
