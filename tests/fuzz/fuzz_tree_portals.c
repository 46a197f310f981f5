/* Any bytes as a BSP without a portal file: portals are made from its tree, and its visibility is
 * computed when they are few. */
#include <stdint.h>

#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"
#include "vvis/graph/tree_portals.h"
#include "vvis/vvis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES_MAX = 1 << 18, PORTALS_MAX = 48 };

static void check_portals(const struct prt *prt)
{
    for (size_t i = 0; i < arrlenu(prt->portals); i++) {
        const struct prt_portal *portal = &prt->portals[i];
        check(portal->winding->count >= 3 && portal->winding->count <= PRT_POINTS_MAX);
        check(portal->clusters[0] != portal->clusters[1]);
        for (int side = 0; side < 2; side++)
            check(portal->clusters[side] >= 0 && portal->clusters[side] < prt->cluster_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    const struct env env = {.diag = diag, .threads = 1};
    struct bsp *bsp = NULL;
    struct prt prt;
    if (size <= BYTES_MAX && bsp_decode(data, size, "fuzz", diag, &bsp) == STATUS_OK) {
        if (tree_portals_make(&env, bsp, &prt) == STATUS_OK) {
            check_portals(&prt);
            if (arrlen(prt.portals) <= PORTALS_MAX)
                (void)!vvis_run(&env, &vvis_defaults, NULL, &prt, bsp);
        } else {
            check(diag_count(diag, DIAG_ERROR) > 0);
        }
        prt_free(&prt);
    }
    bsp_free(bsp);
    diag_free(diag);
    return 0;
}
