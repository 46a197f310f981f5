#include "vbsp/physics.h"

#include "common/assets/surface_guess.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/material_patch.h"
#include "vbsp/physics_maker.h"

enum { MATERIALS_MOST = PHYSICS_MATERIALS_MAX - 1, LAST_VERSION_WITH_COPY = 19 };

/* Surface properties */

static void report_unknown(struct physics_part *part, const char *name,
                           const struct material *material)
{
    struct physics_maker *maker = part->maker;
    for (size_t i = 0; i < arrlenu(maker->unknown); i++)
        if (str_equal_nocase(maker->unknown[i], name))
            return;
    arrput(maker->unknown, name);
    diag_report(part->compile->env->diag, DIAG_SURFACEPROP_UNKNOWN, NULL,
                "the material '%s' has the surface property '%s'", material->name, name);
}

const char *physics_prop_name(struct physics_part *part, const struct material *material)
{
    const struct surfaceprops *props = part->maker->props;
    const char *name = *material->surface_prop
                           ? material->surface_prop
                           : surface_guess(material_patch_base(part->compile, material)->name);
    const struct surface_prop *prop = surfaceprops_find(props, name);
    if (prop)
        return prop->name;
    if (!surfaceprops_are_of_game(props))
        return name; /* the engine will know it */
    report_unknown(part, name, material);
    return surfaceprops_get(props, name)->name;
}

static int material_number(struct physics_part *part, const struct material *material)
{
    const char ***table = &part->maker->materials;
    const char *name = physics_prop_name(part, material);
    for (int i = 0; i < (int)arrlen(*table); i++)
        if (str_equal_nocase((*table)[i], name))
            return i + 1;
    if (arrlen(*table) == MATERIALS_MOST)
        return 1;
    arrput(*table, name);
    return (int)arrlen(*table);
}

/* Solids */

static void close_solid(struct physics_part *part)
{
    struct hull_set *set = &part->set;
    if (arrlenu(set->solid.ledges)) {
        hull_set_finish(set);
        if (part->is_moving)
            physics_solid_measure_drag(&set->solid);
        struct bytes bytes = {0};
        enum status status =
            physics_solid_encode(&set->solid, NULL, part->compile->env->diag, &bytes);
        if (status != STATUS_OK)
            part->maker->status = status;
        part->describe(part);
        arrput(part->model->solids, bytes);
    }
    hull_set_free(set);
}

static struct hull_face *drawn_faces(struct physics_part *part, const struct map_brush *brush)
{
    struct hull_face *faces = NULL;
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        struct hull_face face = {.winding = side->winding};
        if (!side->winding)
            continue;
        if (part->has_materials)
            face.material = material_number(part, side->material);
        arrput(faces, face);
    }
    return faces;
}

static bool add_shrunk(struct physics_part *part, const struct map_brush *brush)
{
    struct arena arena = {0};
    struct hull_face *faces = physics_shrunk_faces(part, brush, &arena);
    bool added = faces && hull_set_add(&part->set, faces, (int)arrlen(faces), brush->number);
    arrfree(faces);
    arena_free(&arena);
    return added;
}

static void add_brush(struct physics_part *part, const struct map_brush *brush)
{
    if (!hull_set_has_room(&part->set))
        close_solid(part);
    if (part->is_moving && add_shrunk(part, brush))
        return;
    struct hull_face *faces = drawn_faces(part, brush);
    if (!hull_set_add(&part->set, faces, (int)arrlen(faces), brush->number)) {
        struct diag_where where = brush_where(part->compile, brush, NULL);
        diag_report(part->compile->env->diag, DIAG_PHYSICS_HULL, &where,
                    "no closed hull can be made of the solid's %d sides", (int)arrlen(faces));
    }
    arrfree(faces);
}

void physics_part_add(struct physics_part *part, const struct map_brush *const *brushes)
{
    for (size_t i = 0; i < arrlenu(brushes); i++)
        add_brush(part, brushes[i]);
    close_solid(part);
}

void physics_part_close(struct physics_part *part)
{
    close_solid(part);
}

int physics_part_material(struct physics_part *part, const struct material *material)
{
    return material_number(part, material);
}

/* The lump */

enum status physics_finish(struct compile *compile)
{
    struct physics_maker *maker = compile->physics;
    struct bsp *bsp = compile->bsp;
    if (!maker)
        return STATUS_OK;
    physics_encode(&maker->lump, &bsp->physics);
    int version = compile->options->file_version;
    if (version && version <= LAST_VERSION_WITH_COPY)
        bytes_append(&bsp->physics_surface, bsp->physics.data, bsp->physics.size);
    return maker->status;
}

void physics_maker_free(struct compile *compile)
{
    struct physics_maker *maker = compile->physics;
    if (!maker)
        return;
    physics_free(&maker->lump);
    surfaceprops_free(maker->props);
    arrfree(maker->materials);
    arrfree(maker->unknown);
    memory_free(maker);
    compile->physics = NULL;
}
