#include "view/pack/portals.h"

#include "common/bsp/query.h"
#include "common/bsp/sidecar/prt.h"
#include "common/core/array.h"

static void put_portal(const struct prt_portal *portal, struct bytes *portals, struct bytes *points)
{
    enum { POINT = 3 * sizeof(float) };
    bytes_i32(portals, portal->clusters[0]);
    bytes_i32(portals, portal->clusters[1]);
    bytes_u32(portals, (uint32_t)(points->size / POINT));
    bytes_u32(portals, (uint32_t)portal->winding->count);
    for (int i = 0; i < portal->winding->count; i++)
        for (int k = 0; k < 3; k++)
            bytes_f32(points, (float)portal->winding->points[i].e[k]);
}

void view_portals_pack(const struct bsp *bsp, const struct bytes *text, struct view_data *data)
{
    struct bytes portals = {0}, points = {0};
    struct prt prt = {0};
    struct diag *quiet = diag_new(NULL, NULL); /* a map without its portals can be seen */
    int clusters = bsp_vis_is_valid(bsp) ? bsp_vis_clusters(bsp) : 0;
    if (text->size &&
        prt_parse((const char *)text->data, text->size, "portals", quiet, &prt) == STATUS_OK)
        for (size_t i = 0; i < arrlenu(prt.portals) && prt.cluster_count == clusters; i++)
            put_portal(&prt.portals[i], &portals, &points);
    view_data_stream(data, "portals", &portals, 4 * sizeof(int32_t));
    view_data_stream(data, "portalPoints", &points, 3 * sizeof(float));
    prt_free(&prt);
    diag_free(quiet);
    bytes_free(&portals);
    bytes_free(&points);
}
