#include <string.h>

#include "common/core/array.h"
#include "library/bsp.h"

static struct entity *entity_at(const struct brushwork_bsp *bsp, size_t entity)
{
    struct entity *entities = bsp->entities.entities;
    return entity < arrlenu(entities) ? &entities[entity] : NULL;
}

static const struct key_value *pair_at(const struct brushwork_bsp *bsp, size_t entity, size_t pair)
{
    const struct entity *at = entity_at(bsp, entity);
    return at && pair < arrlenu(at->pairs) ? &at->pairs[pair] : NULL;
}

size_t brushwork_entity_count(const struct brushwork_bsp *bsp)
{
    if (!bsp_look(bsp))
        return 0;
    size_t count = arrlenu(bsp->entities.entities);
    session_looked(bsp->session);
    return count;
}

enum brushwork_status brushwork_entity_add(struct brushwork_bsp *bsp, size_t *entity)
{
    ENTER(bsp_enter(bsp));
    if (entity)
        *entity = arrlenu(bsp->entities.entities);
    arrput(bsp->entities.entities, (struct entity){0});
    bsp->entities_changed = true;
    return session_leave(bsp->session, BRUSHWORK_OK);
}

static enum brushwork_status refuse_index(const struct brushwork_bsp *bsp, size_t entity)
{
    return session_refuse(bsp->session, "there is no entity %zu", entity);
}

static enum brushwork_status remove_at(struct brushwork_bsp *bsp, size_t entity)
{
    struct entity *at = entity_at(bsp, entity);
    if (!at)
        return refuse_index(bsp, entity);
    if (entity == 0)
        return session_refuse(bsp->session, "worldspawn cannot be removed");
    arrfree(at->pairs);
    arrdel(bsp->entities.entities, entity);
    bsp->entities_changed = true;
    return BRUSHWORK_OK;
}

enum brushwork_status brushwork_entity_remove(struct brushwork_bsp *bsp, size_t entity)
{
    ENTER(bsp_enter(bsp));
    return session_leave(bsp->session, remove_at(bsp, entity));
}

size_t brushwork_pair_count(const struct brushwork_bsp *bsp, size_t entity)
{
    if (!bsp_look(bsp))
        return 0;
    const struct entity *at = entity_at(bsp, entity);
    size_t count = at ? arrlenu(at->pairs) : 0;
    session_looked(bsp->session);
    return count;
}

const char *brushwork_pair_key(const struct brushwork_bsp *bsp, size_t entity, size_t pair)
{
    if (!bsp_look(bsp))
        return NULL;
    const struct key_value *at = pair_at(bsp, entity, pair);
    const char *key = at ? at->key : NULL;
    session_looked(bsp->session);
    return key;
}

const char *brushwork_pair_value(const struct brushwork_bsp *bsp, size_t entity, size_t pair)
{
    if (!bsp_look(bsp))
        return NULL;
    const struct key_value *at = pair_at(bsp, entity, pair);
    const char *value = at ? at->value : NULL;
    session_looked(bsp->session);
    return value;
}

static bool can_store(const char *text)
{
    return !text[strcspn(text, "\"\r\n")];
}

static enum brushwork_status change(struct brushwork_bsp *bsp, size_t entity, const char *key,
                                    const char *value, bool replace)
{
    struct entity *at = entity_at(bsp, entity);
    if (!at)
        return refuse_index(bsp, entity);
    if (!key || !value)
        return session_refuse(bsp->session, "a key or a value that is NULL");
    if (!can_store(key) || !can_store(value))
        return session_refuse(bsp->session, "an entity text cannot store a quote or a line break");
    struct arena *arena = &bsp->entities.arena;
    struct key_value pair = {0};
    if (replace) {
        entity_set(at, arena, key, value);
    } else {
        pair = (struct key_value){arena_strdup(arena, key), arena_strdup(arena, value)};
        arrput(at->pairs, pair);
    }
    bsp->entities_changed = true;
    return BRUSHWORK_OK;
}

enum brushwork_status brushwork_pair_add(struct brushwork_bsp *bsp, size_t entity, const char *key,
                                         const char *value)
{
    ENTER(bsp_enter(bsp));
    return session_leave(bsp->session, change(bsp, entity, key, value, false));
}

enum brushwork_status brushwork_entity_set(struct brushwork_bsp *bsp, size_t entity,
                                           const char *key, const char *value)
{
    ENTER(bsp_enter(bsp));
    return session_leave(bsp->session, change(bsp, entity, key, value, true));
}

const char *brushwork_entity_get(const struct brushwork_bsp *bsp, size_t entity, const char *key)
{
    if (!key || !bsp_look(bsp))
        return NULL;
    const struct entity *at = entity_at(bsp, entity);
    const char *value = at && entity_has(at, key) ? entity_value(at, key) : NULL;
    session_looked(bsp->session);
    return value;
}

static enum brushwork_status unset(struct brushwork_bsp *bsp, size_t entity, const char *key)
{
    struct entity *at = entity_at(bsp, entity);
    if (!at)
        return refuse_index(bsp, entity);
    if (!key)
        return session_refuse(bsp->session, "a key that is NULL");
    entity_remove(at, key);
    bsp->entities_changed = true;
    return BRUSHWORK_OK;
}

enum brushwork_status brushwork_entity_unset(struct brushwork_bsp *bsp, size_t entity,
                                             const char *key)
{
    ENTER(bsp_enter(bsp));
    return session_leave(bsp->session, unset(bsp, entity, key));
}
