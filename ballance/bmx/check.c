#include "ballance/bmx/check.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ballance/bmx/names.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bm_contents.def"
#include "common/geom/vec.h"

struct checker {
    const struct bmx *bmx;
    struct bmx_findings *findings;
    struct bmx_stats *stats;
    bool *used_meshes, *used_materials, *used_textures;
    double work; /* budget of points to transform for the bounds */
};

/* Checks meshes: numbers, indices, and faces that other programs would drop. */

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

static void bmx_check_mesh(struct checker *checker, const struct bmx_mesh *mesh, bool used)
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

/* Checks textures and their files. */

enum { FILE_NAME_MAX = 255 };

static void check_packed(struct checker *checker, const struct bmx_file *files, const char *file,
                         bool *used_files, const char *label)
{
    const struct bmx_file *found = bmx_find_file(files, file);
    checker->stats->internal_textures++;
    if (found)
        used_files[found - files] = true;
    else
        bmx_add_finding(checker->findings, DIAG_BMX_E_TEXTURE_MISSING, label, "%s%s", BMX_TEXTURES,
                        file);
    if (bmx_is_stock_texture(file))
        bmx_add_finding(checker->findings, DIAG_BMX_W_TEXTURE_SHADOW, label, "%s", file);
}

/* Returns true for the names of devices, with or without an extension. */
static bool is_device(const char *file)
{
    static const char *const names[] = {"con", "prn", "aux", "nul"};
    size_t length = strcspn(file, ".");
    if (length == 4 && (strncasecmp(file, "com", 3) == 0 || strncasecmp(file, "lpt", 3) == 0))
        return file[3] >= '1' && file[3] <= '9';
    for (size_t i = 0; i < sizeof names / sizeof *names && length == 3; i++)
        if (strncasecmp(file, names[i], 3) == 0)
            return true;
    return false;
}

static bool is_windows_name(const char *file)
{
    size_t size = strlen(file);
    for (const char *c = file; *c; c++)
        if ((unsigned char)*c < ' ')
            return false;
    return !strpbrk(file, "<>\"|?*") && !is_device(file) && !(size && strchr(". ", file[size - 1]));
}

static void check_file_name(struct checker *checker, const struct bmx_texture *texture,
                            const char *file, const char *label)
{
    struct bmx_findings *findings = checker->findings;
    bool is_path =
        !*file || strpbrk(file, "/\\:") || strcmp(file, ".") == 0 || strcmp(file, "..") == 0;
    if (is_path)
        bmx_add_finding(findings, DIAG_BMX_E_TEXTURE_PATH, label, "%s", file);
    else if (!is_windows_name(file))
        bmx_add_finding(findings, DIAG_BMX_W_TEXTURE_WINDOWS, label, "%s", file);
    if (strlen(file) > FILE_NAME_MAX)
        bmx_add_finding(findings, DIAG_BMX_W_TEXTURE_LENGTH, label, "%zu bytes", strlen(file));
    if (!bmx_text_is_ascii(&texture->file_name))
        bmx_add_finding(findings, DIAG_BMX_W_NAME_NONASCII, label, "file %s", file);
}

static void check_texture(struct checker *checker, size_t index, const struct bmx_file *files,
                          bool *used_files)
{
    const struct bmx_texture *texture = &checker->bmx->textures[index];
    struct bmx_findings *findings = checker->findings;
    struct arena arena = {0};
    char label[BMX_LABEL_SIZE];
    const char *file = bmx_text_utf8(&texture->file_name, &arena);
    bmx_label("texture", &texture->name, label);
    if (!checker->used_textures[index])
        bmx_add_bare_finding(findings, DIAG_BMX_W_UNUSED_TEXTURE, label);
    check_file_name(checker, texture, file, label);
    if (!texture->is_external)
        check_packed(checker, files, file, used_files, label);
    else if (!bmx_is_stock_texture(file))
        bmx_add_finding(findings, DIAG_BMX_W_TEXTURE_EXTERNAL, label, "%s", file);
    arena_free(&arena);
}

static int order_nocase(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    int order = strcasecmp(left, right);
    return order ? order : strcmp(left, right);
}

static void check_case(struct checker *checker, const struct bmx_file *files)
{
    const char **names = NULL;
    for (size_t i = 0; i < arrlenu(files); i++)
        arrput(names, files[i].name);
    if (names)
        qsort(names, arrlenu(names), sizeof *names, order_nocase);
    for (size_t i = 1; i < arrlenu(names); i++)
        if (strcasecmp(names[i - 1], names[i]) == 0)
            bmx_add_finding(checker->findings, DIAG_BMX_W_TEXTURE_CASE, names[i], "and %s",
                            names[i - 1]);
    arrfree(names);
}

static void bmx_check_textures(struct checker *checker)
{
    struct bmx_file *files = bmx_files(checker->bmx);
    bool *used = memory_zalloc(arrlenu(files), sizeof *used);
    for (size_t i = 0; i < arrlenu(checker->bmx->textures); i++)
        check_texture(checker, i, files, used);
    for (size_t i = 0; i < arrlenu(files); i++)
        if (!used[i])
            bmx_add_bare_finding(checker->findings, DIAG_BMX_W_TEXTURE_ORPHAN, files[i].name);
    check_case(checker, files);
    memory_free(used);
    arrfree(files);
}

/* Checks objects: groups, matrices, components, and the bounds of all. */

static void check_groups(struct checker *checker, const struct bmx_object *object,
                         const char *label)
{
    const struct bmx_text **groups = NULL;
    bool empty = false, twice = false;
    for (size_t i = 0; i < arrlenu(object->groups); i++) {
        arrput(groups, &object->groups[i]);
        empty |= !arrlenu(object->groups[i].points);
    }
    if (groups)
        qsort(groups, arrlenu(groups), sizeof *groups, bmx_text_order);
    for (size_t i = 1; i < arrlenu(groups); i++)
        twice |= bmx_text_compare(groups[i - 1], groups[i]) == 0;
    if (twice)
        bmx_add_bare_finding(checker->findings, DIAG_BMX_W_GROUP_DUP, label);
    if (empty)
        bmx_add_bare_finding(checker->findings, DIAG_BMX_W_GROUP_EMPTY, label);
    arrfree(groups);
}

static void check_matrix(struct checker *checker, const struct bmx_object *object,
                         const char *label)
{
    const float *m = object->matrix;
    if (!floats_are_finite(m, 16)) {
        bmx_add_bare_finding(checker->findings, DIAG_BMX_E_MATRIX_NAN, label);
        return;
    }
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1) {
        bmx_add_finding(checker->findings, DIAG_BMX_W_MATRIX_PROJ, label,
                        "fourth column %g %g %g %g", (double)m[3], (double)m[7], (double)m[11],
                        (double)m[15]);
        return;
    }
    double volume =
        vec3_dot(vec3_from_floats(m), vec3_cross(vec3_from_floats(m + 4), vec3_from_floats(m + 8)));
    if (volume == 0)
        bmx_add_bare_finding(checker->findings, DIAG_BMX_W_MATRIX_SINGULAR, label);
    else if (volume < 0)
        bmx_add_bare_finding(checker->findings, DIAG_BMX_I_MATRIX_MIRROR, label);
}

static void check_component(struct checker *checker, const struct bmx_object *object,
                            const char *label)
{
    struct arena arena = {0};
    if (object->mesh >= BMX_COMPONENTS)
        bmx_add_finding(checker->findings, DIAG_BMX_E_COMPONENT_ID, label, "%u", object->mesh);
    else if (bmx_component_of(bmx_text_utf8(&object->name, &arena)) != (int)object->mesh)
        bmx_add_finding(checker->findings, DIAG_BMX_W_COMPONENT_NAME, label, "type %s",
                        bmx_component(object->mesh));
    arena_free(&arena);
}

static void grow(struct bmx_stats *stats, const float *m, const struct vec3 *p)
{
    for (int k = 0; k < 3; k++) {
        double at = p->x * (double)m[k] + p->y * (double)m[4 + k] + p->z * (double)m[8 + k] +
                    (double)m[12 + k];
        if (at < stats->mins[k])
            stats->mins[k] = at;
        if (at > stats->maxs[k])
            stats->maxs[k] = at;
    }
}

/* Many objects with one large mesh would take very long: past a budget the rest is skipped, and the
 * bounds are reported as unknown. */
static void measure(struct checker *checker, const struct bmx_object *object)
{
    const struct bmx_mesh *mesh = &checker->bmx->meshes[object->mesh];
    size_t count = arrlenu(mesh->positions);
    checker->work -= (double)count;
    if (!floats_are_finite(object->matrix, 16) || checker->work < 0)
        return;
    for (size_t i = 0; i < count; i++) {
        struct vec3 p = vec3_from_floats(mesh->positions[i].xyz);
        grow(checker->stats, object->matrix, &p);
    }
}

static void check_mesh_use(struct checker *checker, const struct bmx_object *object,
                           const char *label)
{
    struct arena arena = {0};
    size_t meshes = arrlenu(checker->bmx->meshes);
    if (object->mesh >= meshes) {
        bmx_add_finding(checker->findings, DIAG_BMX_E_MESH_INDEX, label, "%u of %zu", object->mesh,
                        meshes);
        return;
    }
    checker->used_meshes[object->mesh] = true;
    int component = bmx_component_of(bmx_text_utf8(&object->name, &arena));
    if (component >= 0)
        bmx_add_finding(checker->findings, DIAG_BMX_W_NORMAL_COMPONENT_NAME, label, "%s",
                        bmx_component((unsigned)component));
    measure(checker, object);
    arena_free(&arena);
}

static void bmx_check_object(struct checker *checker, const struct bmx_object *object)
{
    char label[BMX_LABEL_SIZE];
    bmx_label("object", &object->name, label);
    checker->stats->hidden += object->is_hidden != 0;
    checker->stats->components += object->is_component != 0;
    check_groups(checker, object, label);
    check_matrix(checker, object, label);
    if (object->is_component)
        check_component(checker, object, label);
    else
        check_mesh_use(checker, object, label);
}

/* --- check --- */

#define BOUNDS_WORK 3e8 /* points: about a second */
#define POWER_MAX   100

static void check_material(struct checker *checker, size_t index)
{
    struct bmx_findings *findings = checker->findings;
    const struct bmx_material *material = &checker->bmx->materials[index];
    const float *const colours[] = {material->ambient, material->diffuse, material->specular,
                                    material->emissive};
    char label[BMX_LABEL_SIZE];
    bool finite = floats_are_finite(&material->power, 1), within = true;
    bmx_label("material", &material->name, label);
    for (int i = 0; i < 4; i++) {
        finite &= floats_are_finite(colours[i], 3);
        for (int k = 0; k < 3; k++)
            within &= colours[i][k] >= 0 && colours[i][k] <= 1;
    }
    if (!checker->used_materials[index])
        bmx_add_bare_finding(findings, DIAG_BMX_W_UNUSED_MATERIAL, label);
    if (!finite)
        bmx_add_bare_finding(findings, DIAG_BMX_E_NAN, label);
    else if (!within)
        bmx_add_bare_finding(findings, DIAG_BMX_W_COLOR_RANGE, label);
    if (!(material->power >= 0 && material->power <= POWER_MAX))
        bmx_add_finding(findings, DIAG_BMX_W_POWER_RANGE, label, "%g", (double)material->power);
    if (!material->use_texture)
        return;
    if (material->texture < arrlenu(checker->bmx->textures))
        checker->used_textures[material->texture] = true;
    else
        bmx_add_finding(findings, DIAG_BMX_E_MAP_KD, label, "%u of %zu", material->texture,
                        arrlenu(checker->bmx->textures));
}

static void finish(const struct checker *checker)
{
    struct bmx_stats *stats = checker->stats;
    if (stats->against_normals > stats->with_normals)
        bmx_add_finding(checker->findings, DIAG_BMX_W_WINDING, "", "%zu against, %zu along",
                        stats->against_normals, stats->with_normals);
    stats->has_bounds = checker->work >= 0;
    for (int k = 0; k < 3; k++)
        stats->has_bounds &= isfinite(stats->mins[k]) && isfinite(stats->maxs[k]);
    for (int k = 0; k < 3 && !stats->has_bounds; k++)
        stats->mins[k] = stats->maxs[k] = 0;
}

void bmx_check_model(const struct bmx *bmx, struct bmx_findings *findings, struct bmx_stats *stats)
{
    struct checker checker = {
        .bmx = bmx,
        .findings = findings,
        .stats = stats,
        .used_meshes = memory_zalloc(arrlenu(bmx->meshes), sizeof(bool)),
        .used_materials = memory_zalloc(arrlenu(bmx->materials), sizeof(bool)),
        .used_textures = memory_zalloc(arrlenu(bmx->textures), sizeof(bool)),
        .work = BOUNDS_WORK,
    };
    *stats = (struct bmx_stats){0};
    for (int k = 0; k < 3; k++) {
        stats->mins[k] = HUGE_VAL;
        stats->maxs[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        bmx_check_object(&checker, &bmx->objects[i]);
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        bmx_check_mesh(&checker, &bmx->meshes[i], checker.used_meshes[i]);
    for (size_t i = 0; i < arrlenu(bmx->materials); i++)
        check_material(&checker, i);
    bmx_check_textures(&checker);
    finish(&checker);
    memory_free(checker.used_meshes);
    memory_free(checker.used_materials);
    memory_free(checker.used_textures);
}

struct bmx *bmx_check(const void *data, size_t size, const struct bmx_limits *limits,
                      struct bmx_findings *findings, struct bmx_stats *stats)
{
    struct bmx *bmx = bmx_read(data, size, limits, findings);
    *stats = (struct bmx_stats){0};
    if (bmx)
        bmx_check_model(bmx, findings, stats);
    return bmx;
}
