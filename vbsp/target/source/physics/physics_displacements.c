/* Displacements as hulls of the world, without virtual meshes: a flat pyramid under each triangle.
 * Valve's output for this is unknown; these are hulls like those of brushes. */
#include "common/core/array.h"
#include "common/geom/winding.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/physics/physics_internal.h"

enum { CORNERS = 3, FACES = 4, LAST_VERSION_WITHOUT_MESHES = 19 };

/* Units: thick enough for a solid, thin enough not to stick out of a ridge. */
#define DEPTH 1.0

bool physics_has_no_meshes(const struct compile *compile)
{
    int version = compile->options->file_version;
    return compile->options->no_virtual_mesh || (version && version <= LAST_VERSION_WITHOUT_MESHES);
}

/* Hulls refer to a brush for their contents. The brush of a displacement is not in the file;
 * another one with its contents is used. */
static int brush_like(const struct compile *compile, const struct displacement *displacement)
{
    int contents = displacement->brush->contents & ~CONTENTS_DETAIL;
    const int *world = compile->entities[0].brushes;
    for (size_t i = 0; i < arrlenu(world); i++)
        if (compile->brushes[world[i]]->contents == contents)
            return world[i];
    return 0;
}

static void add_pyramid(struct physics_part *part, const struct vec3 corners[CORNERS], int material,
                        int brush)
{
    static const int order[FACES][CORNERS] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    struct vec3 middle =
        vec3_scale(vec3_add(vec3_add(corners[0], corners[1]), corners[2]), 1.0 / 3);
    struct vec3 up = vec3_normalize(
        vec3_cross(vec3_sub(corners[2], corners[0]), vec3_sub(corners[1], corners[0])));
    const struct vec3 points[FACES] = {corners[0], corners[1], corners[2],
                                       vec3_mad(middle, up, -DEPTH)};
    struct arena arena = {0};
    struct hull_face faces[FACES];
    for (int i = 0; i < FACES; i++) {
        struct vec3 own[CORNERS];
        for (int k = 0; k < CORNERS; k++)
            own[k] = points[order[i][k]];
        faces[i] = (struct hull_face){winding_new(&arena, CORNERS, own), material};
    }
    if (!hull_set_has_room(&part->set))
        physics_part_close(part);
    /* A degenerate triangle has no hull, and nothing collides with it. */
    (void)hull_set_add(&part->set, faces, FACES, brush);
    arena_free(&arena);
}

static void add_displacement(struct physics_part *part, const struct displacement *displacement)
{
    int cells = displacement->map.side - 1, brush = brush_like(part->compile, displacement);
    int material = physics_part_material(part, displacement->side->material);
    for (int i = 0; i < 2 * cells * cells; i++) {
        int numbers[CORNERS];
        struct vec3 corners[CORNERS];
        displacement_triangle(displacement->map.side, i, numbers);
        for (int k = 0; k < CORNERS; k++)
            corners[k] = displacement->points[numbers[k]];
        add_pyramid(part, corners, material, brush);
    }
}

void physics_add_displacements(struct physics_part *part)
{
    struct compile *compile = part->compile;
    if (!physics_has_no_meshes(compile))
        return;
    displacements_shape(compile);
    for (size_t i = 0; i < arrlenu(source_state(compile)->displacements); i++)
        add_displacement(part, source_state(compile)->displacements[i]);
    physics_part_close(part);
}
