/* The front of a compile: entities, their brushes, and where both go. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/brush_contents.h"
#include "vbsp/brush_make.h"
#include "vbsp/compile.h"
#include "vbsp/cubemap.h"
#include "vbsp/displacement.h"
#include "vbsp/entity_class.h"
#include "vbsp/entity_lump.h"
#include "vbsp/light_styles.h"
#include "vbsp/material_patch.h"
#include "vbsp/occluders.h"
#include "vbsp/overlay.h"
#include "vbsp/substitutes.h"

struct loader {
    struct compile *compile;
    enum class_use *uses;     /* stb_ds array, one an entity */
    struct map_brush ***made; /* stb_ds array, one stb_ds array of brushes an entity */
};

struct diag_where brush_where(const struct compile *compile, const struct map_brush *brush,
                              const struct brush_side *side)
{
    struct diag_where where = map_where(compile->source, &compile->source->entities[brush->entity],
                                        brush->source, side ? side->source : NULL);
    const struct compile_entity *entity = &compile->entities[brush->entity];
    bool moves = brush->entity > 0 && class_is_model(class_use_of(&entity->source->keys));
    struct vec3 origin = moves ? entity->origin : vec3(0, 0, 0);
    struct vec3 point = bounds_center(&brush->bounds);
    if (side && side->winding)
        point = winding_center(side->winding);
    else if (bounds_is_empty(&brush->bounds))
        return where;
    point = vec3_add(point, origin);
    where.has_point = true;
    memcpy(where.point, point.e, sizeof where.point);
    return where;
}

/* An origin brush is no brush: its middle becomes the key of the entity. */
static void take_origin_brush(struct loader *loader, int entity, const struct map_solid *solid)
{
    struct compile *compile = loader->compile;
    struct compile_entity *owner = &compile->entities[entity];
    struct bounds bounds;
    if (entity == 0 || class_is_world(loader->uses[entity])) {
        struct diag_where where = map_where(compile->source, owner->source, solid, NULL);
        diag_report(compile->env->diag, DIAG_ORIGIN_IN_WORLD, &where,
                    "an origin brush in the world marks no entity's origin; it is dropped");
    } else if (solid_bounds(compile, entity, solid, &bounds)) {
        struct vec3 center = bounds_center(&bounds);
        for (int i = 0; i < 3; i++)
            owner->origin.e[i] = trunc(center.e[i]);
        entity_lump_set(&owner->keys, &compile->arena, "origin",
                        arena_printf(&compile->arena, "%d %d %d", (int)owner->origin.x,
                                     (int)owner->origin.y, (int)owner->origin.z));
    }
}

static struct brush_rules entity_rules(const struct loader *loader, int entity)
{
    enum class_use use = loader->uses[entity];
    struct brush_rules rules = {
        .only_areaportal = use == USE_AREAPORTAL,
        .in_world = entity == 0 || class_is_world(use),
        .base_contents = use == USE_DETAIL   ? CONTENTS_DETAIL
                         : use == USE_LADDER ? CONTENTS_LADDER
                         : use == USE_WATER  ? CONTENTS_WATER
                                             : 0,
    };
    if (entity > 0 && class_is_model(use))
        rules.origin = loader->compile->entities[entity].origin;
    return rules;
}

/* -nodetail, -fulldetail, -nowater. Clips are detail by nature: those options are not for them. */
static bool options_keep(const struct vbsp_options *options, struct map_brush *brush)
{
    if (options->no_water && (brush->contents & (CONTENTS_WATER | CONTENTS_SLIME)))
        return false;
    if (!(brush->contents & CONTENTS_DETAIL) || brush_is_clip(brush))
        return true;
    if (options->full_detail) {
        brush->contents &= ~CONTENTS_DETAIL;
        for (int i = 0; i < brush->side_count; i++)
            brush->sides[i].contents &= ~CONTENTS_DETAIL;
    }
    return !options->no_detail;
}

/* Only the world has displacements; on a model their brush stays what it is. */
static void report_displacements(struct compile *compile, const struct map_brush *brush)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (!side->source || !side->source->displacement)
            continue;
        struct diag_where where = brush_where(compile, brush, side);
        diag_report(compile->env->diag, DIAG_DISPLACEMENT_ON_MODEL, &where,
                    "a displacement on a brush entity; the side stays flat");
    }
}

static void add_solid(struct loader *loader, int entity, const struct map_solid *solid,
                      const struct brush_rules *rules)
{
    struct compile *compile = loader->compile;
    struct map_brush *brush = brush_make(compile, entity, solid, rules);
    if (!brush)
        return;
    bool displaced = solid_has_displacement(solid);
    if (displaced && rules->in_world && displacements_load(compile, brush)) {
        arrput(compile->displacement_brushes, brush);
        return;
    }
    if (displaced && !rules->in_world)
        report_displacements(compile, brush);
    if (displaced)
        brush_finish(compile, brush);
    if (options_keep(compile->options, brush))
        arrput(loader->made[entity], brush);
}

static void add_solids(struct loader *loader, int entity)
{
    const struct map_entity *source = loader->compile->entities[entity].source;
    for (size_t i = 0; i < arrlenu(source->solids); i++)
        if (solid_is_origin(loader->compile, &source->solids[i]))
            take_origin_brush(loader, entity, &source->solids[i]);
    struct brush_rules rules = entity_rules(loader, entity);
    for (size_t i = 0; i < arrlenu(source->solids); i++)
        if (!solid_is_origin(loader->compile, &source->solids[i]))
            add_solid(loader, entity, &source->solids[i], &rules);
}

static void add_cubemap(struct compile *compile, const struct compile_entity *entity)
{
    struct bsp_cubemap cubemap = {0};
    for (int i = 0; i < 3; i++)
        cubemap.origin[i] = (int32_t)entity->origin.e[i];
    double size = entity_number(&entity->keys, "cubemapsize", 0);
    cubemap.size = (uint8_t)fmin(fmax(size, 0), 255);
    arrput(compile->bsp->cubemaps, cubemap);
}

/* Coordinates that no integer of the file holds are not worth a place in it. */
static struct vec3 read_origin(const struct entity *keys)
{
    struct vec3 origin = vec3(0, 0, 0);
    if (!entity_vector(keys, "origin", &origin))
        return origin;
    for (int i = 0; i < 3; i++)
        if (!(fabs(origin.e[i]) <= 1e6))
            return vec3(0, 0, 0);
    return origin;
}

static void add_entity(struct loader *loader, const struct map_entity *source)
{
    struct compile *compile = loader->compile;
    int number = (int)arrlen(compile->entities);
    enum class_use use = number == 0 ? USE_ENTITY : class_use_of(&source->keys);
    struct compile_entity entity = {
        .keys = entity_lump_keys(&compile->arena, source), .source = source, .model = -1};
    entity.origin = number == 0 ? vec3(0, 0, 0) : read_origin(&source->keys);
    entity.dropped = use != USE_ENTITY && use != USE_LADDER && use != USE_AREAPORTAL &&
                     use != USE_WATER && use != USE_OCCLUDER;
    arrput(compile->entities, entity);
    arrput(loader->uses, use);
    arrput(loader->made, NULL);
    add_solids(loader, number);
    if (use == USE_CUBEMAP)
        add_cubemap(compile, &compile->entities[number]);
}

/* An area portal is one brush. */
static void check_areaportal(struct loader *loader, int entity)
{
    struct compile *compile = loader->compile;
    ptrdiff_t count = arrlen(loader->made[entity]);
    if (count == 1)
        return;
    struct diag_where where =
        map_where(compile->source, compile->entities[entity].source, NULL, NULL);
    diag_report(compile->env->diag, DIAG_AREAPORTAL_BRUSHES, &where,
                "an area portal of %td brushes instead of one; %s", count,
                count ? "the others are dropped" : "it parts nothing");
    if (count)
        arrsetlen(loader->made[entity], 1);
}

static void number_areaportals(struct loader *loader)
{
    struct compile *compile = loader->compile;
    int portals = 0;
    for (int i = 1; i < (int)arrlen(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        if (loader->uses[i] != USE_AREAPORTAL)
            continue;
        check_areaportal(loader, i);
        if (!arrlen(loader->made[i]))
            continue;
        entity->portal_number = ++portals;
        entity_lump_set(&entity->keys, &compile->arena, "portalnumber",
                        arena_printf(&compile->arena, "%d", portals));
    }
}

static void finish_ladder(struct loader *loader, int entity)
{
    static const char *const names[2][3] = {{"mins.x", "mins.y", "mins.z"},
                                            {"maxs.x", "maxs.y", "maxs.z"}};
    struct compile *compile = loader->compile;
    struct entity *keys = &compile->entities[entity].keys;
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(loader->made[entity]); i++)
        bounds_add(&bounds, &loader->made[entity][i]->bounds);
    entity_lump_set(keys, &compile->arena, "classname", "info_ladder");
    if (bounds_is_empty(&bounds))
        return;
    for (int i = 0; i < 6; i++) {
        double value = i < 3 ? bounds.mins.e[i] : bounds.maxs.e[i - 3];
        entity_lump_set(keys, &compile->arena, names[i / 3][i % 3],
                        arena_printf(&compile->arena, "%.2f", value + 0.0)); /* no -0 */
    }
}

static void list_brushes(struct loader *loader, int entity, int owner)
{
    struct compile *compile = loader->compile;
    for (size_t i = 0; i < arrlenu(loader->made[entity]); i++) {
        struct map_brush *brush = loader->made[entity][i];
        brush->number = (int)arrlen(compile->brushes);
        arrput(compile->brushes, brush);
        arrput(compile->entities[owner].brushes, brush->number);
    }
}

/* The brush lump begins with those of the world, then those that moved there, then the models'. */
static void number_brushes(struct loader *loader)
{
    struct compile *compile = loader->compile;
    int count = (int)arrlen(compile->entities), models = 0;
    list_brushes(loader, 0, 0);
    for (int i = 1; i < count; i++)
        if (class_is_world(loader->uses[i]))
            list_brushes(loader, i, 0);
    compile->entities[0].model = models++;
    for (int i = 1; i < count; i++) {
        if (class_is_world(loader->uses[i]))
            continue;
        list_brushes(loader, i, i);
        if (!class_is_model(loader->uses[i]) || !arrlen(compile->entities[i].brushes))
            continue;
        compile->entities[i].model = models;
        entity_lump_set(&compile->entities[i].keys, &compile->arena, "model",
                        arena_printf(&compile->arena, "*%d", models));
        models++;
    }
}

static int compare_names(const void *a, const void *b)
{
    return str_compare_nocase(*(const char *const *)a, *(const char *const *)b);
}

/* One looks through the models that stand before a portal window. A plain portal's target is its
 * door. */
static void open_portal_windows(struct loader *loader)
{
    const struct compile *compile = loader->compile;
    const char **names = NULL;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct entity *keys = &compile->entities[i].keys;
        if (loader->uses[i] != USE_AREAPORTAL || entity_is(keys, "func_areaportal"))
            continue;
        const char *const targets[2] = {entity_value(keys, "target"),
                                        entity_value(keys, "BackgroundBModel")};
        for (int j = 0; j < 2; j++)
            if (*targets[j])
                arrput(names, targets[j]);
    }
    if (names)
        qsort(names, arrlenu(names), sizeof *names, compare_names);
    for (size_t i = 1; names && i < arrlenu(compile->entities); i++) {
        const char *name = entity_value(&compile->entities[i].keys, "targetname");
        if (compile->entities[i].model > 0 &&
            bsearch(&name, names, arrlenu(names), sizeof *names, compare_names))
            for (size_t j = 0; j < arrlenu(loader->made[i]); j++)
                brush_make_window(loader->made[i][j]);
    }
    arrfree(names);
}

static void free_loader(struct loader *loader)
{
    for (size_t i = 0; i < arrlenu(loader->made); i++)
        arrfree(loader->made[i]);
    arrfree(loader->made);
    arrfree(loader->uses);
}

enum status load_map(struct compile *compile)
{
    const struct map_source *source = compile->source;
    struct loader loader = {.compile = compile};
    substitutes_load(compile);
    for (size_t i = 0; i < arrlenu(source->entities); i++)
        add_entity(&loader, &source->entities[i]);
    number_areaportals(&loader);
    for (int i = 1; i < (int)arrlen(compile->entities); i++)
        if (loader.uses[i] == USE_LADDER)
            finish_ladder(&loader, i);
    number_brushes(&loader);
    open_portal_windows(&loader);
    occluders_number(compile);
    overlays_load(compile);
    cubemaps_assign(compile);
    light_styles_assign(compile);
    substitutes_report(compile);
    free_loader(&loader);
    return STATUS_OK;
}

void compile_free(struct compile *compile)
{
    for (size_t i = 0; i < arrlenu(compile->entities); i++) {
        arrfree(compile->entities[i].brushes);
        arrfree(compile->entities[i].keys.pairs);
    }
    overlays_free(compile);
    material_patches_free(compile);
    substitutes_free(compile);
    pakfile_free(&compile->pakfile);
    arrfree(compile->entities);
    arrfree(compile->brushes);
    arrfree(compile->displacement_brushes);
    arrfree(compile->displacements);
    arrfree(compile->face_sides);
    plane_set_free(&compile->planes);
    texinfo_set_free(&compile->texinfos);
    arena_free(&compile->arena);
}
