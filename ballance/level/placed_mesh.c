#include "ballance/level/placed_mesh.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* --- the smoothing angle that gives the normals of a mesh --- */

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

/* Distances in map units. */
#define MESH_WELD 1e-3 /* vertices this close are one */

/* Rounding errors of coordinates, in units in the last place of their largest. */
#define SNAP_ULPS  4.0
#define SNAP_LEAST 1e-4

struct vec3 bmx_to_map(const float xyz[3])
{
    return vec3_scale(vec3((double)xyz[0], (double)xyz[2], (double)xyz[1]), BMX_MAP_SCALE);
}

struct vec3 bmx_place(const float matrix[16], const float xyz[3])
{
    double out[3];
    for (int k = 0; k < 3; k++) {
        out[k] = (double)matrix[12 + k];
        for (int i = 0; i < 3; i++)
            out[k] += (double)xyz[i] * (double)matrix[4 * i + k];
    }
    return vec3_scale(vec3(out[0], out[2], out[1]), BMX_MAP_SCALE);
}

bool bmx_is_mirrored(const float m[16])
{
    struct vec3 rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = vec3_from_floats(m + 4 * i);
    return vec3_dot(rows[0], vec3_cross(rows[1], rows[2])) < 0;
}

/* Normals turn as faces do: by the cofactors of the matrix. */
struct vec3 bmx_place_normal(const float m[16], const float xyz[3])
{
    struct vec3 n = vec3_from_floats(xyz), rows[3], turned = vec3(0, 0, 0);
    for (int i = 0; i < 3; i++)
        rows[i] = vec3_from_floats(m + 4 * i);
    for (int i = 0; i < 3; i++)
        turned = vec3_mad(turned, vec3_cross(rows[(i + 1) % 3], rows[(i + 2) % 3]), n.e[i]);
    n = vec3_normalize(bmx_is_mirrored(m) ? vec3_neg(turned) : turned);
    return vec3(n.x, n.z, n.y);
}

/* --- welding: vertices by the cell of a grid --- */

#define CELL (4 * MESH_WELD)

struct cell_key {
    int64_t at[3];
};

struct cell {
    struct cell_key key;
    int value; /* the newest vertex in it */
};

struct welder {
    struct cell *cells; /* stb_ds map */
    int *older;         /* stb_ds array: of each vertex, the next in its cell; -1: none */
    struct vec3 *vertices;
};

static int find_in_cell(struct welder *welder, const struct cell_key *key, struct vec3 p)
{
    ptrdiff_t found = hmgeti(welder->cells, *key);
    for (int i = found < 0 ? -1 : welder->cells[found].value; i >= 0; i = welder->older[i])
        if (vec3_distance(welder->vertices[i], p) <= MESH_WELD)
            return i;
    return -1;
}

/* Returns the first vertex within reach. */
static int find_vertex(struct welder *welder, struct vec3 p)
{
    struct cell_key low, high, at;
    for (int k = 0; k < 3; k++) {
        low.at[k] = (int64_t)floor((p.e[k] - MESH_WELD) / CELL);
        high.at[k] = (int64_t)floor((p.e[k] + MESH_WELD) / CELL);
    }
    int best = -1;
    for (at.at[0] = low.at[0]; at.at[0] <= high.at[0]; at.at[0]++)
        for (at.at[1] = low.at[1]; at.at[1] <= high.at[1]; at.at[1]++)
            for (at.at[2] = low.at[2]; at.at[2] <= high.at[2]; at.at[2]++) {
                int found = find_in_cell(welder, &at, p);
                best = found >= 0 && (best < 0 || found < best) ? found : best;
            }
    return best;
}

static int weld(struct welder *welder, struct vec3 p)
{
    int found = find_vertex(welder, p);
    if (found >= 0)
        return found;
    struct cell_key key;
    for (int k = 0; k < 3; k++)
        key.at[k] = (int64_t)floor(p.e[k] / CELL);
    int number = (int)arrlen(welder->vertices);
    ptrdiff_t cell = hmgeti(welder->cells, key);
    arrput(welder->older, cell < 0 ? -1 : welder->cells[cell].value);
    arrput(welder->vertices, p);
    hmput(welder->cells, key, number);
    return number;
}

/* --- whole numbers --- */

static double rounding_error(double largest)
{
    double error = SNAP_ULPS * largest * 0x1p-23;
    return error < SNAP_LEAST ? SNAP_LEAST : error > MESH_TOLERANCE ? MESH_TOLERANCE : error;
}

/* Returns how far the coordinate farthest off was moved. */
static double snap(struct vec3 *vertices)
{
    double largest = 0, farthest = 0, moved = 0;
    for (size_t i = 0; i < arrlenu(vertices); i++)
        for (int k = 0; k < 3; k++) {
            double at = vertices[i].e[k], off = fabs(at - rint(at));
            largest = fabs(at) > largest ? fabs(at) : largest;
            farthest = off > farthest ? off : farthest;
        }
    double reach = farthest <= MESH_TOLERANCE ? MESH_TOLERANCE : rounding_error(largest);
    for (size_t i = 0; i < arrlenu(vertices); i++)
        for (int k = 0; k < 3; k++) {
            double whole = rint(vertices[i].e[k]), off = fabs(vertices[i].e[k] - whole);
            if (off > reach)
                continue;
            vertices[i].e[k] = whole + 0.0; /* without the sign of zero */
            moved = off > moved ? off : moved;
        }
    return moved;
}

/* --- faces --- */

bool placed_in_reach(struct vec3 p)
{
    for (int k = 0; k < 3; k++)
        if (!(fabs(p.e[k]) <= MESH_REACH))
            return false;
    return true;
}

/* Welds the positions that faces use; returns false when one is out of reach. */
static bool weld_faces(const struct bmx_mesh *mesh, const float matrix[16], struct welder *welder,
                       int *numbers)
{
    for (size_t i = 0; i < arrlenu(mesh->faces); i++)
        for (int k = 0; k < 3; k++) {
            uint32_t position = mesh->faces[i].corners[k].position;
            if (numbers[position] >= 0)
                continue;
            struct vec3 p = bmx_place(matrix, mesh->positions[position].xyz);
            if (!placed_in_reach(p))
                return false;
            numbers[position] = weld(welder, p);
        }
    return true;
}

static void add_face(const struct bmx_mesh *mesh, uint32_t number, const float matrix[16],
                     const int *numbers, struct placed_mesh *out)
{
    bool mirrored = bmx_is_mirrored(matrix);
    const struct bmx_face *face = &mesh->faces[number];
    struct placed_triangle triangle = {.material = face->use_material ? (int)face->material : -1,
                                       .face = number};
    for (int k = 0; k < 3; k++) {
        const struct bmx_corner *corner = &face->corners[mirrored ? 2 - k : k];
        triangle.vertex[k] = numbers[corner->position];
        for (int i = 0; i < 2; i++)
            triangle.uv[k][i] = (double)mesh->uvs[corner->uv].uv[i];
        triangle.normals[k] = bmx_place_normal(matrix, mesh->normals[corner->normal].xyz);
    }
    const int *v = triangle.vertex;
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
        out->collapsed++;
        return;
    }
    const struct vec3 *p = out->vertices;
    if (plane_from_points(p[v[0]], p[v[1]], p[v[2]], &triangle.plane))
        triangle.area =
            vec3_length(vec3_cross(vec3_sub(p[v[0]], p[v[1]]), vec3_sub(p[v[2]], p[v[1]]))) / 2;
    arrput(out->triangles, triangle);
}

void placed_mesh_make(const struct bmx_mesh *mesh, const float matrix[16], struct placed_mesh *out)
{
    struct welder welder = {0};
    int *numbers = NULL;
    *out = (struct placed_mesh){0};
    arrsetlen(numbers, arrlenu(mesh->positions));
    for (size_t i = 0; i < arrlenu(numbers); i++)
        numbers[i] = -1;
    out->in_reach = weld_faces(mesh, matrix, &welder, numbers);
    out->vertices = welder.vertices;
    out->moved = snap(out->vertices);
    for (size_t i = 0; out->in_reach && i < arrlenu(mesh->faces); i++)
        add_face(mesh, (uint32_t)i, matrix, numbers, out);
    hmfree(welder.cells);
    arrfree(welder.older);
    arrfree(numbers);
}

void placed_mesh_free(struct placed_mesh *mesh)
{
    arrfree(mesh->vertices);
    arrfree(mesh->triangles);
}
