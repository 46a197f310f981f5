#include "vbsp/source/map_source.h"

#include "common/core/array.h"

struct diag_where map_where(const struct map_source *source, const struct map_entity *entity,
                            const struct map_solid *solid, const struct map_side *side)
{
    struct diag_where where = {.file = source->file};
    if (entity) {
        where.entity_id = entity->id;
        where.line = entity->line;
    }
    if (solid) {
        where.solid_id = solid->id;
        where.line = solid->line;
    }
    if (side) {
        where.side_id = side->id;
        where.line = side->line;
    }
    return where;
}

void map_entity_free(struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(entity->solids); i++)
        arrfree(entity->solids[i].sides);
    arrfree(entity->solids);
    arrfree(entity->keys.pairs);
}

void map_source_free(struct map_source *source)
{
    for (size_t i = 0; i < arrlenu(source->entities); i++)
        map_entity_free(&source->entities[i]);
    arrfree(source->entities);
    arena_free(&source->arena);
}
