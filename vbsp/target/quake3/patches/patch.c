#include "vbsp/target/quake3/patches/patch.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/quake3_patches.def"
#include "common/geom/patch_grid.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/target/quake3/surfaces/surface_options.h"

/* A patch whose points are all this close to a line, in units, is degenerate. */
#define PATCH_LINE 0.01

/* Patches this close share their LOD, in units. */
#define PATCH_TOUCH 1.0

/* Maximum steps per Bezier patch: the engine's grids are no denser. */
enum { MAX_STEPS = 32 };

enum { VALUES = 9 }; /* position, texture coordinates, colour */

enum { CAP_STEPS = 4 };

static bool has_extent(const struct map_patch *patch)
{
    return patch->columns >= 3 && patch->rows >= 3 && patch->columns % 2 == 1 &&
           patch->rows % 2 == 1 && patch->columns <= PATCH_MAX_POINTS &&
           patch->rows <= PATCH_MAX_POINTS;
}

/* Uses the farthest point from the first, and the farthest from the line through them. */
static bool is_collinear(const struct draw_vertex *points, int count)
{
    struct vec3 first = points[0].p, way = vec3(0, 0, 0);
    double far = 0, off = 0;
    for (int i = 1; i < count; i++) {
        struct vec3 to = vec3_sub(points[i].p, first);
        if (vec3_length(to) > far) {
            far = vec3_length(to);
            way = vec3_normalize(to);
        }
    }
    for (int i = 1; i < count; i++)
        off = portable_fmax(off, vec3_length(vec3_cross(way, vec3_sub(points[i].p, first))));
    return far <= PATCH_LINE || off <= PATCH_LINE;
}

struct lattice {
    struct draw_vertex *points;
    int columns, rows;
    struct vec3 whole; /* fallback normal */
    bool closed[2];    /* the last column equals the first; same for rows */
};

static struct vec3 lattice_point(const struct lattice *lattice, int column, int row)
{
    return lattice->points[row * lattice->columns + column].p;
}

static void find_seams(struct lattice *lattice)
{
    lattice->closed[0] = lattice->closed[1] = true;
    for (int row = 0; row < lattice->rows; row++)
        if (vec3_distance(lattice_point(lattice, 0, row),
                          lattice_point(lattice, lattice->columns - 1, row)) > PATCH_LINE)
            lattice->closed[0] = false;
    for (int column = 0; column < lattice->columns; column++)
        if (vec3_distance(lattice_point(lattice, column, 0),
                          lattice_point(lattice, column, lattice->rows - 1)) > PATCH_LINE)
            lattice->closed[1] = false;
}

/* One step along an axis; false at an open end. */
static bool step(int *at, int count, int by, bool closed)
{
    *at += by;
    if (*at >= 0 && *at < count)
        return true;
    /* Points of the seam are duplicated. */
    *at = *at < 0 ? count - 2 : 1;
    return closed;
}

/* Direction to the next different point along an axis; zero if there is none. */
static struct vec3 direction_along(const struct lattice *lattice, int column, int row, int axis,
                                   int by)
{
    int at[2] = {column, row};
    int count = axis == 0 ? lattice->columns : lattice->rows;
    struct vec3 from = lattice_point(lattice, column, row);
    for (int i = 0; i < count && step(&at[axis], count, by, lattice->closed[axis]); i++) {
        struct vec3 way = vec3_sub(lattice_point(lattice, at[0], at[1]), from);
        if (vec3_length(way) > PATCH_LINE)
            return vec3_normalize(way);
    }
    return vec3(0, 0, 0);
}

/* Sums the normals of the four quadrants around a point. */
static struct vec3 normal_at(const struct lattice *lattice, int column, int row)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        int x = i % 2 ? 1 : -1, y = i / 2 ? 1 : -1;
        struct vec3 u = direction_along(lattice, column, row, 0, x);
        struct vec3 v = direction_along(lattice, column, row, 1, y);
        struct vec3 across = vec3_cross(vec3_scale(u, x), vec3_scale(v, y));
        if (vec3_length(across) > 1e-6)
            sum = vec3_add(sum, vec3_normalize(across));
    }
    return vec3_normalize(sum);
}

/* If a whole row or column is one point (the tip of a cone), no quadrant has a normal there: the
 * mean of its neighbours' is used. */
static struct vec3 normal_of_tip(const struct lattice *lattice, int column, int row)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < lattice->columns * lattice->rows; i++) {
        int x = i % lattice->columns, y = i / lattice->columns;
        if (vec3_distance(lattice_point(lattice, x, y), lattice_point(lattice, column, row)) >
            PATCH_LINE)
            continue;
        for (int k = 0; k < 4; k++) {
            int nx = x + (k == 0) - (k == 1), ny = y + (k == 2) - (k == 3);
            if (nx >= 0 && ny >= 0 && nx < lattice->columns && ny < lattice->rows)
                sum = vec3_add(sum, normal_at(lattice, nx, ny));
        }
    }
    return vec3_normalize(sum);
}

static struct vec3 position_at(const struct patch_grid *grid, int column, int row)
{
    const double *at = patch_grid_at(grid, column, row);
    return vec3(at[0], at[1], at[2]);
}

/* Mean normal of the surface. */
static struct vec3 normal_of_grid(const struct patch_grid *grid)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int row = 0; row + 1 < grid->rows; row++)
        for (int column = 0; column + 1 < grid->columns; column++)
            sum = vec3_add(sum, vec3_cross(vec3_sub(position_at(grid, column + 1, row + 1),
                                                    position_at(grid, column, row)),
                                           vec3_sub(position_at(grid, column, row + 1),
                                                    position_at(grid, column + 1, row))));
    return vec3_length(sum) > 0 ? vec3_normalize(sum) : vec3(0, 0, 1);
}

static void set_normals(struct lattice *lattice)
{
    find_seams(lattice);
    for (int row = 0; row < lattice->rows; row++) {
        for (int column = 0; column < lattice->columns; column++) {
            struct vec3 normal = normal_at(lattice, column, row);
            if (!(vec3_length(normal) > 0))
                normal = normal_of_tip(lattice, column, row);
            lattice->points[row * lattice->columns + column].normal =
                vec3_length(normal) > 0 ? normal : lattice->whole;
        }
    }
}

static void set_points(const struct map_patch *patch, struct vec3 origin, struct draw_surface *out)
{
    const int size[2] = {out->shader->width, out->shader->height};
    for (int i = 0; i < patch->columns * patch->rows; i++) {
        struct draw_vertex vertex = {.p = vec3_sub(patch->points[i].p, origin),
                                     .colour = {255, 255, 255, 255}};
        for (int k = 0; k < 2; k++)
            vertex.texture[k] = patch->points[i].texture[k] /
                                (patch->mapped_in_texels && size[k] > 0 ? size[k] : 1);
        arrput(out->vertices, vertex);
    }
}

static struct patch_grid controls_of(const struct draw_surface *patch)
{
    struct patch_grid grid = {patch->patch_columns, patch->patch_rows, VALUES, NULL};
    size_t count = (size_t)grid.columns * (size_t)grid.rows;
    grid.points = memory_alloc(count * VALUES * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        const struct draw_vertex *vertex = &patch->vertices[i];
        double *to = grid.points + i * VALUES;
        for (int k = 0; k < 3; k++)
            to[k] = vertex->p.e[k];
        for (int k = 0; k < 2; k++)
            to[3 + k] = vertex->texture[k];
        for (int k = 0; k < 4; k++)
            to[5 + k] = vertex->colour[k];
    }
    return grid;
}

/* Caps have most control points at one position, so that only the curved surface itself has usable
 * normals. */
static void set_normals_of_controls(struct draw_surface *patch)
{
    struct patch_grid controls = controls_of(patch),
                      grid = patch_grid_even(&controls, CAP_STEPS, CAP_STEPS);
    struct lattice lattice = {.points = patch->vertices,
                              .columns = patch->patch_columns,
                              .rows = patch->patch_rows,
                              .whole = normal_of_grid(&grid)};
    set_normals(&lattice);
    patch_grid_free(&controls);
    patch_grid_free(&grid);
}

bool patch_surface(const struct map_patch *patch, const struct shader *shader, struct vec3 origin,
                   const struct diag_where *where, struct diag *diag, struct draw_surface *out)
{
    *out = (struct draw_surface){.type = SURFACE_PATCH,
                                 .shader = shader,
                                 .fog = -1,
                                 .lightmapped = shader_wants_lightmap(shader),
                                 .patch_columns = patch->columns,
                                 .patch_rows = patch->rows,
                                 .where = *where};
    if (!has_extent(patch)) {
        diag_report(diag, DIAG_PATCH_SIZE, where, "%d x %d control points; the patch is dropped",
                    patch->columns, patch->rows);
        return false;
    }
    set_points(patch, origin, out);
    if (is_collinear(out->vertices, patch->columns * patch->rows)) {
        struct diag_where at = *where;
        at.has_point = true;
        memcpy(at.point, patch->points[0].p.e, sizeof at.point);
        diag_report(diag, DIAG_PATCH_FLAT, &at,
                    "its %d control points are collinear; the patch is dropped",
                    patch->columns * patch->rows);
        draw_surface_free(out);
        return false;
    }
    set_normals_of_controls(out);
    out->lod = draw_surface_bounds(out);
    return true;
}

/* Extents of patches, sorted along x, so that only neighbours are compared. */
struct patch_extent {
    struct bounds bounds;
    size_t surface;
    size_t group; /* first of its group; an index of extents */
};

static int compare_extents(const void *a, const void *b)
{
    const struct patch_extent *one = a, *two = b;
    double gap = one->bounds.mins.x - two->bounds.mins.x;
    if (gap < 0 || gap > 0)
        return gap < 0 ? -1 : 1;
    return one->surface < two->surface ? -1 : one->surface > two->surface;
}

static size_t group_of(struct patch_extent *extents, size_t at)
{
    while (extents[at].group != at) {
        extents[at].group = extents[extents[at].group].group;
        at = extents[at].group;
    }
    return at;
}

/* True if a point of one is within a unit of a point of the other on each axis. (So it is in
 * shipped maps: of 8499 patches 8437 have the bounds of such groups.) */
static bool points_touch(const struct draw_surface *a, const struct draw_surface *b,
                         const struct bounds *of_b)
{
    for (size_t i = 0; i < arrlenu(a->vertices); i++) {
        struct bounds point = {a->vertices[i].p, a->vertices[i].p};
        if (!bounds_touch(&point, of_b, PATCH_TOUCH))
            continue;
        for (size_t j = 0; j < arrlenu(b->vertices); j++) {
            struct bounds other = {b->vertices[j].p, b->vertices[j].p};
            if (bounds_touch(&point, &other, PATCH_TOUCH))
                return true;
        }
    }
    return false;
}

static void join_groups(struct patch_extent *extents, size_t count,
                        const struct draw_surface *surfaces)
{
    for (size_t i = 0; i < count; i++) {
        double reach = extents[i].bounds.maxs.x + PATCH_TOUCH;
        for (size_t j = i + 1; j < count && extents[j].bounds.mins.x <= reach; j++) {
            size_t a = group_of(extents, i), b = group_of(extents, j);
            if (a != b && bounds_touch(&extents[i].bounds, &extents[j].bounds, PATCH_TOUCH) &&
                points_touch(&surfaces[extents[i].surface], &surfaces[extents[j].surface],
                             &extents[j].bounds))
                extents[a > b ? a : b].group = a > b ? b : a;
        }
    }
}

void patch_group_lod(struct draw_surface *surfaces, size_t count)
{
    struct patch_extent *extents = NULL;
    for (size_t i = 0; i < count; i++)
        if (surfaces[i].type == SURFACE_PATCH)
            arrput(extents, ((struct patch_extent){draw_surface_bounds(&surfaces[i]), i, 0}));
    size_t patches = arrlenu(extents);
    if (patches > 1)
        qsort(extents, patches, sizeof *extents, compare_extents);
    for (size_t i = 0; i < patches; i++)
        extents[i].group = i;
    join_groups(extents, patches, surfaces);
    for (size_t i = 0; i < patches; i++)
        bounds_add(&extents[group_of(extents, i)].bounds, &extents[i].bounds);
    for (size_t i = 0; i < patches; i++)
        surfaces[extents[i].surface].lod = extents[group_of(extents, i)].bounds;
    arrfree(extents);
}

static struct draw_vertex vertex_of(const double *values)
{
    struct draw_vertex vertex = {.p = vec3(values[0], values[1], values[2])};
    vertex.texture[0] = values[3];
    vertex.texture[1] = values[4];
    for (int k = 0; k < 4; k++)
        vertex.colour[k] = (uint8_t)lround(values[5 + k]);
    return vertex;
}

static void add_triangle(struct draw_surface *out, int a, int b, int c)
{
    const struct draw_vertex *v = out->vertices;
    struct vec3 across = vec3_cross(vec3_sub(v[b].p, v[a].p), vec3_sub(v[c].p, v[a].p));
    if (!(vec3_length(across) > 1e-9))
        return;
    arrput(out->indices, a);
    arrput(out->indices, b);
    arrput(out->indices, c);
}

/* The shorter diagonal bends less. */
static void add_square(struct draw_surface *out, int columns, int column, int row)
{
    int a = row * columns + column, b = a + 1, d = a + columns, c = d + 1;
    const struct draw_vertex *v = out->vertices;
    if (vec3_distance(v[a].p, v[c].p) <= vec3_distance(v[b].p, v[d].p)) {
        add_triangle(out, a, d, c);
        add_triangle(out, a, c, b);
    } else {
        add_triangle(out, a, d, b);
        add_triangle(out, d, c, b);
    }
}

void patch_to_mesh(const struct draw_surface *patch, double subdivisions, struct draw_surface *out)
{
    if (!(subdivisions > 0))
        subdivisions =
            patch->shader->subdivisions > 0 ? patch->shader->subdivisions : PATCH_SUBDIVISIONS;
    struct patch_grid controls = controls_of(patch);
    struct patch_grid grid = patch_grid_within(&controls, subdivisions, MAX_STEPS);
    patch_grid_free(&controls);
    *out = draw_surface_like(patch);
    out->type = SURFACE_MESH;
    out->patch_columns = out->patch_rows = 0;
    for (int i = 0; i < grid.columns * grid.rows; i++)
        arrput(out->vertices, vertex_of(grid.points + (size_t)i * VALUES));
    struct lattice lattice = {.points = out->vertices,
                              .columns = grid.columns,
                              .rows = grid.rows,
                              .whole = normal_of_grid(&grid)};
    set_normals(&lattice);
    for (int row = 0; row + 1 < grid.rows; row++)
        for (int column = 0; column + 1 < grid.columns; column++)
            add_square(out, grid.columns, column, row);
    patch_grid_free(&grid);
}

/* --- drawn as triangles, by options and keys --- */

/* Shader of the invisible patch that is kept for collision. */
#define SOLID_SHADER "textures/common/caulk"

#define MIN_SUBDIVISIONS 0.25
#define MIN_QUALITY      0.01

static double key_of(const struct entity *keys, const char *name, const char *other,
                     double otherwise)
{
    return entity_number(keys, entity_has(keys, name) ? name : other, otherwise);
}

bool patch_meta_wanted(const struct vbsp_options *options, const struct entity *keys,
                       const struct draw_surface *patch)
{
    const int undrawn = Q3_SURFACE_NODRAW | Q3_SURFACE_SKY | Q3_SURFACE_HINT | Q3_SURFACE_SKIP;
    if (patch->shader->surface_flags & undrawn)
        return false;
    return key_of(keys, "_patchMeta", "patchMeta", options->surfaces->patch_meta) != 0;
}

static double subdivisions_of(const struct vbsp_options *options, const struct entity *keys,
                              const struct shader *shader)
{
    double otherwise =
        options->surfaces->subdivisions > 0 ? options->surfaces->subdivisions : PATCH_SUBDIVISIONS;
    double units = key_of(keys, "_patchSubdivide", "patchSubdivide",
                          shader->subdivisions > 0 ? shader->subdivisions : otherwise);
    double quality = key_of(keys, "_patchQuality", "patchQuality", 1);
    return portable_fmax((units > 0 ? units : otherwise) / portable_fmax(quality, MIN_QUALITY),
                         MIN_SUBDIVISIONS);
}

void patch_meta_add(const struct vbsp_options *options, const struct entity *keys,
                    struct assets *assets, struct draw_surface *patch, struct draw_surface **out)
{
    struct draw_surface mesh;
    patch_to_mesh(patch, subdivisions_of(options, keys, patch->shader), &mesh);
    arrput(*out, mesh);
    if (!(patch->shader->contents & (Q3_CONTENTS_SOLID | Q3_CONTENTS_PLAYERCLIP))) {
        draw_surface_free(patch);
        return;
    }
    patch->shader = assets_shader(assets, SOLID_SHADER);
    patch->lightmapped = shader_wants_lightmap(patch->shader);
    arrput(*out, *patch);
}
