#include "common/text/entity_options.h"

#include "common/core/array.h"

enum status entity_options_apply(const struct program *program, const struct entity *world)
{
    for (size_t i = 0; i < arrlenu(world->pairs); i++)
        TRY(options_apply_map_key(program->table, program->values, program->result,
                                  world->pairs[i].key, world->pairs[i].value, program->env->diag));
    console_settings(program->console, program->table, program->values, program->result);
    return STATUS_OK;
}

enum status entity_options_apply_text(const struct program *program, const char *text, size_t size,
                                      const char *name)
{
    struct entity_list list = {0};
    enum status status = entities_parse(text, size, name, program->env->diag, &list);
    if (status == STATUS_OK && arrlenu(list.entities))
        status = entity_options_apply(program, &list.entities[0]);
    entities_free(&list);
    return status;
}
