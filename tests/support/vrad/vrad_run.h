/* Runs vrad as a whole on a BSP in memory. */
#ifndef TESTS_VRAD_RUN_H
#define TESTS_VRAD_RUN_H

#include "common/assets/assets.h"
#include "tests/support/room_bsp.h"
#include "tests/support/texture_files.h"
#include "vrad/vrad.h"

static inline struct vrad_options vrad_direct_only(void)
{
    struct vrad_options options = vrad_defaults;
    options.bounce = 0;
    return options;
}

/* `lights` are the entities of the map; `look_up` finds the materials. */
static inline void vrad_run_on(const struct env *env, const struct vrad_options *options,
                               const struct assets_options *look_up, const char *lights,
                               struct bsp *bsp)
{
    struct assets *assets;
    room_set_entities(bsp, lights);
    assert_int_equal(assets_open(env, look_up, &assets), STATUS_OK);
    assert_int_equal(vrad_run(env, options, NULL, assets, bsp), STATUS_OK);
    assets_free(assets);
}

/* A texture of two texels side by side with these alphas. */
static inline void put_alpha_texture(struct fs *fs, const char *path, unsigned char left,
                                     unsigned char right)
{
    const unsigned char texels[8] = {9, 9, 9, left, 9, 9, 9, right};
    put_vtf(fs, path, 2, 1, TEXTURE_BGRA, texels);
}

#endif
