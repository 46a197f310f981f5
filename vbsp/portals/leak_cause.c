#include "vbsp/portals/leak_cause.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/map_files.def"
#include "common/diag/codes/sides.def"
#include "common/diag/codes/solids.def"
#include "common/diag/diag.h"
#include "vbsp/context.h"

static bool drops_solid(int code)
{
    return code == DIAG_SIDE_PLANE || code == DIAG_SOLID_SIDES || code == DIAG_MAP_BRUSH ||
           code == DIAG_BRUSH_UNBOUNDED || code == DIAG_BRUSH_NO_VOLUME;
}

/* Solids of other entities close nothing. */
static bool is_of_world(const struct compile *compile, const struct diag_where *where)
{
    const struct level *level = compile->level;
    return arrlen(level->entities) && where->entity_id == level->entities[0].id;
}

/* A solid may be reported by several of its sides, and then as a whole. */
static bool is_same_solid(const struct diag_where *a, const struct diag_where *b)
{
    return a->solid_id == b->solid_id && a->file && b->file && strcmp(a->file, b->file) == 0;
}

const char *leak_cause_text(const struct compile *compile, struct arena *arena)
{
    const struct diag *diag = compile->env->diag;
    const struct diag_entry *dropped = NULL; /* the last report of the first solid */
    size_t others = 0;
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        if (!drops_solid(entry->code) || !is_of_world(compile, &entry->where))
            continue;
        if (!dropped || is_same_solid(&dropped->where, &entry->where))
            dropped = entry;
        else
            others++;
    }
    if (!dropped)
        return "";
    const struct diag_info *info = diag_info(dropped->code);
    return arena_printf(arena, "; solid %s, dropped as %s (%s), may have closed it%s",
                        diag_solid_number(&dropped->where).text, info->title, info->code,
                        others ? ", or another that was dropped" : "");
}
