#include "vrad/target/target.h"

#include <string.h>

#include "common/core/array.h"
#include "common/text/entity_view.h"

static const struct vrad_target *const targets[ENGINE_FAMILIES] = {
    [ENGINE_SOURCE] = &vrad_source,
    [ENGINE_QUAKE3] = &vrad_quake3,
};

const struct vrad_target *vrad_target_of(const struct bsp *bsp)
{
    const enum engine_family family = bsp->engine->family;
    return family < ENGINE_FAMILIES ? targets[family] : NULL;
}

/* While a map is lit its text has no entities: whoever reads some gets them from the view. */
enum status vrad_target_light(const struct env *env, const struct vrad_options *options,
                              struct assets *assets, struct light_checkpoint *checkpoint,
                              struct entity_reads *reads, struct bsp *bsp)
{
    struct entity_view *entities;
    TRY(entity_view_parse(bsp->entities, arrlenu(bsp->entities), "entities", env->diag, &entities));
    entity_view_watch(entities, reads);
    char *text = bsp->entities;
    bsp->entities = NULL;
    enum status status =
        vrad_target_of(bsp)->light(env, options, assets, checkpoint, entities, bsp);
    bsp->entities = text;
    if (entity_view_is_changed(entities)) {
        struct bytes lump = {0};
        entity_view_format(entities, &lump);
        arrsetlen(bsp->entities, lump.size);
        memcpy(bsp->entities, lump.data, lump.size);
        bytes_free(&lump);
    }
    entity_view_free(entities);
    return status;
}

void vrad_report_inapplicable(const struct env *env, const struct vrad_options *options,
                              const struct vrad_target *target)
{
    for (size_t i = 0; i < target->inapplicable_count; i++) {
        const struct vrad_option *option = &target->inapplicable[i];
        const char *given = (const char *)options + option->offset;
        const char *otherwise = (const char *)&vrad_defaults + option->offset;
        if (memcmp(given, otherwise, option->size) != 0)
            diag_report(env->diag, DIAG_FOREIGN_OPTION, NULL, "%s does not apply to this map",
                        option->name);
    }
}
