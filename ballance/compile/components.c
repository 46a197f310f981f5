/* Components: point entities of the game's own objects, which have no mesh in the file. */
#include <stdlib.h>

#include "ballance/bmx/names.h"
#include "ballance/compile/maker.h"
#include "common/core/strings.h"
#include "common/diag/codes/map_to_ballance.def"

/* Returns true for those that the game counts through the level, in a group of another name. */
static bool is_special(const char *component)
{
    return strcmp(bmx_component_group(component), component) != 0;
}

int ballance_component_of(const struct map_entity *entity)
{
    const char *classname = entity_value(&entity->keys, "classname");
    for (unsigned i = 0; i < BMX_COMPONENTS; i++)
        if (str_equal_nocase(bmx_component(i), classname))
            return (int)i;
    return -1;
}

struct component {
    const struct map_entity *entity;
    unsigned number, sector; /* sector 0: none */
    int order;               /* in the level */
};

/* By kind and sector, then as in the level. */
static int component_order(const void *a, const void *b)
{
    const struct component *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->sector != y->sector)
        return x->sector < y->sector ? -1 : 1;
    return x->order - y->order;
}

/* Objects that the game makes when their sector begins. */
static bool has_sector(const char *component)
{
    return strncmp(component, "P_", 2) == 0 || strcmp(component, "PR_Resetpoint") == 0;
}

static const char *default_name(struct ballance_maker *maker, const struct component *component,
                                int count)
{
    const char *kind = bmx_component(component->number);
    if (!is_special(kind))
        return arena_printf(&maker->arena, "%s_%02u_%02d", kind, component->sector, count);
    if (has_sector(kind) && component->sector)
        count = (int)component->sector;
    return arena_printf(&maker->arena, "%s_%02d", kind, count);
}

/* Returns the next name that no component is given by its keys, after those of `count` others. The
 * number of a reset point is that of its sector. */
static const char *next_name(struct ballance_maker *maker, const struct component *component,
                             struct name_entry_map *given, int *count)
{
    const char *name = default_name(maker, component, ++*count);
    bool is_counted = !is_special(bmx_component(component->number)) || !component->sector ||
                      !has_sector(bmx_component(component->number));
    while (is_counted && shgeti(given, name) >= 0)
        name = default_name(maker, component, ++*count);
    return name;
}

/* Programs recognise components by their names. */
static const char *component_name(struct ballance_maker *maker, const struct component *component,
                                  struct name_entry_map *given, int *count,
                                  const struct diag_where *where)
{
    const char *name = entity_value(&component->entity->keys, "targetname");
    if (!*name)
        return ballance_name(maker, BMX_OBJECT, next_name(maker, component, given, count), true,
                             NULL);
    const char *own = name;
    if (bmx_component_of(name) != (int)component->number) {
        own = arena_printf(&maker->arena, "%s_%s", bmx_component(component->number), name);
        diag_report(maker->env->diag, DIAG_BMX_FROM_NAME, where, "object '%s' is '%s'", name, own);
    }
    return ballance_name(maker, BMX_OBJECT, own, true, where);
}

/* Reports keys that the component needs and does not have. */
static void expect_keys(struct ballance_maker *maker, const struct component *component,
                        const struct diag_where *where)
{
    const struct entity *keys = &component->entity->keys;
    const char *kind = bmx_component(component->number);
    bool is_free = !has_sector(kind) || *entity_value(keys, "_groups") == '=';
    if (!component->sector && entity_has(keys, "sector"))
        diag_report(maker->env->diag, DIAG_BMX_FROM_SECTOR, where, "%s: sector '%s'", kind,
                    entity_value(keys, "sector"));
    else if (!component->sector && !is_free)
        diag_report(maker->env->diag, DIAG_BMX_FROM_SECTOR, where, "%s", kind);
    if (!entity_has(keys, "origin"))
        diag_report(maker->env->diag, DIAG_BMX_FROM_NUMBERS, where, "%s: no origin", kind);
    ballance_lose_brushes(maker, component->entity);
}

static void add_component(struct ballance_maker *maker, const struct component *component,
                          struct name_entry_map *given, int *count)
{
    static const char *const scales[] = {"_scale", NULL};
    struct diag_where where = map_where(maker->level, component->entity, NULL, NULL);
    struct bmx_object object = {.is_component = 1, .mesh = component->number};
    const char *kind = bmx_component(component->number), *implied[2] = {bmx_component_group(kind)};
    size_t groups = 1;
    struct object_place place;
    if (component->sector)
        implied[groups++] = ballance_sector(maker, component->sector);
    expect_keys(maker, component, &where);
    ballance_place(maker, component->entity, scales, false, &place);
    memcpy(object.matrix, place.matrix, sizeof object.matrix);
    object.is_hidden = entity_number(&component->entity->keys, "_hidden", 0) > 0;
    object.name = bmx_text_make(component_name(maker, component, given, count, &where));
    ballance_set_groups(maker, component->entity, implied, groups, &object);
    arrput(maker->bmx->objects, object);
}

void ballance_add_components(struct ballance_maker *maker)
{
    struct component *all = NULL;
    struct name_entry_map *given = NULL;
    sh_new_strdup(given);
    for (size_t i = 0; i < arrlenu(maker->level->entities); i++) {
        const struct map_entity *entity = &maker->level->entities[i];
        int number = ballance_component_of(entity);
        double sector = entity_number(&entity->keys, "sector", 0);
        struct component component = {
            .entity = entity, .number = (unsigned)number, .order = (int)i};
        if (sector >= 1 && sector < 1000 && !(sector > floor(sector)))
            component.sector = (unsigned)sector;
        if (number < 0)
            continue;
        arrput(all, component);
        shput(given, entity_value(&entity->keys, "targetname"), 1);
    }
    if (all)
        qsort(all, arrlenu(all), sizeof *all, component_order);
    int count = 0;
    for (size_t i = 0; i < arrlenu(all); i++) {
        bool same =
            i && all[i].number == all[i - 1].number &&
            (is_special(bmx_component(all[i].number)) || all[i].sector == all[i - 1].sector);
        count = same ? count : 0;
        add_component(maker, &all[i], given, &count);
    }
    arrfree(all);
    shfree(given);
}
