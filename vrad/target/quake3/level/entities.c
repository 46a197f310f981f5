/* Lamps in the entities of a lit map: the game has no use for those that nothing switches, but who
 * lights the map again has. */
#include <string.h>

#include "common/core/array.h"
#include "vrad/target/quake3/parts.h"

void quake3_write_entities(struct quake3_light *q)
{
    struct bytes lump = {0};
    entities_format(&q->entities, &lump);
    arrsetlen(q->bsp->entities, lump.size);
    memcpy(q->bsp->entities, lump.data, lump.size);
    bytes_free(&lump);
}

static bool is_spent(const struct entity *entity)
{
    return entity_is(entity, "light") && !entity_has(entity, "targetname");
}

void quake3_drop_lamps(struct quake3_light *q)
{
    struct entity *entities = q->entities.entities;
    ptrdiff_t count = arrlen(entities), kept = 0;
    if (count == 0 || entity_number(&entities[0], "_keepLights", 1) != 0)
        return;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (i > 0 && is_spent(&entities[i]))
            arrfree(entities[i].pairs);
        else
            entities[kept++] = entities[i];
    }
    arrsetlen(q->entities.entities, (size_t)kept);
    if (kept < count)
        quake3_write_entities(q);
}
