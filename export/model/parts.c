#include "export/model/parts.h"

#include <math.h>

#include "common/core/array.h"
#include "common/geom/vec.h"

static int part_of(struct export_parts *builder, int material)
{
    ptrdiff_t at = hmgeti(builder->by_material, material);
    if (at >= 0)
        return builder->by_material[at].value;
    int number = (int)arrlen(builder->parts);
    hmput(builder->by_material, material, number);
    arrput(builder->parts, ((struct export_part){.material = material}));
    return number;
}

static void clean(float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = isfinite(numbers[i]) ? numbers[i] + 0.0f : 0; /* -0 is 0 */
}

static void make_unit(float normal[3])
{
    struct vec3 unit = vec3_normalize(vec3_from_floats(normal));
    if (!vec3_is_finite(unit) || vec3_length(unit) < 0.5)
        unit = vec3(0, 1, 0);
    vec3_to_floats(unit, normal);
}

static uint32_t vertex_of(struct export_parts *builder, int part, const struct export_vertex *from)
{
    struct corner_row row;
    memset(&row, 0, sizeof row); /* keys are compared with their padding */
    row.key.part = part;
    row.key.vertex = *from;
    struct export_vertex *vertex = &row.key.vertex;
    clean(vertex->normal, 3);
    make_unit(vertex->normal);
    clean((float *)vertex, sizeof *vertex / sizeof(float));
    ptrdiff_t at = hmgeti(builder->corners, row.key);
    if (at >= 0)
        return builder->corners[at].value;
    row.value = (uint32_t)arrlen(builder->parts[part].vertices);
    arrput(builder->parts[part].vertices, *vertex);
    hmputs(builder->corners, row);
    return row.value;
}

void export_parts_add(struct export_parts *builder, int material,
                      const struct export_vertex corners[3])
{
    int part = part_of(builder, material);
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = vertex_of(builder, part, &corners[i]);
        arrput(builder->parts[part].indices, vertex);
    }
}

int export_parts_finish(struct export_parts *builder, const char *name, struct export_model *scene)
{
    int number = -1;
    if (arrlen(builder->parts) > 0) {
        number = (int)arrlen(scene->meshes);
        arrput(scene->meshes, ((struct export_mesh){name, builder->parts}));
    }
    hmfree(builder->by_material);
    hmfree(builder->corners);
    *builder = (struct export_parts){0};
    return number;
}
