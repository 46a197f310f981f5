/* -onlyents: the entities of a compiled map are replaced. */
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/updates.def"
#include "vbsp/level/entity_lump.h"
#include "vbsp/target/quake3/entities/entities.h"

static bool fits(const struct compile *compile, const struct bsp *bsp)
{
    ptrdiff_t models = 0;
    for (size_t i = 0; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (entity->model < 0)
            continue;
        models++;
        if (entity->model >= arrlen(bsp->models) ||
            bsp->models[entity->model].brush_count != arrlen(entity->brushes))
            return false;
    }
    return models == arrlen(bsp->models);
}

/* Keys of the world that compilers write. Those that say how the light is stored are as they were
 * when it was: with others, the engine would misread it. The rest is kept unless the map has its
 * own. */
static const struct written_key {
    const char *name;
    bool of_light;
} written_keys[] = {
    {"gridsize", true},         {"deluxeMaps", true},       {PAGE_SIDE_KEY, true},
    {"_q3map2_version", false}, {"_q3map2_cmdline", false},
};

/* A value of the map that has no effect until the map is lit again. */
static void report_kept(const struct compile *compile, const char *key, const char *kept)
{
    const struct entity *world = &compile->entities[0].keys;
    const char *wanted = entity_value(world, key);
    if (!entity_has(world, key) || strcmp(wanted, kept) == 0)
        return;
    struct diag_where where =
        map_where(compile->level, compile->entities[0].map_entity, NULL, NULL);
    (void)diag_report(compile->env->diag, DIAG_UPDATE_KEYS, &where,
                      "\"%s\" stays %s%s%s instead of \"%s\"", key, *kept ? "\"" : "",
                      *kept ? kept : "unset", *kept ? "\"" : "", wanted);
}

static void keep_written_keys(struct compile *compile, const struct entity *old, bool lit)
{
    struct entity *world = &compile->entities[0].keys;
    for (size_t i = 0; i < sizeof written_keys / sizeof *written_keys; i++) {
        const struct written_key *key = &written_keys[i];
        bool replaces = key->of_light ? lit : !entity_has(world, key->name);
        if (replaces)
            report_kept(compile, key->name, entity_value(old, key->name));
        if (replaces && entity_has(old, key->name))
            entity_set(world, &compile->arena, key->name, entity_value(old, key->name));
        else if (replaces)
            entity_remove(world, key->name);
    }
}

enum status quake3_update_entities(struct compile *compile, struct bsp *bsp)
{
    struct bsp *loaded = compile->bsp;
    struct entity_list old = {0};
    struct diag_where where = {.file = compile->level->file};
    if (!fits(compile, bsp))
        return diag_report(compile->env->diag, DIAG_UPDATE_MISMATCH, &where,
                           "its brush models have different brushes");
    enum status status = entities_parse(bsp->entities, arrlenu(bsp->entities), "entity lump",
                                        compile->env->diag, &old);
    if (status == STATUS_OK && arrlen(old.entities))
        keep_written_keys(compile, &old.entities[0], arrlen(bsp->light_grid) > 0);
    entities_free(&old);
    TRY(status);
    compile->bsp = bsp;
    quake3_mark_lights(compile);
    entities_write(compile);
    compile->bsp = loaded;
    return STATUS_OK;
}
