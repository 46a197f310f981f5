#include <stdlib.h>

#include "ballance/compile/maker.h"
#include "common/diag/codes/map_to_ballance.def"

/* Indices of the game have 16 bits. */
enum { MAX_CORNERS = 65535 };

/* Positions this close are the same where normals are averaged: floats of one vertex. */
struct place_key {
    float xyz[3];
};

struct place_entry {
    struct place_key key;
    int value; /* the first corner in a chain */
};

/* A corner of a triangle, for those at the same place. */
struct place_corner {
    size_t triangle;
    int corner, next;
};

static float to_float(double value)
{
    return (float)value + 0.0f; /* -0 becomes 0 */
}

static struct place_key place_of(const struct ballance_maker *maker, struct vec3 p)
{
    return (struct place_key){
        {to_float(p.x / maker->scale), to_float(p.z / maker->scale), to_float(p.y / maker->scale)}};
}

/* --- normals --- */

/* The angle of a triangle at a corner. */
static double corner_angle(const struct soup_triangle *triangle, int k)
{
    struct vec3 p = triangle->corners[k].p;
    struct vec3 a = vec3_sub(triangle->corners[(k + 1) % 3].p, p),
                b = vec3_sub(triangle->corners[(k + 2) % 3].p, p);
    return portable_atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
}

static struct vec3 smooth_normal(const struct soup_triangle *soup,
                                 const struct place_corner *corners, int first,
                                 const struct soup_triangle *own, double cosine)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = first; i >= 0; i = corners[i].next) {
        const struct soup_triangle *other = &soup[corners[i].triangle];
        if (vec3_dot(other->normal, own->normal) >= cosine)
            sum = vec3_mad(sum, other->normal, corner_angle(other, corners[i].corner));
    }
    return vec3_length(sum) > 0 ? vec3_normalize(sum) : own->normal;
}

static void smooth_soup(const struct ballance_maker *maker, struct soup_triangle *soup,
                        double degrees)
{
    struct place_entry *places = NULL;
    struct place_corner *corners = NULL;
    double cosine = portable_cos((degrees < 180 ? degrees : 180) * DEGREE) - 1e-9;
    for (size_t i = 0; i < arrlenu(soup); i++)
        for (int k = 0; k < 3; k++) {
            struct place_key key = place_of(maker, soup[i].corners[k].p);
            ptrdiff_t at = hmgeti(places, key);
            struct place_corner corner = {i, k, at >= 0 ? places[at].value : -1};
            hmput(places, key, (int)arrlen(corners));
            arrput(corners, corner);
        }
    for (size_t i = 0; i < arrlenu(soup); i++)
        for (int k = 0; k < 3; k++) {
            struct place_key key = place_of(maker, soup[i].corners[k].p);
            soup[i].corners[k].normal =
                smooth_normal(soup, corners, hmget(places, key), &soup[i], cosine);
        }
    hmfree(places);
    arrfree(corners);
}

/* --- lists without duplicates --- */

/* A position of a mesh belongs to one normal: programs average normals over a position. */
struct vertex_key {
    float position[3], normal[3];
};

struct vertex_entry {
    struct vertex_key key;
    uint32_t value;
};

struct normal_entry {
    struct place_key key;
    uint32_t value;
};

struct uv_entry {
    struct bmx_uv key;
    uint32_t value;
};

struct corner_entry {
    struct bmx_corner key;
    int value;
};

struct mesh_maker {
    const struct ballance_maker *maker;
    struct bmx_mesh mesh;
    struct vertex_entry *vertices;
    struct normal_entry *normals;
    struct uv_entry *uvs;
    struct corner_entry *corners;
};

static uint32_t add_normal(struct mesh_maker *out, const float normal[3])
{
    struct place_key key = {{normal[0], normal[1], normal[2]}};
    ptrdiff_t at = hmgeti(out->normals, key);
    if (at >= 0)
        return out->normals[at].value;
    uint32_t number = (uint32_t)arrlenu(out->mesh.normals);
    arrput(out->mesh.normals, ((struct bmx_point){{normal[0], normal[1], normal[2]}}));
    hmput(out->normals, key, number);
    return number;
}

static uint32_t add_position(struct mesh_maker *out, const struct vertex_key *key)
{
    ptrdiff_t at = hmgeti(out->vertices, *key);
    if (at >= 0)
        return out->vertices[at].value;
    uint32_t number = (uint32_t)arrlenu(out->mesh.positions);
    arrput(out->mesh.positions,
           ((struct bmx_point){{key->position[0], key->position[1], key->position[2]}}));
    hmput(out->vertices, *key, number);
    return number;
}

static uint32_t add_uv(struct mesh_maker *out, const double uv[2])
{
    struct bmx_uv key = {{to_float(uv[0]), to_float(uv[1])}};
    ptrdiff_t at = hmgeti(out->uvs, key);
    if (at >= 0)
        return out->uvs[at].value;
    uint32_t number = (uint32_t)arrlenu(out->mesh.uvs);
    arrput(out->mesh.uvs, key);
    hmput(out->uvs, key, number);
    return number;
}

static struct bmx_corner add_corner(struct mesh_maker *out, const struct soup_triangle *triangle,
                                    int k)
{
    const struct soup_corner *corner = &triangle->corners[k];
    struct vec3 n = vec3_length(corner->normal) > 0 ? corner->normal : triangle->normal;
    struct place_key place = place_of(out->maker, corner->p);
    struct vertex_key key = {{place.xyz[0], place.xyz[1], place.xyz[2]},
                             {to_float(n.x), to_float(n.z), to_float(n.y)}};
    struct bmx_corner made = {add_position(out, &key), add_uv(out, corner->uv),
                              add_normal(out, key.normal)};
    hmput(out->corners, made, 1);
    return made;
}

static void add_triangle(struct mesh_maker *out, const struct soup_triangle *triangle)
{
    struct bmx_face face = {.use_material = triangle->material >= 0,
                            .material = triangle->material >= 0 ? (uint32_t)triangle->material : 0};
    for (int k = 0; k < 3; k++)
        face.corners[k] = add_corner(out, triangle, k);
    arrput(out->mesh.faces, face);
}

static void end_mesh(struct mesh_maker *out)
{
    hmfree(out->vertices);
    hmfree(out->normals);
    hmfree(out->uvs);
    hmfree(out->corners);
}

/* Adds triangles from *next on, as many as a mesh may have. */
static uint32_t add_mesh(struct ballance_maker *maker, const char *name,
                         const struct soup_triangle *soup, size_t *next)
{
    struct mesh_maker out = {.maker = maker};
    out.mesh.name = bmx_text_make(ballance_name(maker, BMX_MESH, name, false, NULL));
    for (; *next < arrlenu(soup) && hmlenu(out.corners) + 3 <= MAX_CORNERS; ++*next)
        add_triangle(&out, &soup[*next]);
    end_mesh(&out);
    arrput(maker->bmx->meshes, out.mesh);
    return (uint32_t)arrlenu(maker->bmx->meshes) - 1;
}

void ballance_add_meshes(struct ballance_maker *maker, const char *name, struct soup_triangle *soup,
                         double smooth, const struct diag_where *where, uint32_t **meshes)
{
    size_t next = 0, count = 0;
    if (smooth > 0)
        smooth_soup(maker, soup, smooth);
    do {
        arrput(*meshes, add_mesh(maker, name, soup, &next));
        count++;
    } while (next < arrlenu(soup));
    if (count > 1)
        diag_report(maker->env->diag, DIAG_BMX_FROM_SPLIT, where, "%s: %zu meshes", name, count);
}
