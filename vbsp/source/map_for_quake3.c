#include "vbsp/source/map_for_quake3.h"

#include "common/assets/shader.h"
#include "common/core/array.h"
#include "common/core/strings.h"

struct tool {
    const char *source, *quake;
};

static const struct tool tools[] = {
    {"tools/toolsareaportal", "textures/common/areaportal"},
    {"tools/toolsblack", "textures/common/caulk"},
    {"tools/toolsblockbullets", "textures/common/weapclip"},
    {"tools/toolsclip", "textures/common/clip"},
    {"tools/toolshint", "textures/common/hint"},
    {"tools/toolsinvisible", "textures/common/clip"},
    {"tools/toolsnodraw", "textures/common/caulk"},
    {"tools/toolsnpcclip", "textures/common/botclip"},
    {"tools/toolsorigin", "textures/common/origin"},
    {"tools/toolsplayerclip", "textures/common/clip"},
    {"tools/toolsskip", "textures/common/skip"},
    {"tools/toolstrigger", "textures/common/trigger"},
};

static const char *shader_of(struct map_source *map, const char *material)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (str_equal_nocase(material, tools[i].source))
            return tools[i].quake;
    return arena_printf(&map->arena, "textures/%s", material);
}

/* Returns its displacements, which are gone. */
static size_t change_solid(struct map_source *map, struct map_solid *solid, bool detail)
{
    size_t displacements = 0;
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        struct map_side *side = &solid->sides[i];
        side->material = shader_of(map, side->material);
        side->contents = detail ? Q3_CONTENTS_DETAIL : 0;
        side->flags = 0;
        displacements += side->displacement != NULL;
        side->displacement = NULL;
    }
    return displacements;
}

void map_for_quake3(struct map_source *map, struct diag *diag)
{
    size_t displacements = 0;
    if (map->counted_ids)
        return;
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        struct map_entity *entity = &map->entities[i];
        bool detail = entity_is(&entity->keys, "func_detail");
        bool joins = detail || entity_is(&entity->keys, "func_areaportal") ||
                     entity_is(&entity->keys, "func_areaportalwindow");
        for (size_t j = 0; j < arrlenu(entity->solids); j++)
            displacements += change_solid(map, &entity->solids[j], detail);
        if (joins)
            entity_set(&entity->keys, &map->arena, "classname", "func_group");
    }
    if (displacements)
        (void)diag_report(diag, DIAG_Q3_DISPLACEMENTS, &(struct diag_where){.file = map->file},
                          "%zu displacement%s flat", displacements,
                          displacements == 1 ? " stays" : "s stay");
}
