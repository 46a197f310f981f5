#include "vvis/resume/cache_key.h"

#include <string.h>

#include "common/core/array.h"
#include "vvis/vvis.h"

static void add_portal(struct sha256 *hash, const struct prt_portal *portal)
{
    const struct winding *winding = portal->winding;
    sha256_add(hash, portal->clusters, sizeof portal->clusters);
    sha256_add(hash, &winding->count, sizeof winding->count);
    for (int i = 0; i < winding->count; i++)
        for (int axis = 0; axis < 3; axis++)
            sha256_add(hash, &winding->points[i].e[axis], sizeof(double));
}

void cache_key(const struct cache_key_source *source, unsigned char out[SHA256_SIZE])
{
    const struct prt *prt = source->prt;
    const struct option_group group = vvis_option_group(0);
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, vvis_code, strlen(vvis_code) + 1);
    option_group_hash(&group, source->options, &hash);
    sha256_add(&hash, &source->portals_in_map, sizeof source->portals_in_map);
    sha256_add(&hash, &source->radius, sizeof source->radius);
    sha256_add(&hash, &prt->cluster_count, sizeof prt->cluster_count);
    for (size_t i = 0; i < arrlenu(prt->portals); i++)
        add_portal(&hash, &prt->portals[i]);
    sha256_end(&hash, out);
}
