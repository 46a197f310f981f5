/* Textures of the sides of pieces: those of the triangles that lie on them. */
#include "ballance/level/solid_pieces.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"

/* A triangle is on a side that it covers by this part of itself, or of the side. */
#define COVER 0.05

/* The least cosine between the normals of a triangle and of its side, and the distance. */
#define PARALLEL 0.99
#define REACH    (2 * MESH_TOLERANCE)

/* Edges that are tried for a cut. */
enum { EDGES_MAX = 96 };

/* A triangle on a side. */
struct cover {
    int triangle, mapping;
    double area;
    bool is_thin; /* too thin to cut for */
};

struct painter {
    const struct solid_surface *surface;
    struct arena *arena;
    double *work;         /* that is left */
    struct cover *covers; /* stb_ds array: of the side that is looked at */
    bool *shown;          /* of each triangle of the mesh: a side has its texture */
};

static const struct placed_triangle *triangle_at(const struct painter *painter, int number)
{
    return &painter->surface->mesh->triangles[number];
}

static bool is_on(const struct winding *winding, const struct plane *side,
                  const struct plane *plane)
{
    if (vec3_dot(side->normal, plane->normal) < PARALLEL)
        return false;
    for (int i = 0; i < winding->count; i++)
        if (fabs(plane_distance(plane, winding->points[i])) > REACH)
            return false;
    return true;
}

/* The area of the side that the triangle covers. */
static double overlap(struct painter *painter, const struct placed_triangle *triangle,
                      const struct winding *side)
{
    struct arena_mark mark = arena_mark(painter->arena);
    struct winding *winding = winding_copy(painter->arena, side);
    for (int i = 0; i < 3 && winding; i++) {
        struct vec3 from = placed_corner(painter->surface->mesh, triangle, i),
                    to = placed_corner(painter->surface->mesh, triangle, (i + 1) % 3);
        struct plane edge = {vec3_normalize(vec3_cross(vec3_sub(to, from), triangle->plane.normal)),
                             0};
        edge.dist = vec3_dot(edge.normal, from);
        /* corners are clockwise: the inside is on the right of an edge */
        edge = plane_flip(&edge);
        winding = winding_clip_behind(painter->arena, winding, &edge, 1e-6);
    }
    double area = winding ? winding_area(winding) : 0;
    arena_release(painter->arena, mark);
    return area;
}

static void find_covers(struct painter *painter, const struct cell_side *side)
{
    double area = winding_area(side->winding);
    const struct bounds bounds = winding_bounds(side->winding);
    arrsetlen(painter->covers, 0);
    for (size_t i = 0; i < arrlenu(painter->surface->planes); i++) {
        const struct surface_plane *plane = &painter->surface->planes[i];
        if (!is_on(side->winding, &side->drawn.plane, &plane->drawn.plane))
            continue;
        *painter->work -= (double)arrlen(plane->triangles);
        for (size_t k = 0; k < arrlenu(plane->triangles); k++) {
            int number = plane->triangles[k];
            const struct placed_triangle *t = triangle_at(painter, number);
            struct bounds own = bounds_empty();
            for (int c = 0; c < 3; c++)
                bounds_add_point(&own, placed_corner(painter->surface->mesh, t, c));
            if (!bounds_touch(&own, &bounds, REACH))
                continue;
            double covered = overlap(painter, t, side->winding);
            if (covered > COVER * portable_fmin(area, t->area))
                arrput(painter->covers,
                       ((struct cover){number, painter->surface->mapping_of[number], covered,
                                       is_thin_triangle(painter->surface->mesh, t)}));
        }
    }
}

/* Returns the mapping that covers most; -1 without any. */
static int widest_mapping(const struct painter *painter)
{
    int best = -1;
    double best_area = 0;
    for (size_t i = 0; i < arrlenu(painter->covers); i++) {
        double area = 0;
        for (size_t k = 0; k < arrlenu(painter->covers); k++)
            if (painter->covers[k].mapping == painter->covers[i].mapping)
                area += painter->covers[k].area;
        if (area > best_area) {
            best = painter->covers[i].mapping;
            best_area = area;
        }
    }
    return best;
}

static bool is_mixed(const struct painter *painter)
{
    int mapping = -1;
    for (size_t i = 0; i < arrlenu(painter->covers); i++) {
        const struct cover *cover = &painter->covers[i];
        if (cover->is_thin)
            continue;
        if (mapping >= 0 && cover->mapping != mapping)
            return true;
        mapping = cover->mapping;
    }
    return false;
}

/* --- cuts --- */

static enum winding_side side_of(const struct placed_mesh *mesh,
                                 const struct placed_triangle *triangle, const struct plane *plane)
{
    bool front = false, back = false;
    for (int i = 0; i < 3; i++) {
        double d = plane_distance(plane, placed_corner(mesh, triangle, i));
        front |= d > MESH_TOLERANCE;
        back |= d < -MESH_TOLERANCE;
    }
    if (front)
        return back ? WINDING_CROSS : WINDING_FRONT;
    return back ? WINDING_BACK : WINDING_ON;
}

/* The plane through an edge of a triangle, perpendicular to the side. */
static bool plane_of_edge(const struct placed_mesh *mesh, const struct placed_triangle *triangle,
                          int corner, struct vec3 normal, struct drawn_plane *out)
{
    out->points[0] = placed_corner(mesh, triangle, corner);
    out->points[1] = placed_corner(mesh, triangle, (corner + 1) % 3);
    out->points[2] = vec3_mad(out->points[1], normal, -64);
    return plane_from_points(out->points[0], out->points[1], out->points[2], &out->plane);
}

/* Returns how many triangles of the side the plane cuts; -1 when it has all on one side. */
static int cost_of_cut(const struct painter *painter, const struct winding *side,
                       const struct plane *plane)
{
    int counts[WINDING_CROSS + 1] = {0};
    if (winding_classify(side, plane, CELL_EPSILON) != WINDING_CROSS)
        return -1;
    for (size_t i = 0; i < arrlenu(painter->covers); i++)
        if (!painter->covers[i].is_thin)
            counts[side_of(painter->surface->mesh,
                           triangle_at(painter, painter->covers[i].triangle), plane)]++;
    return counts[WINDING_FRONT] && counts[WINDING_BACK] ? counts[WINDING_CROSS] : -1;
}

/* Finds the edge between the textures of a side that cuts the fewest triangles. */
static bool choose_cut(const struct painter *painter, const struct cell_side *side,
                       struct drawn_plane *out)
{
    const struct placed_mesh *mesh = painter->surface->mesh;
    size_t count = 3 * arrlenu(painter->covers), step = 1 + count / EDGES_MAX;
    int best = -1;
    for (size_t i = 0; i < count; i += step) {
        struct drawn_plane plane;
        const struct cover *cover = &painter->covers[i / 3];
        if (cover->is_thin || !plane_of_edge(mesh, triangle_at(painter, cover->triangle),
                                             (int)(i % 3), side->drawn.plane.normal, &plane))
            continue;
        int cost = cost_of_cut(painter, side->winding, &plane.plane);
        if (cost < 0 || (best >= 0 && cost >= best))
            continue;
        best = cost;
        *out = plane;
    }
    return best >= 0;
}

/* Finds a side with several textures, and a plane between them. */
static bool find_cut(struct painter *painter, const struct convex_cell *cell,
                     struct drawn_plane *out)
{
    for (size_t i = 0; i < arrlenu(cell->sides); i++) {
        find_covers(painter, &cell->sides[i]);
        if (is_mixed(painter) && choose_cut(painter, &cell->sides[i], out))
            return true;
    }
    return false;
}

static void finish(struct painter *painter, const struct convex_cell *cell, struct solid_piece *out)
{
    for (size_t i = 0; i < arrlenu(cell->sides); i++) {
        find_covers(painter, &cell->sides[i]);
        int mapping = widest_mapping(painter);
        for (size_t k = 0; k < arrlenu(painter->covers); k++)
            painter->shown[painter->covers[k].triangle] |= painter->covers[k].mapping == mapping;
        arrput(out->sides, ((struct piece_side){.drawn = cell->sides[i].drawn,
                                                .mapping = mapping,
                                                .is_mixed = is_mixed(painter)}));
    }
}

/* The thin triangles whose texture no side has. */
static size_t count_slivers(const struct painter *painter)
{
    const struct solid_surface *surface = painter->surface;
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(surface->triangles); i++) {
        const struct placed_triangle *t = triangle_at(painter, surface->triangles[i]);
        count += t->area > 0 && !painter->shown[surface->triangles[i]] &&
                 is_thin_triangle(surface->mesh, t);
    }
    return count;
}

bool pieces_texture(const struct solid_surface *surface, struct arena *arena,
                    const struct pieces_limits *limits, struct convex_cell **cells,
                    struct solid_piece **out, size_t *slivers)
{
    struct painter painter = {.surface = surface,
                              .arena = arena,
                              .work = limits->work,
                              .shown = ARENA_ARRAY(arena, bool, arrlenu(surface->mesh->triangles))};
    for (size_t i = 0; i < arrlenu(*cells) && *painter.work > 0; i++) {
        struct drawn_plane by;
        while (arrlenu(*cells) < limits->max_pieces && *painter.work > 0 &&
               find_cut(&painter, &(*cells)[i], &by)) {
            struct convex_cell halves[2];
            cell_cut(&(*cells)[i], &by, arena, &halves[0], &halves[1]);
            bool cuts = arrlen(halves[0].sides) && arrlen(halves[1].sides);
            if (!cuts) {
                cell_free(&halves[0]);
                cell_free(&halves[1]);
                break;
            }
            cell_free(&(*cells)[i]);
            (*cells)[i] = halves[1];
            arrput(*cells, halves[0]);
        }
        struct solid_piece piece = {0};
        finish(&painter, &(*cells)[i], &piece);
        arrput(*out, piece);
    }
    arrfree(painter.covers);
    *slivers = count_slivers(&painter);
    return arrlenu(*out) == arrlenu(*cells);
}
