/* The smoothing angle that gives the normals of a mesh. */
#include "ballance/level/placed_mesh.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* Normals with this cosine between them are the same. */
#define SAME_NORMAL 0.9998

enum { ANGLE_MAX = 180 };

/* The triangles around each vertex: corner c of triangle t is the number 3 t + c. */
struct smoothing {
    const struct placed_mesh *mesh;
    int *first, *next; /* chains of corners; -1: the end */
    double *work;
};

static void chain_corners(struct smoothing *smoothing, struct arena *arena)
{
    const struct placed_mesh *mesh = smoothing->mesh;
    smoothing->first = ARENA_ARRAY(arena, int, arrlenu(mesh->vertices));
    smoothing->next = ARENA_ARRAY(arena, int, 3 * arrlenu(mesh->triangles));
    for (size_t i = 0; i < arrlenu(mesh->vertices); i++)
        smoothing->first[i] = -1;
    for (size_t i = 0; i < 3 * arrlenu(mesh->triangles); i++) {
        int *first = &smoothing->first[mesh->triangles[i / 3].vertex[i % 3]];
        smoothing->next[i] = *first;
        *first = (int)i;
    }
}

/* The angle of a triangle at a corner. */
static double corner_angle(const struct placed_mesh *mesh, int corner)
{
    const struct placed_triangle *t = &mesh->triangles[corner / 3];
    int k = corner % 3;
    struct vec3 p = placed_corner(mesh, t, k);
    struct vec3 a = vec3_sub(placed_corner(mesh, t, (k + 1) % 3), p),
                b = vec3_sub(placed_corner(mesh, t, (k + 2) % 3), p);
    return portable_atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
}

/* Returns true when the normal of the corner is the mean of those of the triangles there that meet
 * the corner's at less than the angle. */
static bool fits(struct smoothing *smoothing, size_t corner, double cosine)
{
    const struct placed_mesh *mesh = smoothing->mesh;
    const struct placed_triangle *own = &mesh->triangles[corner / 3];
    struct vec3 sum = vec3(0, 0, 0);
    if (!(own->area > 0))
        return true;
    for (int i = smoothing->first[own->vertex[corner % 3]]; i >= 0; i = smoothing->next[i]) {
        const struct placed_triangle *other = &mesh->triangles[i / 3];
        --*smoothing->work;
        if (other->area > 0 && vec3_dot(other->plane.normal, own->plane.normal) >= cosine)
            sum = vec3_mad(sum, other->plane.normal, corner_angle(mesh, i));
    }
    return vec3_dot(vec3_normalize(sum), own->normals[corner % 3]) >= SAME_NORMAL;
}

static bool is_flat(const struct placed_mesh *mesh)
{
    for (size_t i = 0; i < arrlenu(mesh->triangles); i++)
        for (int k = 0; k < 3 && mesh->triangles[i].area > 0; k++)
            if (vec3_dot(mesh->triangles[i].plane.normal, mesh->triangles[i].normals[k]) <
                SAME_NORMAL)
                return false;
    return true;
}

int placed_mesh_smoothing(const struct placed_mesh *mesh, double *work)
{
    struct arena arena = {0};
    struct smoothing smoothing = {.mesh = mesh, .work = work};
    int found = is_flat(mesh) ? 0 : -1;
    if (found < 0)
        chain_corners(&smoothing, &arena);
    for (int degrees = ANGLE_MAX; degrees > 0 && found < 0; degrees--) {
        double cosine = portable_cos(degrees * DEGREE) - 1e-9;
        size_t i = 0, count = 3 * arrlenu(mesh->triangles);
        while (i < count && *work > 0 && fits(&smoothing, i, cosine))
            i++;
        if (i == count)
            found = degrees;
    }
    arena_free(&arena);
    return found;
}
