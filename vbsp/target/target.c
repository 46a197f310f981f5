#include "vbsp/target/target.h"

#include "common/bsp/engine.h"

static const struct vbsp_target *const targets[ENGINE_FAMILIES] = {
    [ENGINE_SOURCE] = &vbsp_target_source,
    [ENGINE_QUAKE3] = &vbsp_target_quake3,
};

const struct vbsp_target *vbsp_target_of(const struct engine *engine)
{
    return engine->family < ENGINE_FAMILIES ? targets[engine->family] : NULL;
}
