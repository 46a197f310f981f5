#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/report/report.h"

struct missing {
    const struct material *key;
    struct {
        int64_t sides;
        const struct map_brush *brush;
        const struct brush_side *side;
    } value;
};

static void count_sides(struct missing **missing, struct map_brush *const *brushes)
{
    for (size_t i = 0; i < arrlenu(brushes); i++)
        for (int j = 0; j < brushes[i]->side_count; j++) {
            const struct brush_side *side = &brushes[i]->sides[j];
            if (!side->map_side || !side->material || side->material->origin != MATERIAL_MISSING)
                continue;
            struct missing *known = hmgetp_null(*missing, side->material);
            if (known && !known->value.sides++) {
                known->value.brush = brushes[i];
                known->value.side = side;
            }
        }
}

static enum diag_code missing_code(const struct material *material)
{
    return material->quake3 ? DIAG_SHADER_MISSING : DIAG_MATERIAL_MISSING;
}

static struct diag_where entity_where(const struct compile *compile,
                                      const struct map_entity *entity)
{
    struct diag_where where = map_where(compile->level, entity, NULL, NULL);
    struct vec3 origin;
    if (entity_vector(&entity->keys, "origin", &origin)) {
        where.has_point = true;
        memcpy(where.point, origin.e, sizeof where.point);
    }
    return where;
}

static void report_unsided(const struct compile *compile, const struct material *material)
{
    const struct map_entity *entities = compile->level->entities;
    struct diag_where where = {.file = compile->level->file};
    for (size_t i = arrlenu(entities); i-- > 0;)
        if (str_equal_nocase(entity_value(&entities[i].keys, "material"), material->name))
            where = entity_where(compile, &entities[i]);
    (void)diag_report(compile->env->diag, missing_code(material), &where, "\"%s\"", material->name);
}

/* Reports the missing shaders at once if no game was given: they are most of the map's. */
static bool report_no_game(const struct compile *compile, const struct material *const *list,
                           const struct missing *missing)
{
    size_t count = 0;
    const struct missing *first = NULL;
    for (size_t i = 0; i < arrlenu(list); i++) {
        if (!list[i]->quake3 || assets_mounts(compile->assets))
            return false;
        count++;
        if (!first && missing[i].value.sides)
            first = &missing[i];
    }
    if (!count)
        return false;
    struct diag_where where = {.file = compile->level->file};
    if (first)
        where = brush_where(compile, first->value.brush, first->value.side);
    (void)diag_report(compile->env->diag, DIAG_QUAKE3_NO_GAME, &where,
                      "%zu shader%s unknown, first \"%s\"", count, count == 1 ? " is" : "s are",
                      (first ? first->key : list[0])->name);
    return true;
}

void lint_missing_materials(const struct compile *compile)
{
    const struct material **list = assets_release_missing(compile->assets);
    struct missing *missing = NULL;
    for (size_t i = 0; i < arrlenu(list); i++)
        hmput(missing, list[i], ((__typeof__(missing->value)){0}));
    if (missing)
        count_sides(&missing, compile->brushes);
    if (missing)
        count_sides(&missing, compile->displacement_brushes);
    size_t listed = report_no_game(compile, list, missing) ? 0 : arrlenu(list);
    for (size_t i = 0; i < listed; i++) {
        struct missing *known = hmgetp(missing, list[i]);
        if (!known->value.sides) {
            report_unsided(compile, list[i]);
            continue;
        }
        struct diag_where where = brush_where(compile, known->value.brush, known->value.side);
        (void)diag_report(compile->env->diag, missing_code(list[i]), &where,
                          "\"%s\", used by %lld side%s", list[i]->name,
                          (long long)known->value.sides, known->value.sides == 1 ? "" : "s");
    }
    hmfree(missing);
    arrfree(list);
}

/* Missing models of static and detail props are reported when they are placed. */
static bool is_placed(const struct entity *keys)
{
    return entity_is(keys, "prop_static") || entity_is(keys, "static_prop") ||
           entity_is(keys, "prop_detail") || entity_is(keys, "detail_prop");
}

void lint_missing_models(const struct compile *compile)
{
    struct {
        char *key;
        bool value;
    } *seen = NULL;
    if (!assets_game_folder(compile->assets))
        return;
    sh_new_strdup(seen);
    for (size_t i = 0; i < arrlenu(compile->level->entities); i++) {
        const struct map_entity *entity = &compile->level->entities[i];
        const char *name = entity_value(&entity->keys, "model");
        if (!str_ends_nocase(name, ".mdl") || is_placed(&entity->keys) || shgeti(seen, name) >= 0)
            continue;
        shput(seen, name, true);
        struct bytes bytes = {0};
        struct diag_where where = entity_where(compile, entity);
        if (!assets_read(compile->assets, name, &bytes))
            (void)diag_report(compile->env->diag, DIAG_MODEL_MISSING, &where, "\"%s\" of %s", name,
                              entity_value(&entity->keys, "classname"));
        bytes_free(&bytes);
    }
    shfree(seen);
}
