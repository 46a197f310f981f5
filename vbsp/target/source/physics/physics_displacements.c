/* Displacements as flat hulls of the world, one under each triangle, without virtual meshes. */
#include "common/core/array.h"
#include "common/diag/codes/replacements.def"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/physics/physics_internal.h"

enum {
    CORNERS = 3,
    LAST_VERSION_WITHOUT_MESHES = 19,
    MESH_POWER_MAX = 3, /* a mesh numbers its vertices by bytes */
    NO_BRUSH = 0,       /* flat hulls are of no brush, and name this one */
};

bool physics_has_no_meshes(const struct compile *compile)
{
    int version = compile->options->file_version;
    struct displacement *const *displacements = source_state(compile)->displacements;
    for (size_t i = 0; i < arrlenu(displacements); i++)
        if (displacements[i]->map.power > MESH_POWER_MAX)
            return true;
    return compile->options->no_virtual_mesh || (version && version <= LAST_VERSION_WITHOUT_MESHES);
}

void physics_report_no_hull(const struct compile *compile, const struct displacement *displacement)
{
    struct diag_where where = brush_where(compile, displacement->brush, displacement->side);
    diag_report(compile->env->diag, DIAG_DISPLACEMENT_HULL, &where,
                "its vertices lie on a line, or are folded within their plane");
}

static void add_displacement(struct physics_part *part, const struct displacement *displacement)
{
    int cells = displacement->map.side - 1;
    bool is_solid = false;
    int material = physics_part_material(part, displacement->side->material);
    for (int i = 0; i < 2 * cells * cells; i++) {
        int numbers[CORNERS];
        struct vec3 corners[CORNERS];
        displacement_triangle(displacement->map.side, i, numbers);
        for (int k = 0; k < CORNERS; k++)
            corners[k] = displacement->points[numbers[k]];
        if (!hull_set_has_room(&part->set))
            physics_part_close(part);
        is_solid |= hull_set_add_triangle(&part->set, corners, material, NO_BRUSH);
    }
    if (!is_solid)
        physics_report_no_hull(part->compile, displacement);
}

void physics_add_displacements(struct physics_part *part)
{
    struct compile *compile = part->compile;
    if (!physics_has_no_meshes(compile))
        return;
    part->describe = physics_describe_surface;
    displacements_shape(compile);
    for (size_t i = 0; i < arrlenu(source_state(compile)->displacements); i++)
        add_displacement(part, source_state(compile)->displacements[i]);
    physics_part_close(part);
}
