/* Any bytes as a portal file: read, written and read again, and its visibility computed when it is
 * small. */
#include <stdint.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"
#include "vvis/vvis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CLUSTERS_MAX = 64, PORTALS_MAX = 48 };

static void check_format(const struct prt *prt, struct diag *diag)
{
    struct bytes once = {0}, twice = {0};
    struct prt again;
    prt_format(prt, &once);
    check(prt_parse((const char *)once.data, once.size, "again", diag, &again) == STATUS_OK);
    check(again.cluster_count == prt->cluster_count);
    check(arrlen(again.portals) == arrlen(prt->portals));
    prt_format(&again, &twice);
    check(once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0);
    bytes_free(&once);
    bytes_free(&twice);
    prt_free(&again);
}

static void check_visibility(const struct prt *prt, bool fast, struct diag *diag)
{
    struct env env = {.diag = diag, .threads = 1};
    struct vvis_options options = vvis_defaults;
    options.fast = fast;
    struct bsp *bsp = bsp_new();
    check(vvis_run(&env, &options, NULL, prt, bsp) == STATUS_OK);
    int clusters = bsp_vis_clusters(bsp);
    check(clusters == prt->cluster_count);
    for (int i = 0; i < clusters; i++) {
        check(bsp_vis_sees(bsp, i, i));
        for (int k = 0; k < i; k++)
            check(bsp_vis_sees(bsp, i, k) == bsp_vis_sees(bsp, k, i));
    }
    bsp_free(bsp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct prt prt;
    if (prt_parse((const char *)data, size, "fuzz", diag, &prt) != STATUS_OK) {
        check(diag_entries(diag) > 0); /* never without a report */
    } else {
        check_format(&prt, diag);
        if (prt.cluster_count <= CLUSTERS_MAX && arrlen(prt.portals) <= PORTALS_MAX)
            for (int fast = 0; fast < 2; fast++)
                check_visibility(&prt, fast, diag);
        prt_free(&prt);
    }
    diag_free(diag);
    return 0;
}
