#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/float_mode.h"
#include "library/bsp.h"

/* These read what no call changes, so that nobody need be in the session. */

int32_t brushwork_leaf_at(const struct brushwork_bsp *bsp, const double point[3])
{
    if (!bsp || !point)
        return -1;
    struct float_mode mode;
    float_mode_begin(&mode);
    int32_t leaf = bsp_leaf_at(bsp->bsp, 0, vec3(point[0], point[1], point[2]));
    float_mode_end(&mode);
    return leaf;
}

int32_t brushwork_leaf_cluster(const struct brushwork_bsp *bsp, int32_t leaf)
{
    bool is_leaf = bsp && leaf >= 0 && leaf < arrlen(bsp->bsp->leaves);
    return is_leaf ? bsp->bsp->leaves[leaf].cluster : -1;
}

uint32_t brushwork_contents_at(const struct brushwork_bsp *bsp, const double point[3])
{
    if (!bsp || !point)
        return 0;
    struct vec3 at = vec3(point[0], point[1], point[2]);
    struct float_mode mode;
    float_mode_begin(&mode);
    int contents = bsp_brush_contents_at(bsp->bsp, bsp_leaf_at(bsp->bsp, 0, at), at);
    float_mode_end(&mode);
    return (uint32_t)contents;
}

int brushwork_cluster_sees(const struct brushwork_bsp *bsp, int32_t from, int32_t to)
{
    return bsp && bsp_vis_sees(bsp->bsp, from, to);
}
