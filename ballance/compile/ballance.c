#include "ballance/compile/ballance.h"

#include <stdlib.h>

#include "ballance/bmx/names.h"
#include "ballance/compile/maker.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_to_ballance.def"
#include "vbsp/level/entity_class.h"

/* --- what nothing uses --- */

/* Turns marks of use into the numbers that remain; returns how many. */
static uint32_t number_used(uint32_t *used, size_t count)
{
    uint32_t next = 0;
    for (size_t i = 0; i < count; i++)
        used[i] = used[i] ? next++ : UINT32_MAX;
    return next;
}

static void prune_materials(struct bmx *bmx)
{
    size_t count = arrlenu(bmx->materials);
    uint32_t *used = memory_zalloc(count + 1, sizeof *used);
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        for (size_t k = 0; k < arrlenu(bmx->meshes[i].faces); k++)
            if (bmx->meshes[i].faces[k].use_material)
                used[bmx->meshes[i].faces[k].material] = 1;
    uint32_t left = number_used(used, count);
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        for (size_t k = 0; k < arrlenu(bmx->meshes[i].faces); k++) {
            struct bmx_face *face = &bmx->meshes[i].faces[k];
            face->material = face->use_material ? used[face->material] : 0;
        }
    for (size_t i = 0; i < count; i++) {
        if (used[i] == UINT32_MAX)
            bmx_text_free(&bmx->materials[i].name);
        else
            bmx->materials[used[i]] = bmx->materials[i];
    }
    if (count)
        arrsetlen(bmx->materials, left);
    memory_free(used);
}

static void prune_textures(struct bmx *bmx)
{
    size_t count = arrlenu(bmx->textures);
    uint32_t *used = memory_zalloc(count + 1, sizeof *used);
    for (size_t i = 0; i < arrlenu(bmx->materials); i++)
        if (bmx->materials[i].use_texture)
            used[bmx->materials[i].texture] = 1;
    uint32_t left = number_used(used, count);
    for (size_t i = 0; i < arrlenu(bmx->materials); i++) {
        struct bmx_material *material = &bmx->materials[i];
        material->texture = material->use_texture ? used[material->texture] : 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct bmx_texture *texture = &bmx->textures[i];
        if (used[i] != UINT32_MAX) {
            bmx->textures[used[i]] = *texture;
            continue;
        }
        bmx_text_free(&texture->name);
        bmx_text_free(&texture->file_name);
    }
    if (count)
        arrsetlen(bmx->textures, left);
    memory_free(used);
}

static bool is_texture_file(const struct bmx *bmx, const struct bmx_member *member)
{
    struct arena arena = {0};
    const char *file = bmx_texture_file(member);
    bool found = !file;
    for (size_t i = 0; i < arrlenu(bmx->textures) && !found; i++)
        found = !bmx->textures[i].is_external &&
                strcmp(bmx_text_utf8(&bmx->textures[i].file_name, &arena), file) == 0;
    arena_free(&arena);
    return found;
}

/* Removes the materials, textures and files that nothing uses: some programs stop at them. */
static void ballance_prune(struct bmx *bmx)
{
    size_t kept = 0, count = arrlenu(bmx->members);
    prune_materials(bmx);
    prune_textures(bmx);
    for (size_t i = 0; i < count; i++) {
        struct bmx_member *member = &bmx->members[i];
        if (is_texture_file(bmx, member)) {
            bmx->members[kept++] = *member;
            continue;
        }
        memory_free(member->name);
        bytes_free(&member->data);
    }
    if (count)
        arrsetlen(bmx->members, kept);
}

/* --- names --- */

/* Longer names are cut by programs. */
enum { NAME_MAX_BYTES = 63, SUFFIX_BYTES = 8 };

/* Returns the length of the text up to a number of bytes, without a part of a character. */
static size_t whole_length(const char *text, size_t max)
{
    size_t length = strlen(text);
    if (length <= max)
        return length;
    for (length = max; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
        length--;
    return length;
}

/* In the index names are case-sensitive, but files and editors may not be. */
static bool is_taken(struct ballance_maker *maker, enum bmx_kind kind, const char *name)
{
    return shgeti(maker->names[kind], name) >= 0;
}

const char *ballance_name(struct ballance_maker *maker, enum bmx_kind kind, const char *name,
                          bool is_component, const struct diag_where *where)
{
    struct arena *arena = &maker->arena;
    const char *wanted = *name ? name : bmx_kind_name(kind);
    if (kind == BMX_OBJECT && !is_component && bmx_component_of(wanted) >= 0)
        wanted = arena_printf(arena, "map_%s", wanted);
    wanted = arena_strndup(arena, wanted, whole_length(wanted, NAME_MAX_BYTES));
    const char *unique = wanted;
    for (int i = 2; is_taken(maker, kind, unique); i++)
        unique = arena_printf(arena, "%.*s_%d",
                              (int)whole_length(wanted, NAME_MAX_BYTES - SUFFIX_BYTES), wanted, i);
    if (!maker->names[kind])
        sh_new_strdup(maker->names[kind]);
    shput(maker->names[kind], unique, 1);
    if (where && *name && strcmp(unique, name) != 0)
        diag_report(maker->env->diag, DIAG_BMX_FROM_NAME, where, "%s '%s' is '%s'",
                    bmx_kind_name(kind), name, unique);
    return unique;
}

/* --- groups --- */

/* The ninth is the first that the game writes without a zero. */
const char *ballance_sector(struct ballance_maker *maker, unsigned sector)
{
    return arena_printf(&maker->arena, sector < 9 ? "Sector_%02u" : "Sector_%u", sector);
}

/* Returns the next name of a list that is separated by semicolons, and steps over it. */
static const char *next_group(struct ballance_maker *maker, const char **text)
{
    struct bytes name = {0};
    const char *at = *text;
    for (; *at && *at != ';'; at++) {
        if (*at == '\\' && at[1])
            at++;
        bytes_u8(&name, (uint8_t)*at);
    }
    *text = at + (*at == ';');
    const char *copy =
        arena_strndup(&maker->arena, name.size ? (const char *)name.data : "", name.size);
    bytes_free(&name);
    return copy;
}

void ballance_set_groups(struct ballance_maker *maker, const struct map_entity *entity,
                         const char *const *implied, size_t count, struct bmx_object *object)
{
    const char **names = NULL, *text = entity_value(&entity->keys, "_groups");
    bool complete = *text == '=';
    for (size_t i = 0; i < count && !complete; i++)
        arrput(names, implied[i]);
    for (text += complete; *text;) {
        const char *name = next_group(maker, &text);
        if (*name)
            arrput(names, name);
    }
    if (names)
        qsort(names, arrlenu(names), sizeof *names, str_compare_items);
    for (size_t i = 0; i < arrlenu(names); i++) {
        if (i && strcmp(names[i], names[i - 1]) == 0)
            continue;
        struct bmx_text group = bmx_text_make(names[i]);
        arrput(object->groups, group);
    }
    arrfree(names);
}

/* --- what is lost --- */

void ballance_lose(struct ballance_maker *maker, enum ballance_loss loss,
                   const struct diag_where *where)
{
    if (!maker->losses[loss]++)
        maker->first_loss[loss] = *where;
}

static void report_losses(const struct ballance_maker *maker)
{
    static const struct {
        int code;
        const char *text;
    } losses[LOSS_KINDS] = {
        [LOSS_NOTHING] = {DIAG_BMX_FROM_IGNORED, "%zu, this one first"},
        [LOSS_CURVE] = {DIAG_BMX_FROM_CURVE, "%zu, this one first"},
        [LOSS_ENTITY] = {DIAG_BMX_FROM_ENTITY, "%zu left out, this one first"},
        [LOSS_KEYS] = {DIAG_BMX_FROM_KEYS, "%zu, this one first"},
    };
    for (int i = 0; i < LOSS_KINDS; i++)
        if (maker->losses[i])
            diag_report(maker->env->diag, losses[i].code, &maker->first_loss[i], losses[i].text,
                        maker->losses[i]);
}

void ballance_lose_brushes(struct ballance_maker *maker, const struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(entity->solids); i++) {
        struct diag_where where = map_where(maker->level, entity, &entity->solids[i], NULL);
        ballance_lose(maker, LOSS_NOTHING, &where);
    }
}

/* --- classes --- */

static const struct bmx_class world_class = {.classname = "worldspawn", .object = "World"};

/* Returns the class of an object; any other brush entity is a mesh. NULL: the entity is none. */
static const struct bmx_class *class_of(const struct map_entity *entity)
{
    const char *classname = entity_value(&entity->keys, "classname");
    const struct bmx_class *kind, *last = NULL;
    for (unsigned i = 0; (kind = bmx_class_at(i)); i++) {
        if (str_equal_nocase(kind->classname, classname))
            return kind;
        last = kind;
    }
    return arrlenu(entity->solids) ? last : NULL;
}

static bool is_model(const struct map_entity *entity)
{
    return entity_is(&entity->keys, "misc_model") || entity_is(&entity->keys, "prop_static") ||
           entity_is(&entity->keys, "prop_dynamic") || entity_is(&entity->keys, "prop_physics");
}

/* A group of brushes is a mesh of its own if it has a name or groups. */
static bool is_world(const struct ballance_maker *maker, size_t number)
{
    const struct entity *keys = &maker->level->entities[number].keys;
    enum class_use use = class_use_of(keys);
    if (number == 0)
        return true;
    if (use == USE_GROUP && (entity_has(keys, "targetname") || entity_has(keys, "_groups")))
        return false;
    return class_is_world(use);
}

/* --- objects --- */

/* An object: the entities of one name. */
struct object_plan {
    const char *name;             /* "" when its entity has none */
    const struct bmx_class *kind; /* NULL: models alone */
    int *brushes, *models;        /* stb_ds arrays: numbers of entities */
    int first;                    /* of them */
};

/* A mesh that several models share. */
struct shared_mesh {
    char *key;
    uint32_t *value; /* stb_ds array: its meshes */
};

struct planner {
    struct ballance_maker *maker;
    struct object_plan *plans; /* stb_ds array */
    struct shared_mesh *shared;
};

/* Entities of one name are one object, but for brushes of another class: these have other groups.
 */
static struct object_plan *plan_of(struct planner *planner, int number, const char *name,
                                   const struct bmx_class *kind)
{
    for (size_t i = 0; i < arrlenu(planner->plans) && *name; i++) {
        struct object_plan *plan = &planner->plans[i];
        if (strcmp(plan->name, name) == 0 && (!kind || !plan->kind || plan->kind == kind))
            return plan;
    }
    struct object_plan plan = {.name = name, .first = number};
    arrput(planner->plans, plan);
    return &arrlast(planner->plans);
}

/* Keys of objects. */
static const char *const object_keys[] = {"_groups", "_hidden", "_smooth"};

/* Counts an entity whose keys are not those of the first one of its object. */
static void compare_keys(struct ballance_maker *maker, const struct map_entity *entity,
                         const struct map_entity *first)
{
    struct diag_where where = map_where(maker->level, entity, NULL, NULL);
    bool same = true;
    for (size_t i = 0; i < sizeof object_keys / sizeof *object_keys; i++)
        same &= strcmp(entity_value(&entity->keys, object_keys[i]),
                       entity_value(&first->keys, object_keys[i])) == 0;
    if (!same)
        ballance_lose(maker, LOSS_KEYS, &where);
}

static void plan_entity(struct planner *planner, int number)
{
    struct ballance_maker *maker = planner->maker;
    const struct map_entity *entity = &maker->level->entities[number];
    const struct bmx_class *kind = class_of(entity);
    struct diag_where where = map_where(maker->level, entity, NULL, NULL);
    const char *name = entity_value(&entity->keys, "targetname");
    if (ballance_component_of(entity) >= 0)
        return;
    if (is_model(entity)) {
        struct object_plan *plan = plan_of(planner, number, name, NULL);
        ballance_lose_brushes(maker, entity);
        arrput(plan->models, number);
    } else if (kind) {
        struct object_plan *plan = plan_of(planner, number, name, kind);
        plan->kind = plan->kind ? plan->kind : kind;
        if (arrlen(plan->brushes))
            compare_keys(maker, entity, &maker->level->entities[plan->brushes[0]]);
        arrput(plan->brushes, number);
    } else {
        ballance_lose(maker, LOSS_ENTITY, &where);
    }
}

static void plan_objects(struct planner *planner)
{
    struct ballance_maker *maker = planner->maker;
    struct object_plan world = {.kind = &world_class, .name = ""};
    bool has_brushes = false;
    for (size_t i = 0; i < arrlenu(maker->level->entities); i++) {
        const struct map_entity *entity = &maker->level->entities[i];
        struct diag_where where = map_where(maker->level, entity, NULL, NULL);
        for (size_t k = 0; k < arrlenu(entity->patches); k++)
            ballance_lose(maker, LOSS_CURVE, &where);
        if (!is_world(maker, i))
            continue;
        has_brushes |= arrlenu(entity->solids) > 0;
        compare_keys(maker, entity, &maker->level->entities[0]);
        arrput(world.brushes, (int)i);
    }
    if (has_brushes) {
        world.name = entity_value(&maker->level->entities[0].keys, "targetname");
        arrput(planner->plans, world);
    } else {
        arrfree(world.brushes);
    }
    for (size_t i = 0; i < arrlenu(maker->level->entities); i++)
        if (!is_world(maker, i))
            plan_entity(planner, (int)i);
}

static const char *const model_scales[] = {"modelscale", "uniformscale", "modelscale_vec", NULL};

/* Appends the model of an entity where it stands. */
static void add_placed_model(struct ballance_maker *maker, int number, struct soup_triangle **soup)
{
    const struct map_entity *entity = &maker->level->entities[number];
    struct object_place place;
    size_t begin = arrlenu(*soup);
    ballance_place(maker, entity, model_scales, true, &place);
    if (!ballance_add_model(maker, entity, place.scale, soup))
        return;
    for (size_t i = begin; i < arrlenu(*soup); i++) {
        struct soup_triangle *triangle = &(*soup)[i];
        triangle->normal = vec3_normalize(ballance_turn(place.matrix, triangle->normal));
        for (int k = 0; k < 3; k++) {
            struct soup_corner *corner = &triangle->corners[k];
            corner->p = ballance_move(maker, place.matrix, corner->p);
            if (vec3_length(corner->normal) > 0)
                corner->normal = vec3_normalize(ballance_turn(place.matrix, corner->normal));
        }
    }
}

/* Returns a key that is equal for entities that share a mesh. */
static const char *model_key(struct ballance_maker *maker, const struct map_entity *entity,
                             struct vec3 scale)
{
    return arena_printf(&maker->arena, "%s %.17g %.17g %.17g %s %s",
                        entity_value(&entity->keys, "model"), scale.x, scale.y, scale.z,
                        entity_value(&entity->keys, "skin"),
                        entity_value(&entity->keys, "_smooth"));
}

static double smooth_of(const struct map_entity *entity)
{
    return entity_number(&entity->keys, "_smooth", 0);
}

/* Returns the meshes of a model, which all entities with it share. */
static uint32_t *model_meshes(struct planner *planner, const struct map_entity *entity,
                              struct vec3 scale)
{
    struct ballance_maker *maker = planner->maker;
    const char *key = model_key(maker, entity, scale);
    ptrdiff_t at = shgeti(planner->shared, key);
    struct diag_where where = map_where(maker->level, entity, NULL, NULL);
    struct soup_triangle *soup = NULL;
    uint32_t *meshes = NULL;
    if (at >= 0)
        return planner->shared[at].value;
    if (ballance_add_model(maker, entity, scale, &soup)) {
        const char *name = path_name(entity_value(&entity->keys, "model"));
        const char *dot = strrchr(name, '.');
        name = arena_strndup(&maker->arena, name, dot ? (size_t)(dot - name) : strlen(name));
        ballance_add_meshes(maker, name, soup, smooth_of(entity), &where, &meshes);
    }
    arrfree(soup);
    shput(planner->shared, key, meshes);
    return meshes;
}

/* Adds an object for each of the meshes. */
static void add_objects(struct ballance_maker *maker, const struct object_plan *plan,
                        const char *name, const float matrix[16], const uint32_t *meshes)
{
    const struct map_entity *entity = &maker->level->entities[plan->first];
    struct diag_where where = map_where(maker->level, entity, NULL, NULL);
    const struct bmx_class *kind = plan->kind;
    bool hidden = entity_number(&entity->keys, "_hidden", kind && kind->hidden) > 0;
    const char *implied[] = {kind ? kind->group : NULL};
    for (size_t i = 0; i < arrlenu(meshes); i++) {
        struct bmx_object object = {.is_hidden = hidden, .mesh = meshes[i]};
        memcpy(object.matrix, matrix, sizeof object.matrix);
        object.name = bmx_text_make(
            ballance_name(maker, BMX_OBJECT, name, false, *plan->name && !i ? &where : NULL));
        ballance_set_groups(maker, entity, implied, implied[0] != NULL, &object);
        arrput(maker->bmx->objects, object);
    }
}

static const char *object_name(struct ballance_maker *maker, const struct object_plan *plan)
{
    const char *model = entity_value(&maker->level->entities[plan->first].keys, "model");
    if (*plan->name)
        return plan->name;
    if (plan->kind == &world_class)
        return world_class.object;
    if (plan->kind)
        return arena_printf(&maker->arena, "%s_%02d", plan->kind->object, plan->first);
    const char *name = path_name(model), *dot = strrchr(name, '.');
    return arena_strndup(&maker->arena, name, dot ? (size_t)(dot - name) : strlen(name));
}

static void make_object(struct planner *planner, const struct object_plan *plan)
{
    static const char *const scales[] = {"_scale", NULL};
    struct ballance_maker *maker = planner->maker;
    const struct map_entity *entity = &maker->level->entities[plan->first];
    const char *name = object_name(maker, plan);
    struct diag_where where = map_where(maker->level, entity, NULL, NULL);
    struct soup_triangle *soup = NULL;
    struct object_place place;
    uint32_t *meshes = NULL;
    bool has_brushes = false;
    if (!plan->kind && arrlen(plan->models) == 1) {
        ballance_place(maker, entity, model_scales, true, &place);
        add_objects(maker, plan, name, place.matrix, model_meshes(planner, entity, place.scale));
        return;
    }
    ballance_identity(place.matrix);
    for (size_t i = 0; i < arrlenu(plan->brushes); i++)
        has_brushes |= arrlenu(maker->level->entities[plan->brushes[i]].solids) > 0;
    if (has_brushes)
        ballance_add_brushes(maker, plan->brushes, plan->kind->hidden, &soup);
    for (size_t i = 0; i < arrlenu(plan->models); i++)
        add_placed_model(maker, plan->models[i], &soup);
    bool empty = !has_brushes && !arrlenu(plan->models);
    if (empty) /* an object without faces, as some files have */
        ballance_place(maker, entity, scales, false, &place);
    if (empty || arrlenu(soup))
        ballance_add_meshes(maker, name, soup, smooth_of(entity), &where, &meshes);
    add_objects(maker, plan, name, place.matrix, meshes);
    arrfree(soup);
    arrfree(meshes);
}

static void make_objects(struct ballance_maker *maker)
{
    struct planner planner = {.maker = maker};
    sh_new_strdup(planner.shared);
    plan_objects(&planner);
    for (size_t i = 0; i < arrlenu(planner.plans); i++) {
        make_object(&planner, &planner.plans[i]);
        arrfree(planner.plans[i].brushes);
        arrfree(planner.plans[i].models);
    }
    for (size_t i = 0; i < shlenu(planner.shared); i++)
        arrfree(planner.shared[i].value);
    shfree(planner.shared);
    arrfree(planner.plans);
}

static void free_maker(struct ballance_maker *maker)
{
    material_table_free(&maker->table);
    arrfree(maker->table_materials);
    arrfree(maker->table_textures);
    shfree(maker->faces);
    for (int i = 0; i < BMX_KINDS; i++)
        shfree(maker->names[i]);
    arena_free(&maker->arena);
}

static void expect_keys(struct ballance_maker *maker)
{
    for (size_t i = 0; i < arrlenu(maker->level->entities); i++)
        ballance_expect_numbers(maker, &maker->level->entities[i]);
}

enum status ballance_make(const struct env *env, const struct ballance_options *options,
                          struct assets *assets, const struct level *level, struct bmx **out)
{
    struct ballance_maker maker = {.env = env,
                                   .options = options,
                                   .assets = assets,
                                   .level = level,
                                   .bmx = bmx_new(),
                                   .scale = options->scale > 0 ? options->scale : BALLANCE_SCALE};
    enum status status = ballance_open_table(&maker);
    if (status == STATUS_OK) {
        expect_keys(&maker);
        ballance_add_components(&maker);
        make_objects(&maker);
        ballance_prune(maker.bmx);
        report_losses(&maker);
        if (!arrlenu(maker.bmx->objects))
            status = diag_report(env->diag, DIAG_BMX_FROM_NOTHING,
                                 &(struct diag_where){.file = level->file},
                                 "the level has neither brushes nor models nor components");
    }
    *out = maker.bmx;
    if (status != STATUS_OK) {
        bmx_free(maker.bmx);
        *out = NULL;
    }
    free_maker(&maker);
    return status;
}
