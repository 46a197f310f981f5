/* Pictures of leaks. */
#ifndef BRUSHWORK_SHARED_LEAK_PICTURE_H
#define BRUSHWORK_SHARED_LEAK_PICTURE_H

#include "render/render.h"

/* Those of brushwork build. */
extern const struct render_options leak_picture_options;

/* Draws the first leak that the run has reported (LEAK) into a picture
 * (picture_store). A map without faces has no
 * picture: that of an earlier run is removed. The assets have the map's packed files then, without
 * their diagnostics: nothing is to be read from them afterwards. */
NODISCARD enum status leak_picture_write(const struct env *env, struct assets *assets,
                                         const struct bsp *bsp,
                                         const struct render_options *options, const char *path);

#endif
