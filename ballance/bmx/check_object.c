/* Checks objects: groups, matrices, components, and the bounds of all. */
#include <stdlib.h>
#include <string.h>

#include "ballance/bmx/check_internal.h"
#include "ballance/bmx/names.h"
#include "common/core/array.h"
#include "common/diag/codes/bm_contents.def"

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

void bmx_check_object(struct checker *checker, const struct bmx_object *object)
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
