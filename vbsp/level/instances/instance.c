#include "vbsp/level/instances/instance.h"

#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/instances.def"
#include "vbsp/level/cordon.h"
#include "vbsp/level/instances/instance_internal.h"

/* Maximum total of entities, solids, sides and keys, far more than a game can load. */
enum { MAX_OBJECTS = 2000000 };

struct placer {
    struct level *whole;
    struct instance_files files;
    struct game_fgd *fgd;
    struct map_maxima maxima;
    size_t objects;
    int number;                     /* of the current instance, from 1 */
    struct placed_instance *placed; /* stb_ds array */
    struct instance_guesses guesses, left;
    struct diag *diag;
    enum status status;
};

/* True if the file contains itself, directly or through another. */
static bool is_within(const struct placer *placer, const struct map_entity *entity,
                      const char *path)
{
    for (const struct map_part *part = entity->part; part; part = part->outer)
        if (strcmp(part->file, path) == 0)
            return true;
    return strcmp(placer->whole->file, path) == 0;
}

static void report_recursion(struct placer *placer, const struct map_entity *entity,
                             const char *path)
{
    struct arena *arena = &placer->whole->arena;
    struct diag_where where = map_where(placer->whole, entity, NULL, NULL);
    const char *chain = path;
    for (const struct map_part *part = entity->part; part; part = part->outer) {
        chain = arena_printf(arena, "%s in %s", chain, part->file);
        if (strcmp(part->file, path) == 0)
            break;
    }
    if (strcmp(placer->whole->file, path) == 0)
        chain = arena_printf(arena, "%s in %s", chain, path);
    placer->status = diag_report(placer->diag, DIAG_INSTANCE_RECURSION, &where, "%s", chain);
}

static struct instance_transform transform_of_entity(const struct entity *keys)
{
    struct vec3 origin = vec3(0, 0, 0), angles = vec3(0, 0, 0);
    (void)entity_vector(keys, "origin", &origin);
    (void)entity_vector(keys, "angles", &angles);
    return instance_transform_new(origin, angles);
}

static const struct map_part *new_part(struct placer *placer, const struct map_entity *entity,
                                       const char *path)
{
    struct arena *arena = &placer->whole->arena;
    struct diag_where *placed_by = ARENA_NEW(arena, struct diag_where);
    *placed_by = map_where(placer->whole, entity, NULL, NULL);
    struct map_part *part = ARENA_NEW(arena, struct map_part);
    *part = (struct map_part){.file = path,
                              .placed_by = placed_by,
                              .outer = entity->part,
                              .entity_shift = placer->maxima.entity,
                              .solid_shift = placer->maxima.solid,
                              .side_shift = placer->maxima.side};
    return part;
}

static void place_file(struct placer *placer, size_t index, const struct map_entity *entity,
                       const struct instance_file *file)
{
    struct arena *arena = &placer->whole->arena;
    struct instance_transform transform = transform_of_entity(&entity->keys);
    struct instance_names names = instance_names_read(&entity->keys, placer->number, arena);
    for (size_t i = 1; i < arrlenu(file->level->entities); i++) {
        const struct entity *keys = &file->level->entities[i].keys;
        if (entity_is(keys, "func_instance_parms"))
            instance_names_defaults(&names, keys, arena);
    }
    struct instance_context context = {.assets = placer->files.assets,
                                       .transform = &transform,
                                       .names = &names,
                                       .part = new_part(placer, entity, file->path),
                                       .fgd = game_fgd_get(placer->fgd),
                                       .guesses = &placer->guesses,
                                       .left = &placer->left,
                                       .arena = arena};
    size_t first = arrlenu(placer->whole->entities);
    map_merge(placer->whole, file->level, &context, &placer->maxima, placer->diag);
    arrfree(names.variables);
    struct placed_instance placed = {
        .entity = index, .first = first, .end = arrlenu(placer->whole->entities), .names = names};
    arrput(placer->placed, placed);
}

static void place_instance(struct placer *placer, size_t index)
{
    const struct map_entity entity =
        placer->whole->entities[index]; /* copied: the array may be reallocated */
    struct diag_where where = map_where(placer->whole, &entity, NULL, NULL);
    const char *name = entity_value(&entity.keys, "file");
    placer->number++;
    if (!*name) {
        diag_report(placer->diag, DIAG_INSTANCE_NO_FILE, &where, "nothing is placed");
        return;
    }
    const struct instance_file *file = instance_files_get(&placer->files, name, &where);
    if (!file) /* instance_files_report reports it */
        return;
    if (!file->level) {
        placer->status = STATUS_FAILED;
        return;
    }
    if (is_within(placer, &entity, file->path)) {
        report_recursion(placer, &entity, file->path);
        return;
    }
    placer->objects += file->objects;
    if (placer->objects <= MAX_OBJECTS)
        place_file(placer, index, &entity, file);
    else
        placer->status =
            diag_report(placer->diag, DIAG_INSTANCE_TOO_MANY, &where,
                        "they expand to more than %d keys, solids and sides", MAX_OBJECTS);
}

static void place_all(struct placer *placer)
{
    for (size_t i = 0; i < arrlenu(placer->whole->entities); i++)
        map_maxima_add(&placer->maxima, &placer->whole->entities[i], i == 0);
    /* Entities of instances are appended, so nested instances are visited too. */
    for (size_t i = 1; i < arrlenu(placer->whole->entities); i++)
        if (entity_is(&placer->whole->entities[i].keys, "func_instance") &&
            placer->objects <= MAX_OBJECTS)
            place_instance(placer, i);
}

enum status level_merge(const struct env *env, struct game_fgd *fgd, const struct level *level,
                        enum diag_severity missing, struct level *out)
{
    map_copy(level, out);
    struct placer placer = {.whole = out,
                            .files = {.env = env, .assets = fgd->assets, .owner = out},
                            .fgd = fgd,
                            .objects = map_objects(level),
                            .diag = env->diag};
    place_all(&placer);
    if (instance_files_report(&placer.files, missing) != STATUS_OK)
        placer.status = STATUS_FAILED;
    instance_files_free(&placer.files);
    if (placer.status == STATUS_OK) {
        instance_guesses_report(&placer.guesses, &placer.left, out, env->diag);
        instance_outputs_resolve(out, placer.placed, env->diag);
    } else {
        level_free(out);
    }
    arrfree(placer.placed);
    return placer.status;
}

enum status level_complete(const struct env *env, struct assets *assets, const struct level *level,
                           enum diag_severity missing, struct level *out)
{
    struct game_fgd fgd = {.env = env, .assets = assets};
    enum status status = level_merge(env, &fgd, level, missing, out);
    game_fgd_free(&fgd);
    if (status == STATUS_OK)
        cordon_apply(out, env->diag);
    return status;
}
