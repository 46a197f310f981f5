#include "vrad/props/texel_surface.h"

#include <float.h>
#include <math.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* --- texel raster --- */

/* Maximum texture coordinate: beyond it single precision does not resolve texels. */
#define FARTHEST 4096.0

/* Maximum number of times that triangles cover the image, which bounds the work on repeating
 * textures. */
enum { MAX_COVERS = 64 };

/* Tolerance of single-precision coordinates, in texels. */
#define HAIR 0.001

/* Triangles with a smaller total area than this, in texels, count as none. */
#define MIN_AREA 1e-3

/* Middles this near to an edge, in texels, lie on it: neighbours share edges. */
#define EDGE 0.01

struct raster {
    struct texel_image *image;
    double *gaps; /* one per texel: squared distance from its middle to its triangle */
    unsigned char
        *deep; /* one per texel: number of triangles that its middle is well inside of, at most 2 */
    double room; /* texels that may still be covered */
};

struct outline {
    double p[3][2]; /* in texels */
    double area;    /* twice the area; negative for the other orientation */
};

static double cross(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The extent of the triangle in x between `top` and `bottom`. */
static void span_of_row(const struct outline *outline, double top, double bottom, double span[2])
{
    span[0] = DBL_MAX;
    span[1] = -DBL_MAX;
    for (int k = 0; k < 3; k++) {
        const double *a = outline->p[k], *b = outline->p[(k + 1) % 3];
        const double *high = a[1] <= b[1] ? a : b, *low = a[1] <= b[1] ? b : a;
        if (high[1] > bottom || low[1] < top)
            continue;
        double height = low[1] - high[1], slope = height > 0 ? (low[0] - high[0]) / height : 0;
        double first = high[1] >= top ? high[0] : high[0] + slope * (top - high[1]);
        double last = low[1] <= bottom ? low[0] : high[0] + slope * (bottom - high[1]);
        span[0] = portable_fmin(span[0], portable_fmin(first, last));
        span[1] = portable_fmax(span[1], portable_fmax(first, last));
    }
}

/* The squared distance from a point to an edge; `share` is the position of the nearest point on
 * it. */
static double gap_to_edge(const double a[2], const double b[2], const double p[2], double *share)
{
    double along[2] = {b[0] - a[0], b[1] - a[1]};
    double square = along[0] * along[0] + along[1] * along[1];
    double t = (p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1];
    *share = square > 0 ? portable_fmin(portable_fmax(t / square, 0), 1) : 0;
    double x = a[0] + *share * along[0] - p[0], y = a[1] + *share * along[1] - p[1];
    return x * x + y * y;
}

/* The point of the triangle nearest to a point: its squared distance, 0 inside, and the depth
 * inside in texels. */
static double nearest_place(const struct outline *outline, const double point[2], double share[3],
                            double *depth)
{
    double best = DBL_MAX;
    bool inside = outline->area != 0;
    *depth = DBL_MAX;
    for (int k = 0; k < 3; k++) {
        const double *a = outline->p[k], *b = outline->p[(k + 1) % 3];
        double t, gap = gap_to_edge(a, b, point, &t), side = cross(a, b, point) / outline->area;
        inside = inside && side >= 0;
        *depth = portable_fmin(*depth, sqrt(gap));
        if (gap < best) {
            best = gap;
            share[k] = 1 - t;
            share[(k + 1) % 3] = t;
            share[(k + 2) % 3] = 0;
        }
    }
    if (!inside) {
        *depth = 0;
        return best;
    }
    for (int k = 0; k < 3; k++)
        share[k] = cross(outline->p[(k + 1) % 3], outline->p[(k + 2) % 3], point) / outline->area;
    return 0;
}

static void take(struct raster *raster, const struct outline *outline, int32_t number, size_t at,
                 const double middle[2])
{
    struct texel *texel = &raster->image->texels[at];
    double share[3] = {1, 0, 0}, depth;
    double gap = nearest_place(outline, middle, share, &depth);
    if (depth > EDGE) {
        raster->image->middles += raster->deep[at] == 0;
        raster->image->shared += raster->deep[at] == 1;
        raster->deep[at] = raster->deep[at] ? 2 : 1;
    }
    raster->image->reached += texel->triangle == TEXEL_NONE;
    if (texel->triangle != TEXEL_NONE && gap >= raster->gaps[at])
        return;
    raster->gaps[at] = gap;
    texel->triangle = number;
    for (int k = 0; k < 3; k++)
        texel->share[k] = (float)share[k];
}

static size_t wrapped(int64_t at, int side)
{
    int64_t rest = at % side;
    return (size_t)(rest < 0 ? rest + side : rest);
}

/* The cells between two numbers; one that is only touched does not count, unless it is the only
 * one. */
static void cells_between(double low, double high, int64_t cells[2])
{
    cells[0] = (int64_t)floor(low + HAIR);
    cells[1] = (int64_t)ceil(high - HAIR) - 1;
    if (cells[1] < cells[0])
        cells[0] = cells[1] = (int64_t)floor((low + high) / 2);
}

static void add_triangle(struct raster *raster, const struct outline *outline, int32_t number)
{
    const struct texel_image *image = raster->image;
    int64_t rows[2], columns[2];
    double low = portable_fmin(portable_fmin(outline->p[0][1], outline->p[1][1]), outline->p[2][1]);
    double high =
        portable_fmax(portable_fmax(outline->p[0][1], outline->p[1][1]), outline->p[2][1]);
    cells_between(low, high, rows);
    for (int64_t y = rows[0]; y <= rows[1] && raster->room > 0; y++) {
        double span[2];
        span_of_row(outline, (double)y, (double)y + 1, span);
        if (!(span[0] <= span[1]))
            continue;
        cells_between(span[0], span[1], columns);
        if (columns[1] - columns[0] >=
            2 * image->width) /* wider ones would cover all columns again */
            columns[1] = columns[0] + 2 * image->width - 1;
        raster->room -= (double)(columns[1] - columns[0] + 1);
        for (int64_t x = columns[0]; x <= columns[1]; x++)
            take(raster, outline, number,
                 wrapped(y, image->height) * (size_t)image->width + wrapped(x, image->width),
                 (const double[2]){(double)x + 0.5, (double)y + 0.5});
    }
}

/* Returns false if the coordinates are invalid. */
static bool outline_of(const float corners[3][2], const struct texel_image *image,
                       struct outline *out)
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) {
            double at = (double)corners[k][i];
            if (!(fabs(at) < FARTHEST))
                return false;
            out->p[k][i] = at * (i ? image->height : image->width);
        }
    }
    out->area = cross(out->p[0], out->p[1], out->p[2]);
    return true;
}

void texel_raster(const float (*corners)[3][2], size_t count, int width, int height,
                  struct texel_image *out)
{
    size_t size = (size_t)width * (size_t)height;
    *out = (struct texel_image){
        .width = width, .height = height, .texels = memory_alloc(size * sizeof *out->texels)};
    struct raster raster = {.image = out,
                            .gaps = memory_alloc(size * sizeof *raster.gaps),
                            .deep = memory_zalloc(size, 1),
                            .room = (double)MAX_COVERS * (double)size};
    double area = 0;
    for (size_t i = 0; i < size; i++)
        out->texels[i] = (struct texel){.triangle = TEXEL_NONE};
    for (size_t i = 0; i < count; i++) {
        struct outline outline;
        if (!outline_of(corners[i], out, &outline)) {
            out->lost++;
            continue;
        }
        area += fabs(outline.area);
        add_triangle(&raster, &outline, (int32_t)i);
    }
    out->is_flat = area < MIN_AREA;
    memory_free(raster.gaps);
    memory_free(raster.deep);
}

/* The same for the triangle of the texel in cell `from`. `at` is relative to that cell. */
static double point_on(const float (*corners)[3][2], const struct texel_image *image,
                       const size_t from[2], const double at[2], struct texel *out)
{
    struct outline outline;
    double share[3], point[2], depth;
    const int sides[2] = {image->width, image->height};
    *out = image->texels[from[1] * (size_t)image->width + from[0]];
    if (out->triangle == TEXEL_NONE || !outline_of(corners[out->triangle], image, &outline))
        return DBL_MAX;
    for (int i = 0; i < 2; i++) { /* the repetition of the image in which the texel was found */
        double place = 0, middle = (double)from[i] + 0.5;
        for (int k = 0; k < 3; k++)
            place += outline.p[k][i] * (double)out->share[k];
        point[i] = (double)from[i] + at[i] + round((place - middle) / sides[i]) * sides[i];
    }
    double gap = nearest_place(&outline, point, share, &depth);
    for (int k = 0; k < 3; k++)
        out->share[k] = (float)share[k];
    return gap;
}

struct texel texel_point(const float (*corners)[3][2], const struct texel_image *image,
                         size_t index, const double at[2])
{
    const size_t cell[2] = {index % (size_t)image->width, index / (size_t)image->width};
    struct texel own, other;
    if (point_on(corners, image, cell, at, &own) == 0)
        return own;
    for (int i = 0; i < 9; i++) {
        int dx = i % 3 - 1, dy = i / 3 - 1;
        const size_t from[2] = {wrapped((int64_t)cell[0] + dx, image->width),
                                wrapped((int64_t)cell[1] + dy, image->height)};
        const double there[2] = {at[0] - dx, at[1] - dy};
        if (point_on(corners, image, from, there, &other) == 0)
            return other;
    }
    return own;
}

void texel_image_free(struct texel_image *image)
{
    memory_free(image->texels);
    *image = (struct texel_image){0};
}

/* --- texel surface --- */

void texel_triangles_of(const struct model *model, struct texel_triangles *out)
{
    size_t count = arrlenu(model->vtx.triangles);
    *out = (struct texel_triangles){.model = model};
    for (size_t i = 0; i < count; i++)
        if (model_shows_mesh(&model->mdl, model->vtx.triangles[i].mesh))
            arrput(out->numbers, (int32_t)i);
    out->corners = memory_zalloc(arrlenu(out->numbers) + 1, sizeof *out->corners);
    for (size_t i = 0; i < arrlenu(out->numbers); i++) {
        const struct model_triangle *triangle = &model->vtx.triangles[out->numbers[i]];
        for (int k = 0; k < 3; k++)
            memcpy(out->corners[i][k], model->vvd.vertices[triangle->vertices[k]].uv,
                   sizeof out->corners[i][k]);
    }
}

void texel_triangles_free(struct texel_triangles *triangles)
{
    arrfree(triangles->numbers);
    memory_free(triangles->corners);
    *triangles = (struct texel_triangles){0};
}

struct corner {
    struct vec3 position, normal;
};

/* Triangles run clockwise seen from outside. */
static struct vec3 face_normal(const struct corner corners[3])
{
    struct vec3 a = vec3_sub(corners[1].position, corners[0].position);
    struct vec3 b = vec3_sub(corners[2].position, corners[0].position);
    return vec3_cross(b, a);
}

/* Minimum cosine between the normals of corners and the triangle's for a smooth surface. */
#define ROUND_ENOUGH 0.5

static bool is_round(const struct corner corners[3], struct vec3 face)
{
    for (int k = 0; k < 3; k++)
        if (!(vec3_dot(corners[k].normal, face) >= ROUND_ENOUGH * vec3_length(face)))
            return false;
    return true;
}

/* Shadow terminator fix: a triangle of a smooth model lies below the surface that its normals
 * describe, and its own edge would cast a shadow at grazing light. (Hanika, "Hacking the shadow
 * terminator", Ray Tracing Gems II: the mean of the point's projections onto the planes of the
 * corners.) */
static struct vec3 rounded(const struct corner corners[3], const float share[3], struct vec3 point)
{
    struct vec3 sum = point;
    for (int k = 0; k < 3; k++) {
        double above = vec3_dot(vec3_sub(point, corners[k].position), corners[k].normal);
        if (above < 0)
            sum = vec3_mad(sum, corners[k].normal, -above * (double)share[k]);
    }
    return sum;
}

static double width_of(const float uv[3][2], const struct texel_image *image, double area)
{
    double s[2], t[2];
    for (int k = 0; k < 2; k++) {
        s[k] = (double)(uv[k + 1][0] - uv[0][0]) * image->width;
        t[k] = (double)(uv[k + 1][1] - uv[0][1]) * image->height;
    }
    double texels = fabs(s[0] * t[1] - s[1] * t[0]);
    return texels > 0 ? sqrt(area / texels) : 0;
}

bool texel_place_of(const struct texel_triangles *triangles, const struct transform *transform,
                    const struct texel_image *image, const struct texel *texel,
                    struct texel_place *out)
{
    const struct model *model = triangles->model;
    const struct model_triangle *triangle =
        &model->vtx.triangles[triangles->numbers[texel->triangle]];
    struct corner corners[3];
    struct vec3 normal = vec3(0, 0, 0), point = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        const struct model_vertex *vertex = &model->vvd.vertices[triangle->vertices[k]];
        corners[k].position = transform_point(transform, vec3_from_floats(vertex->p));
        corners[k].normal = transform_normal(transform, vec3_from_floats(vertex->normal));
        point = vec3_mad(point, corners[k].position, (double)texel->share[k]);
        normal = vec3_mad(normal, corners[k].normal, (double)texel->share[k]);
    }
    struct vec3 face = face_normal(corners);
    bool has_normals = vec3_is_finite(normal) && vec3_length(normal) > 1e-3;
    out->normal = vec3_normalize(has_normals ? normal : face);
    out->position = is_round(corners, face) ? rounded(corners, texel->share, point) : point;
    out->width = width_of(triangles->corners[texel->triangle], image, vec3_length(face));
    return vec3_is_finite(out->position) && vec3_is_finite(out->normal);
}
