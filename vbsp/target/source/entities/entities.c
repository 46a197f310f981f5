/* Areaportals, ladders, areaportal windows, occluders, cubemaps, lights. */
#include "vbsp/target/source/entities/entities.h"

#include <math.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/level_changes.def"
#include "common/diag/codes/solid_entities.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/level/class_names.h"
#include "vbsp/level/entity_lump.h"

/* Contents of sides and brushes. */

/* A single side with one of these contents decides for the brush. */
enum { SEE_THROUGH = CONTENTS_WINDOW | CONTENTS_GRATE | CONTENTS_SLIME | CONTENTS_WATER };

static int side_contents(const struct brush_side *side, const struct brush_rules *rules)
{
    if (rules->only_areaportal)
        return CONTENTS_AREAPORTAL;
    if (rules->is_occluder)
        return CONTENTS_SOLID;
    if (side->flags & (SURFACE_HINT | SURFACE_SKIP))
        return 0;
    int contents = side->material->contents | side->map_side->contents | rules->base_contents;
    if (contents & CONTENTS_CLIP)
        contents |= CONTENTS_DETAIL;
    /* A ladder material sets only LADDER. */
    if (!(contents & (CONTENTS_SUBSTANCE | CONTENTS_CLIP)))
        contents |= CONTENTS_SOLID;
    return rules->in_world ? contents : contents & ~CONTENTS_DETAIL;
}

void source_contents(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules)
{
    (void)compile;
    int see_through = 0;
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        side->contents = side_contents(side, rules);
        see_through |= side->contents & SEE_THROUGH;
    }
    brush->contents = brush->sides[0].contents;
    if (!see_through)
        return;
    brush->contents |= see_through | CONTENTS_TRANSLUCENT;
    brush->contents &= ~CONTENTS_SOLID;
}

/* -nodetail, -fulldetail, -nowater. Clips are always detail: those options do not apply to them. */
bool source_keep(struct compile *compile, struct map_brush *brush)
{
    const struct vbsp_options *options = compile->options;
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

/* Gives the window of an areaportal or its background see-through contents. */
static void brush_make_window(struct map_brush *brush)
{
    const int window = CONTENTS_WINDOW | CONTENTS_TRANSLUCENT;
    brush->contents = (brush->contents & ~CONTENTS_SOLID) | window;
    for (int i = 0; i < brush->side_count; i++)
        brush->sides[i].contents = (brush->sides[i].contents & ~CONTENTS_SOLID) | window;
}

/* Entities with the key _removeaftercompile. */

static bool is_light(const struct entity *keys)
{
    return str_starts_nocase(entity_value(keys, "classname"), "light");
}

static bool is_aimed_at(const struct compile *compile, const char *name)
{
    for (size_t i = 1; *name && i < arrlenu(compile->entities); i++) {
        const struct entity *keys = &compile->entities[i].keys;
        if (is_light(keys) && str_equal_nocase(entity_value(keys, "target"), name))
            return true;
    }
    return false;
}

/* Entities that vrad reads from the BSP: lights and what they point at, the camera of the 3D sky,
 * and brush entities that cast shadows. */
static bool vrad_needs(const struct compile *compile, const struct compile_entity *entity)
{
    const struct entity *keys = &entity->keys;
    return is_light(keys) || entity_is(keys, "sky_camera") ||
           (entity->model > 0 && entity_number(keys, "vrad_brush_cast_shadows", 0) != 0) ||
           is_aimed_at(compile, entity_value(keys, "targetname"));
}

void compile_only_drop(struct compile *compile)
{
    const struct compile_entity *kept = NULL;
    size_t count = 0;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        if (entity->dropped || !compile_time_only(&entity->keys))
            continue;
        if (!vrad_needs(compile, entity)) {
            entity->dropped = true;
            continue;
        }
        kept = kept ? kept : entity;
        count++;
    }
    if (!kept)
        return;
    struct diag_where where = map_where(compile->level, kept->map_entity, NULL, NULL);
    diag_report(compile->env->diag, DIAG_COMPILE_TIME_LIGHT, &where,
                "%s with _removeaftercompile%s", entity_value(&kept->keys, "classname"),
                count == 1 ? ""
                           : arena_printf(&compile->arena, ", the first of %zu entities", count));
}

/* --- entities --- */

struct entity source_keys(struct arena *arena, const struct map_entity *map_entity)
{
    struct entity keys = {0};
    const struct key_value *pairs = map_entity->keys.pairs;
    struct key_value id = {"hammerid", NULL};
    if (map_entity->id > 0)
        id.value = arena_printf(arena, "%d", map_entity->id);
    for (ptrdiff_t i = arrlen(pairs) - 1; i >= 0; i--) {
        bool is_id = id.value && str_equal_nocase(pairs[i].key, id.key);
        if (is_id)
            id.value = pairs[i].value;
        else if (!entity_lump_is_output(pairs[i].value))
            arrput(keys.pairs, pairs[i]);
    }
    if (id.value)
        arrput(keys.pairs, id);
    for (ptrdiff_t i = 0; i < arrlen(pairs); i++)
        if (entity_lump_is_output(pairs[i].value))
            arrput(keys.pairs, pairs[i]);
    return keys;
}

/* An areaportal must have one brush. */
static void check_areaportal(struct compile *compile, int entity, struct map_brush ***made)
{
    ptrdiff_t count = arrlen(made[entity]);
    if (count == 1)
        return;
    struct diag_where where =
        map_where(compile->level, compile->entities[entity].map_entity, NULL, NULL);
    diag_report(compile->env->diag, DIAG_AREAPORTAL_BRUSHES, &where,
                "%td brushes instead of one; %s", count,
                count ? "only the first is used" : "it separates no areas");
    if (count)
        arrsetlen(made[entity], 1);
}

static void number_areaportals(struct compile *compile, struct map_brush ***made)
{
    int portals = 0;
    for (int i = 1; i < (int)arrlen(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        if (entity->use != USE_AREAPORTAL)
            continue;
        check_areaportal(compile, i, made);
        if (!arrlen(made[i]))
            continue;
        entity->portal_number = made[i][0]->area_portal = ++portals;
        entity_lump_set(&entity->keys, &compile->arena, "portalnumber",
                        arena_printf(&compile->arena, "%d", portals));
    }
}

static void finish_ladder(struct compile *compile, int entity, struct map_brush *const *brushes)
{
    static const char *const names[2][3] = {{"mins.x", "mins.y", "mins.z"},
                                            {"maxs.x", "maxs.y", "maxs.z"}};
    struct entity *keys = &compile->entities[entity].keys;
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(brushes); i++)
        bounds_add(&bounds, &brushes[i]->bounds);
    entity_lump_set(keys, &compile->arena, "classname", "info_ladder");
    if (bounds_is_empty(&bounds))
        return;
    for (int i = 0; i < 6; i++) {
        double value = i < 3 ? bounds.mins.e[i] : bounds.maxs.e[i - 3];
        entity_lump_set(keys, &compile->arena, names[i / 3][i % 3],
                        arena_printf(&compile->arena, "%.2f", value + 0.0)); /* no -0 */
    }
}

void source_made(struct compile *compile, struct map_brush ***made)
{
    number_areaportals(compile, made);
    for (int i = 1; i < (int)arrlen(compile->entities); i++)
        if (compile->entities[i].use == USE_LADDER)
            finish_ladder(compile, i, made[i]);
}

static int compare_names(const void *a, const void *b)
{
    return str_compare_nocase(*(const char *const *)a, *(const char *const *)b);
}

/* Models in front of an areaportal window are seen through. The target of a plain areaportal is its
 * door. */
void portal_windows_open(struct compile *compile)
{
    const char **names = NULL;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct entity *keys = &compile->entities[i].keys;
        if (compile->entities[i].use != USE_AREAPORTAL || entity_is(keys, "func_areaportal"))
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
        const struct compile_entity *entity = &compile->entities[i];
        const char *name = entity_value(&entity->keys, "targetname");
        if (entity->model > 0 &&
            bsearch(&name, names, arrlenu(names), sizeof *names, compare_names))
            for (size_t j = 0; j < arrlenu(entity->brushes); j++)
                brush_make_window(compile->brushes[entity->brushes[j]]);
    }
    arrfree(names);
}

static void add_cubemap(struct compile *compile, const struct compile_entity *entity)
{
    struct bsp_cubemap cubemap = {0};
    for (int i = 0; i < 3; i++)
        cubemap.origin[i] = (int32_t)entity->origin.e[i];
    double size = entity_number(&entity->keys, "cubemapsize", 0);
    cubemap.size = (uint8_t)portable_fmin(portable_fmax(size, 0), 255);
    arrput(compile->bsp->cubemaps, cubemap);
}

void cubemaps_add(struct compile *compile)
{
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        if (compile->entities[i].use == USE_CUBEMAP)
            add_cubemap(compile, &compile->entities[i]);
}

void occluders_number(struct compile *compile)
{
    int count = 0;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        if (entity->use != USE_OCCLUDER)
            continue;
        entity_lump_set(&entity->keys, &compile->arena, "model", "");
        entity_lump_set(&entity->keys, &compile->arena, "occludernumber",
                        arena_printf(&compile->arena, "%d", count++));
    }
}

bool source_has_model(const struct compile *compile, int entity)
{
    return arrlen(compile->entities[entity].brushes) > 0;
}

/* --- light styles --- */

static bool is_switched_light(const struct entity *keys)
{
    return str_starts_nocase(entity_value(keys, "classname"), "light") &&
           !entity_is(keys, "light_dynamic") && *entity_value(keys, "targetname");
}

/* The number of the name's style, added when new; -1 if none is left. */
static int find_style(const char **names, int *count, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (str_equal_nocase(names[i], name))
            return FIRST_SWITCHED_STYLE + i;
    if (*count == SWITCHED_STYLES)
        return -1;
    names[*count] = name;
    return FIRST_SWITCHED_STYLE + (*count)++;
}

void light_styles_assign(struct compile *compile)
{
    const char *names[SWITCHED_STYLES] = {0};
    int count = 0;
    bool reported = false;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        struct compile_entity *entity = &compile->entities[i];
        if (entity->dropped || !is_switched_light(&entity->keys))
            continue;
        const char *name = entity_value(&entity->keys, "targetname");
        int style = find_style(names, &count, name);
        if (style < 0 && !reported) {
            struct diag_where where = map_where(compile->level, entity->map_entity, NULL, NULL);
            diag_report(compile->env->diag, DIAG_LIGHT_NAMES, &where,
                        "\"%s\" comes after the first %d light names and cannot be switched", name,
                        SWITCHED_STYLES);
            reported = true;
        }
        if (style < 0)
            continue;
        double old = entity_number(&entity->keys, "style", 0);
        if (old != 0)
            entity_lump_set(&entity->keys, &compile->arena, "defaultstyle",
                            entity_value(&entity->keys, "style"));
        entity_lump_set(&entity->keys, &compile->arena, "style",
                        arena_printf(&compile->arena, "%d", style));
    }
}
