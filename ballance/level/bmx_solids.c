/* Brushes of the closed parts of meshes. */
#include "ballance/level/level_maker.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vbsp/level/map_texture.h"

static struct map_side make_side(struct level_maker *maker, const struct piece_side *from,
                                 const struct texture_mapping *mappings)
{
    struct map_side side = {0};
    memcpy(side.points, from->drawn.points, sizeof side.points);
    map_axes_default(from->drawn.plane.normal, &side);
    side.material = BMX_CAULK;
    if (from->mapping < 0)
        return side;
    const struct texture_mapping *mapping = &mappings[from->mapping];
    struct map_texture_axis *axes[2] = {&side.u, &side.v};
    bool is_flat = false;
    for (int k = 0; k < 2; k++)
        is_flat |= !(vec3_length(mapping->rows[k]) > 1e-9);
    side.material = maker_material(maker, mapping->material);
    for (int k = 0; k < 2 && !is_flat; k++)
        *axes[k] = (struct map_texture_axis){
            .axis = mapping->rows[k], .shift = mapping->shifts[k], .scale = 1};
    side.mapped_in_images = !is_flat;
    return side;
}

void maker_add_solid(struct level_maker *maker, const struct piece_side *sides,
                     const struct texture_mapping *mappings, struct map_entity *entity)
{
    struct map_solid solid = {.id = (int)arrlen(entity->solids),
                              .entity = (int)arrlen(maker->level->entities)};
    for (size_t i = 0; i < arrlenu(sides); i++) {
        struct map_side side = make_side(maker, &sides[i], mappings);
        side.id = (int)i;
        arrput(solid.sides, side);
    }
    arrput(entity->solids, solid);
}

/* Counts the sides whose texture is not as the mesh has it. */
static void judge_sides(struct level_maker *maker, const char *object,
                        const struct solid_piece *piece, const struct texture_mapping *mappings)
{
    for (size_t i = 0; i < arrlenu(piece->sides); i++) {
        const struct piece_side *side = &piece->sides[i];
        if (side->mapping < 0)
            continue;
        double error = side->is_mixed ? 1 : mappings[side->mapping].error;
        if (error <= MAPPING_TOLERANCE)
            continue;
        maker->worst_mapping = portable_fmax(maker->worst_mapping, error);
        maker_lose(maker, LOSS_MAPPING, "%s", object);
    }
}

static void append(int **to, const int *from)
{
    for (size_t i = 0; i < arrlenu(from); i++)
        arrput(*to, from[i]);
}

/* Returns the number of brushes, 0 when the solid cannot be cut. */
static size_t add_shell(struct level_maker *maker, const char *object,
                        const struct placed_mesh *mesh, const struct mesh_shell *shell,
                        struct map_entity *entity)
{
    struct solid_surface surface;
    struct solid_piece *pieces = NULL;
    enum pieces_status status = PIECES_MANY;
    const struct pieces_limits limits = {maker->max_pieces, &maker->work};
    if (solid_surface_make(mesh, shell->triangles, &surface)) {
        size_t slivers;
        status = solid_pieces(&surface, shell, &limits, &pieces, &slivers);
        for (size_t i = 0; i < slivers && status == PIECES_OK; i++)
            maker_lose(maker, LOSS_FACES, "%s", object);
        for (size_t i = 0; i < arrlenu(pieces) && status == PIECES_OK; i++) {
            judge_sides(maker, object, &pieces[i], surface.mappings);
            maker_add_solid(maker, pieces[i].sides, surface.mappings, entity);
        }
        solid_surface_free(&surface);
    }
    if (status != PIECES_OK)
        maker_lose(maker, status == PIECES_MANY ? LOSS_BUDGET : LOSS_UNLIKE, "%s", object);
    size_t count = status == PIECES_OK ? arrlenu(pieces) : 0;
    solid_pieces_free(pieces);
    return count;
}

void maker_add_solids(struct level_maker *maker, const char *object, const struct placed_mesh *mesh,
                      struct map_entity *entity, int **open)
{
    struct mesh_shells shells;
    bool was_cut = false;
    mesh_shells_find(mesh, &maker->work, &shells);
    *open = NULL;
    for (size_t i = 0; i < arrlenu(shells.solids); i++) {
        size_t count = add_shell(maker, object, mesh, &shells.solids[i], entity);
        was_cut |= count > 1;
        if (!count)
            append(open, shells.solids[i].triangles);
    }
    append(open, shells.open);
    if (was_cut)
        maker_lose(maker, LOSS_PIECES, "%s", object);
    if (shells.inside_out)
        maker_lose(maker, LOSS_INSIDE_OUT, "%s", object);
    for (size_t i = 0; i < shells.dropped + mesh->collapsed; i++)
        maker_lose(maker, LOSS_FACES, "%s", object);
    mesh_shells_free(&shells);
}
