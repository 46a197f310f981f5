/* All of vrad on a BSP in memory. */
#ifndef TESTS_VRAD_RUN_H
#define TESTS_VRAD_RUN_H

#include "common/assets/assets.h"
#include "tests/support/room_bsp.h"
#include "vrad/vrad.h"

static inline struct vrad_options vrad_direct_only(void)
{
    struct vrad_options options = vrad_defaults;
    options.bounce = 0;
    return options;
}

/* `lights` are the entities of the map; `look_up` says where materials are. */
static inline void vrad_run_on(const struct env *env, const struct vrad_options *options,
                               const struct assets_options *look_up, const char *lights,
                               struct bsp *bsp)
{
    struct assets *assets;
    room_set_entities(bsp, lights);
    assert_int_equal(assets_open(env, look_up, &assets), STATUS_OK);
    assert_int_equal(vrad_run(env, options, assets, bsp), STATUS_OK);
    assets_free(assets);
}

#endif
