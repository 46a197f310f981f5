#include "vbsp/target/source/materials/cubemap.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/target/source/materials/material_patch.h"

struct listed_cell {
    int key;   /* id of a side */
    int value; /* the first cubemap that names it */
};

struct assigner {
    struct compile *compile;
    struct listed_cell *listed; /* stb_ds map */
    struct parallax_box *boxes; /* stb_ds array: of each cubemap */
};

/* Cubemaps are numbered in the order of their entities. */
static struct listed_cell *read_listed(const struct compile *compile)
{
    struct listed_cell *listed = NULL;
    int cubemap = 0;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (!map_entity || class_use_of(&map_entity->keys) != USE_CUBEMAP)
            continue;
        int *sides = side_list_read(entity_value(&map_entity->keys, "sides"));
        for (size_t j = 0; j < arrlenu(sides); j++)
            if (hmgeti(listed, sides[j]) < 0)
                hmput(listed, sides[j], cubemap);
        arrfree(sides);
        cubemap++;
    }
    return listed;
}

/* Brushes of models are offset by their entity's origin; distances are measured to where the side
 * is drawn. */
static int nearest(const struct compile *compile, const struct map_brush *brush,
                   const struct brush_side *side)
{
    const struct compile_entity *entity = &compile->entities[brush->entity];
    bool moves = brush->entity > 0 && class_is_model(class_use_of(&entity->map_entity->keys));
    struct vec3 move = moves ? entity->origin : vec3(0, 0, 0);
    struct vec3 middle =
        side->winding ? winding_center(side->winding) : bounds_center(&brush->bounds);
    const struct plane *plane = &compile->planes.planes[side->plane];
    int best = 0;
    bool best_front = false;
    double best_distance = HUGE_VAL;
    for (int i = 0; i < (int)arrlen(compile->bsp->cubemaps); i++) {
        const int32_t *origin = compile->bsp->cubemaps[i].origin;
        struct vec3 point = vec3_sub(vec3(origin[0], origin[1], origin[2]), move);
        bool front = plane_distance(plane, point) >= 0;
        double distance = vec3_distance(point, middle);
        if (front < best_front || (front == best_front && distance >= best_distance))
            continue;
        best = i;
        best_front = front;
        best_distance = distance;
    }
    return best;
}

static const struct material *choose(struct assigner *assigner, const struct map_brush *brush,
                                     const struct brush_side *side)
{
    struct compile *compile = assigner->compile;
    const struct material *material = side->material;
    if (!side->displacement)
        material = material_patch_flat(compile, material);
    if (!arrlen(compile->bsp->cubemaps) || !material_patch_reflects(compile, material))
        return material;
    ptrdiff_t at = hmgeti(assigner->listed, side->map_side->id);
    int cubemap = at >= 0 ? assigner->listed[at].value : nearest(compile, brush, side);
    struct cubemap_place place = {.box = assigner->boxes[cubemap]};
    memcpy(place.origin, compile->bsp->cubemaps[cubemap].origin, sizeof place.origin);
    return material_patch_cubemap(compile, material, &place);
}

static void set_material(struct compile *compile, struct brush_side *side,
                         const struct material *material)
{
    int texinfo = texinfo_renamed(&compile->texinfos, side->record_texinfo, material);
    if (side->texinfo != TEXINFO_NODE)
        side->texinfo = texinfo;
    side->record_texinfo = texinfo;
    side->material = material;
}

/* Bevels share the texinfo of a side, and change with it. */
static void update_texinfo(struct map_brush *brush, int texinfo, const struct brush_side *with)
{
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        if (side->map_side || side->record_texinfo != texinfo)
            continue;
        if (side->texinfo == side->record_texinfo)
            side->texinfo = with->record_texinfo;
        side->record_texinfo = with->record_texinfo;
        side->material = with->material;
    }
}

static void assign_brush(struct assigner *assigner, struct map_brush *brush)
{
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        if (!side->map_side || !side->material || side->record_texinfo < 0)
            continue;
        const struct material *material = choose(assigner, brush, side);
        if (material == side->material)
            continue;
        int before = side->record_texinfo;
        set_material(assigner->compile, side, material);
        update_texinfo(brush, before, side);
    }
}

void cubemaps_assign(struct compile *compile)
{
    struct assigner assigner = {
        .compile = compile, .listed = read_listed(compile), .boxes = parallax_boxes_find(compile)};
    for (size_t i = 0; i < arrlenu(compile->brushes); i++)
        assign_brush(&assigner, compile->brushes[i]);
    for (size_t i = 0; i < arrlenu(compile->displacement_brushes); i++)
        assign_brush(&assigner, compile->displacement_brushes[i]);
    hmfree(assigner.listed);
    arrfree(assigner.boxes);
}
