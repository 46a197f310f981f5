/* Checks meshes: numbers, indices, and faces that other programs would drop. */
#include <stdlib.h>
#include <string.h>

#include "ballance/bmx/check_internal.h"
#include "common/core/array.h"
#include "common/diag/codes/bm_contents.def"

enum { CORNERS_MAX = 65535, CORNER_FLOATS = 8 };

#define NORMAL_SLACK 1e-2 /* tolerated deviation of a normal from length 1 */

/* Counts of faults of the faces of a mesh. */
struct faults {
    size_t outside, no_material, degenerate, no_area;
    uint32_t first_material;
};

/* The positions of a face in ascending order, for finding duplicates. */
struct triple {
    uint32_t positions[3];
};

static void check_numbers(struct checker *checker, const struct bmx_mesh *mesh, const char *label)
{
    const struct {
        const char *name;
        const void *values;
        size_t count;
    } lists[] = {{"positions", mesh->positions, 3 * arrlenu(mesh->positions)},
                 {"texture coordinates", mesh->uvs, 2 * arrlenu(mesh->uvs)},
                 {"normals", mesh->normals, 3 * arrlenu(mesh->normals)}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!floats_are_finite(lists[i].values, lists[i].count))
            bmx_add_finding(checker->findings, DIAG_BMX_E_NAN, label, "%s", lists[i].name);
}

static void check_normals(struct checker *checker, const struct bmx_mesh *mesh, const char *label)
{
    size_t odd = 0;
    for (size_t i = 0; i < arrlenu(mesh->normals); i++) {
        const float *normal = mesh->normals[i].xyz;
        if (floats_are_finite(normal, 3))
            odd += fabs(vec3_length(vec3_from_floats(normal)) - 1) > NORMAL_SLACK;
    }
    if (odd)
        bmx_add_finding(checker->findings, DIAG_BMX_W_NORMAL_LEN, label, "%zu", odd);
}

static bool corners_are_there(const struct bmx_mesh *mesh, const struct bmx_face *face)
{
    for (int k = 0; k < 3; k++)
        if (face->corners[k].position >= arrlenu(mesh->positions) ||
            face->corners[k].uv >= arrlenu(mesh->uvs) ||
            face->corners[k].normal >= arrlenu(mesh->normals))
            return false;
    return true;
}

static void check_face_material(struct checker *checker, const struct bmx_face *face,
                                struct faults *faults)
{
    if (!face->use_material)
        return;
    if (face->material < arrlenu(checker->bmx->materials))
        checker->used_materials[face->material] = true;
    else if (!faults->no_material++)
        faults->first_material = face->material;
}

static void check_face_shape(struct checker *checker, const struct bmx_mesh *mesh,
                             const struct bmx_face *face, struct faults *faults)
{
    const struct bmx_corner *c = face->corners;
    struct vec3 a = vec3_from_floats(mesh->positions[c[0].position].xyz);
    struct vec3 b = vec3_from_floats(mesh->positions[c[1].position].xyz);
    struct vec3 d = vec3_from_floats(mesh->positions[c[2].position].xyz);
    struct vec3 sum = vec3_from_floats(mesh->normals[c[0].normal].xyz);
    sum = vec3_add(sum, vec3_from_floats(mesh->normals[c[1].normal].xyz));
    sum = vec3_add(sum, vec3_from_floats(mesh->normals[c[2].normal].xyz));
    struct vec3 turn = vec3_cross(vec3_sub(b, a), vec3_sub(d, a));
    double agreement = vec3_dot(turn, sum);
    checker->stats->with_normals += agreement > 0;
    checker->stats->against_normals += agreement < 0;
    bool distinct = c[0].position != c[1].position && c[1].position != c[2].position &&
                    c[2].position != c[0].position;
    faults->degenerate += !distinct;
    faults->no_area += distinct && vec3_dot(turn, turn) == 0;
}

static void swap_if(uint32_t *a, uint32_t *b)
{
    if (*a > *b) {
        uint32_t keep = *a;
        *a = *b;
        *b = keep;
    }
}

static int by_triple(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct triple));
}

/* Number of duplicate faces: over the same three positions as an earlier one. */
static size_t same_faces(const struct bmx_mesh *mesh)
{
    struct triple *triples = NULL;
    for (size_t i = 0; i < arrlenu(mesh->faces); i++) {
        if (!corners_are_there(mesh, &mesh->faces[i]))
            continue;
        const struct bmx_corner *c = mesh->faces[i].corners;
        uint32_t a = c[0].position, b = c[1].position, d = c[2].position;
        swap_if(&a, &b);
        swap_if(&b, &d);
        swap_if(&a, &b);
        if (a != b && b != d)
            arrput(triples, ((struct triple){{a, b, d}}));
    }
    size_t same = 0, count = arrlenu(triples);
    if (count)
        qsort(triples, count, sizeof *triples, by_triple);
    for (size_t i = 1; i < count; i++)
        same += by_triple(&triples[i - 1], &triples[i]) == 0;
    arrfree(triples);
    return same;
}

struct corner_values {
    float values[CORNER_FLOATS];
};

static int by_values(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct corner_values));
}

/* Number of different corners, compared by value; 0 equals -0. */
static size_t distinct_corners(const struct bmx_mesh *mesh)
{
    struct corner_values *corners = NULL;
    for (size_t i = 0; i < arrlenu(mesh->faces); i++) {
        const struct bmx_face *face = &mesh->faces[i];
        for (int k = 0; k < 3 && corners_are_there(mesh, face); k++) {
            struct corner_values corner;
            memcpy(corner.values, mesh->positions[face->corners[k].position].xyz, 12);
            memcpy(corner.values + 3, mesh->uvs[face->corners[k].uv].uv, 8);
            memcpy(corner.values + 5, mesh->normals[face->corners[k].normal].xyz, 12);
            for (int m = 0; m < CORNER_FLOATS; m++)
                corner.values[m] = corner.values[m] == 0 ? 0 : corner.values[m];
            arrput(corners, corner);
        }
    }
    size_t count = arrlenu(corners), distinct = count != 0;
    if (count)
        qsort(corners, count, sizeof *corners, by_values);
    for (size_t i = 1; i < count; i++)
        distinct += by_values(&corners[i - 1], &corners[i]) != 0;
    arrfree(corners);
    return distinct;
}

static void check_faces(struct checker *checker, const struct bmx_mesh *mesh, const char *label)
{
    struct bmx_findings *findings = checker->findings;
    struct faults faults = {0};
    for (size_t i = 0; i < arrlenu(mesh->faces); i++) {
        const struct bmx_face *face = &mesh->faces[i];
        if (!corners_are_there(mesh, face)) {
            faults.outside++;
            continue;
        }
        check_face_material(checker, face, &faults);
        check_face_shape(checker, mesh, face, &faults);
    }
    if (faults.no_material)
        bmx_add_finding(findings, DIAG_BMX_E_MATERIAL_INDEX, label, "%u of %zu (%zu face%s)",
                        faults.first_material, arrlenu(checker->bmx->materials), faults.no_material,
                        faults.no_material == 1 ? "" : "s");
    if (faults.outside)
        bmx_add_finding(findings, DIAG_BMX_E_FACE_INDEX, label, "%zu face%s", faults.outside,
                        faults.outside == 1 ? "" : "s");
    if (faults.degenerate)
        bmx_add_finding(findings, DIAG_BMX_W_DEGENERATE, label, "%zu", faults.degenerate);
    if (faults.no_area)
        bmx_add_finding(findings, DIAG_BMX_W_ZERO_AREA, label, "%zu", faults.no_area);
    size_t same = same_faces(mesh);
    if (same)
        bmx_add_finding(findings, DIAG_BMX_W_DUP_FACE, label, "%zu", same);
}

void bmx_check_mesh(struct checker *checker, const struct bmx_mesh *mesh, bool used)
{
    struct bmx_stats *stats = checker->stats;
    char label[BMX_LABEL_SIZE];
    bmx_label("mesh", &mesh->name, label);
    stats->positions += arrlenu(mesh->positions);
    stats->uvs += arrlenu(mesh->uvs);
    stats->normals += arrlenu(mesh->normals);
    stats->faces += arrlenu(mesh->faces);
    if (!used)
        bmx_add_bare_finding(checker->findings, DIAG_BMX_W_UNUSED_MESH, label);
    if (!arrlenu(mesh->faces))
        bmx_add_bare_finding(checker->findings, DIAG_BMX_W_MESH_EMPTY, label);
    check_numbers(checker, mesh, label);
    check_normals(checker, mesh, label);
    check_faces(checker, mesh, label);
    size_t corners = 3 * arrlenu(mesh->faces) > CORNERS_MAX ? distinct_corners(mesh) : 0;
    if (corners > CORNERS_MAX)
        bmx_add_finding(checker->findings, DIAG_BMX_W_MESH_64K, label, "%zu", corners);
}
