#include "vbsp/target/quake3/patches/decal.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/quake3_models.def"
#include "common/geom/plane.h"
#include "vbsp/target/quake3/patches/patch.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* Tolerance of the triangulation of curves, of decals and of receivers, in units. */
#define DECAL_SUBDIVISIONS 4.0

/* Parts with less area, in square units, are dropped. */
#define MIN_AREA 0.01

#define CLIP_NEAR 0.01

/* A triangle of a decal and the volume into which it is projected. */
struct sweep {
    struct draw_vertex corners[3];
    struct vec3 direction;
    struct plane planes[5]; /* outward planes of the volume: three sides, behind, beyond */
    struct vec3 across;     /* of the triangle, not unit */
    struct bounds bounds;
};

/* False for a triangle parallel to the direction. */
static bool sweep_of(const struct draw_surface *mesh, size_t first, struct vec3 direction,
                     struct vec3 origin, struct sweep *out)
{
    out->direction = direction;
    out->bounds = bounds_empty();
    for (size_t k = 0; k < 3; k++) {
        out->corners[k] = mesh->vertices[mesh->indices[first + k]];
        out->corners[k].p = vec3_sub(out->corners[k].p, origin);
        bounds_add_point(&out->bounds, out->corners[k].p);
        bounds_add_point(&out->bounds, vec3_add(out->corners[k].p, direction));
    }
    struct vec3 a = out->corners[0].p, b = out->corners[1].p, c = out->corners[2].p;
    out->across = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double along = vec3_dot(out->across, direction);
    if (fabs(along) < 1e-6 * vec3_length(out->across) * vec3_length(direction) ||
        !(vec3_length(out->across) > 0))
        return false;
    for (int k = 0; k < 3; k++) {
        struct vec3 from = out->corners[k].p, to = out->corners[(k + 1) % 3].p;
        struct vec3 side = vec3_normalize(vec3_cross(vec3_sub(to, from), direction));
        if (along < 0)
            side = vec3_neg(side);
        out->planes[k] = (struct plane){side, vec3_dot(side, from)};
    }
    struct vec3 ahead = vec3_normalize(along > 0 ? out->across : vec3_neg(out->across));
    out->planes[3] = (struct plane){vec3_neg(ahead), -vec3_dot(ahead, a)};
    out->planes[4] = (struct plane){ahead, vec3_dot(ahead, vec3_add(a, direction))};
    return true;
}

/* Texture coordinates of a point projected back onto the triangle. */
static void set_texture(const struct sweep *sweep, struct draw_vertex *vertex)
{
    const struct draw_vertex *c = sweep->corners;
    double square = vec3_dot(sweep->across, sweep->across);
    struct vec3 to = vec3_sub(vertex->p, c[0].p);
    double t = vec3_dot(to, sweep->across) / vec3_dot(sweep->direction, sweep->across);
    to = vec3_mad(to, sweep->direction, -t);
    struct vec3 u = vec3_sub(c[1].p, c[0].p), v = vec3_sub(c[2].p, c[0].p);
    double s1 = vec3_dot(vec3_cross(to, v), sweep->across) / square;
    double s2 = vec3_dot(vec3_cross(u, to), sweep->across) / square;
    for (int k = 0; k < 2; k++)
        vertex->texture[k] = c[0].texture[k] + s1 * (c[1].texture[k] - c[0].texture[k]) +
                             s2 * (c[2].texture[k] - c[0].texture[k]);
    for (int k = 0; k < 4; k++) {
        double colour = c[0].colour[k] + s1 * (c[1].colour[k] - c[0].colour[k]) +
                        s2 * (c[2].colour[k] - c[0].colour[k]);
        vertex->colour[k] = (uint8_t)lround(portable_fmin(portable_fmax(colour, 0), 255));
    }
}

struct projector {
    struct decal *decal;
    const struct sweep *sweep;
    struct draw_surface **out;
};

/* Projects onto a convex polygon that faces the decal. Consumes it. */
static void project_polygon(const struct projector *projector, const struct draw_surface *surface,
                            struct vec3 normal, struct draw_vertex *polygon)
{
    for (int i = 0; i < 5 && arrlenu(polygon) >= 3; i++) {
        struct draw_vertex *behind = NULL;
        draw_polygon_clip(polygon, &projector->sweep->planes[i], CLIP_NEAR, NULL, &behind);
        arrfree(polygon);
        polygon = behind;
    }
    struct draw_surface piece = draw_surface_like(surface);
    piece.type = SURFACE_PLANAR;
    piece.shader = projector->decal->patch.shader;
    piece.lightmapped = shader_wants_lightmap(piece.shader);
    piece.no_tjunctions = true;
    piece.planar = true;
    piece.patch_columns = piece.patch_rows = 0;
    piece.where = projector->decal->patch.where;
    piece.vertices = polygon;
    if (arrlenu(polygon) < 3 || draw_surface_area(&piece) < MIN_AREA) {
        draw_surface_free(&piece);
        return;
    }
    for (size_t i = 0; i < arrlenu(polygon); i++)
        set_texture(projector->sweep, &piece.vertices[i]);
    piece.normal = normal;
    piece.dist = vec3_dot(normal, polygon[0].p);
    projector->decal->pieces++;
    arrput(*projector->out, piece);
}

static void project_triangles(const struct projector *projector, const struct draw_surface *surface)
{
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        struct draw_vertex *polygon = NULL;
        for (size_t k = 0; k < 3; k++)
            arrput(polygon, surface->vertices[surface->indices[i + k]]);
        struct vec3 normal = vec3_normalize(
            vec3_cross(vec3_sub(polygon[2].p, polygon[0].p), vec3_sub(polygon[1].p, polygon[0].p)));
        if (vec3_dot(normal, projector->sweep->direction) < 0)
            project_polygon(projector, surface, normal, polygon);
        else
            arrfree(polygon);
    }
}

static void project_on(const struct projector *projector, const struct draw_surface *surface)
{
    if (surface->indices || !arrlenu(surface->vertices)) {
        project_triangles(projector, surface);
        return;
    }
    if (vec3_dot(surface->normal, projector->sweep->direction) >= 0)
        return;
    struct draw_vertex *polygon = NULL;
    for (size_t i = 0; i < arrlenu(surface->vertices); i++)
        arrput(polygon, surface->vertices[i]);
    project_polygon(projector, surface, surface->normal, polygon);
}

static bool takes_decals(const struct draw_surface *surface)
{
    return surface->type != SURFACE_FLARE &&
           !(surface->shader->surface_flags & (Q3_SURFACE_NODRAW | Q3_SURFACE_SKY));
}

static void project_triangle(struct projector *projector, const struct draw_surface *surfaces,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct draw_surface *surface = &surfaces[i];
        struct bounds bounds = draw_surface_bounds(surface);
        if (!takes_decals(surface) || !bounds_touch(&bounds, &projector->sweep->bounds, 0))
            continue;
        if (surface->type != SURFACE_PATCH) {
            project_on(projector, surface);
            continue;
        }
        struct draw_surface mesh;
        patch_to_mesh(surface, DECAL_SUBDIVISIONS, &mesh);
        project_on(projector, &mesh);
        draw_surface_free(&mesh);
    }
}

void decals_project(struct decal *decals, size_t decal_count, const struct draw_surface *surfaces,
                    size_t count, struct vec3 origin, struct draw_surface **out)
{
    for (size_t i = 0; i < decal_count; i++) {
        struct draw_surface mesh;
        patch_to_mesh(&decals[i].patch, DECAL_SUBDIVISIONS, &mesh);
        for (size_t k = 0; k + 2 < arrlenu(mesh.indices); k += 3) {
            struct sweep sweep;
            struct projector projector = {&decals[i], &sweep, out};
            if (sweep_of(&mesh, k, decals[i].direction, origin, &sweep))
                project_triangle(&projector, surfaces, count);
        }
        draw_surface_free(&mesh);
    }
}

void decals_report(const struct decal *decals, size_t count, struct diag *diag)
{
    for (size_t i = 0; i < count; i++) {
        struct diag_where where = decals[i].patch.where;
        if (decals[i].pieces)
            continue;
        where.has_point = true;
        memcpy(where.point, decals[i].patch.vertices[0].p.e, sizeof where.point);
        diag_report(diag, DIAG_DECAL_LOST, &where, "nothing within %.0f units",
                    vec3_length(decals[i].direction));
    }
}
