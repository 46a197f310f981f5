/* Everything derived from the PVS of real maps, taken from their own lump: the PAS, and water flags
 * and distances. This also tests maps whose portal files are lost. */
#include "tests/support/suite.h"

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "tests/support/bsp_files.h"
#include "vvis/graph/clusters.h"
#include "vvis/target/source/source.h"

struct tally {
    int maps, with_water;
    struct diag *diag;
};

static struct bit_rows rows_of(const struct bsp *bsp, bool audible)
{
    size_t clusters = (size_t)bsp_vis_clusters(bsp), size = (clusters + 7) / 8;
    struct bit_rows rows = bit_rows_new(clusters, clusters);
    unsigned char *bytes = memory_zalloc(1, size);
    for (size_t i = 0; i < clusters; i++) {
        bsp_vis_row(bsp, (int)i, audible, bytes);
        for (size_t k = 0; k < clusters; k++)
            if (bytes[k / 8] >> k % 8 & 1)
                bit_set(bit_row(&rows, i), k);
    }
    memory_free(bytes);
    return rows;
}

static void check_rows(const char *path, const struct env *env, const struct bsp *bsp,
                       const struct bit_rows *pvs)
{
    int clusters = bsp_vis_clusters(bsp);
    struct bit_rows heard = rows_of(bsp, true), pas = clusters_audible(env, pvs, clusters);
    if (memcmp(heard.data, pas.data, (size_t)clusters * pas.words * sizeof(uint64_t)) != 0)
        fail_msg("%s: other clusters are heard", path);
    struct bytes lump = {0};
    encode_visibility(env->threads, pvs, &pas, clusters, &lump);
    if (lump.size != bsp->visibility.size ||
        memcmp(lump.data, bsp->visibility.data, lump.size) != 0)
        fail_msg("%s: the lump has other bytes", path);
    bytes_free(&lump);
    memory_free(heard.data);
    memory_free(pas.data);
}

/* Clears first what vvis computes. */
static void check_water(const char *path, const struct env *env, struct bsp *bsp,
                        const struct bit_rows *pvs, struct tally *tally)
{
    size_t leaves = arrlenu(bsp->leaves), wet = 0;
    int32_t *contents = memory_zalloc(leaves, sizeof *contents);
    int32_t *distances = memory_zalloc(leaves, sizeof *distances);
    assert_int_equal(arrlenu(bsp->leaf_min_dist_to_water), leaves);
    for (size_t i = 0; i < leaves; i++) {
        contents[i] = bsp->leaves[i].contents;
        distances[i] = bsp->leaf_min_dist_to_water[i];
        wet += bsp->leaves[i].water_data >= 0;
        bsp->leaves[i].contents ^= CONTENTS_TESTFOGVOLUME;
        bsp->leaf_min_dist_to_water[i] = -1;
    }
    water_mark(env, pvs, bsp_vis_clusters(bsp), bsp);
    for (size_t i = 0; i < leaves; i++) {
        if (bsp->leaves[i].contents != contents[i])
            fail_msg("%s: leaf %zu has contents %x, not %x", path, i, bsp->leaves[i].contents,
                     contents[i]);
        if (bsp->leaf_min_dist_to_water[i] != distances[i])
            fail_msg("%s: leaf %zu is %d from water, not %d", path, i,
                     bsp->leaf_min_dist_to_water[i], distances[i]);
    }
    tally->with_water += wet > 0;
    memory_free(contents);
    memory_free(distances);
}

static void visit(void *context, const char *path, const struct bytes *file)
{
    struct tally *tally = context;
    struct env env = {.diag = tally->diag, .fs = fs_disk(), .threads = 2};
    struct bsp *bsp;
    if (bsp_decode(file->data, file->size, path, tally->diag, &bsp) != STATUS_OK)
        return;
    if (bsp->engine->family == ENGINE_SOURCE && bsp_vis_clusters(bsp) > 0) {
        struct bit_rows pvs = rows_of(bsp, false);
        check_rows(path, &env, bsp, &pvs);
        check_water(path, &env, bsp, &pvs, tally);
        memory_free(pvs.data);
        tally->maps++;
    }
    bsp_free(bsp);
}

static void maps_of_the_reference_compiler(void **state)
{
    (void)state;
    static const char *const folders[] = {"vmf", "vbsp", "generated", "refs"};
    struct tally tally = {.diag = diag_new(NULL, NULL)};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[256];
        snprintf(folder, sizeof folder, "%s/corpus/%s", SHARED_DIR, folders[i]);
        bsp_files_visit(folder, visit, &tally);
    }
    diag_free(tally.diag);
    print_message("%d maps, %d with water\n", tally.maps, tally.with_water);
    if (!tally.maps) {
        print_message("no corpus: real maps not compared\n");
        skip();
    }
    assert_true(tally.with_water > 0);
}

SUITE(test_vvis_from_rows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_of_the_reference_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
