/* Real maps with the portals of their own compile: compared with the visibility that their
 * compiler wrote, and with that of more threads. */
#include "tests/support/suite.h"

#include "common/bsp/query.h"
#include "common/diag/codes/visibility.def"
#include "tests/support/bsp_files.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/pair_vis.h"
#include "vvis/vvis.h"

/* Maps of the corpus for which the reference compiler and vvis agree to the last bit. */
static const char *const same[] = {
    "generated/ents",
    "refs/detail",
    "refs/disp",
    "refs/plain",
    "refs/portal",
    "refs/texlight",
    "refs/water",
    "vmf/m02_tf2_edgebug/jump_edgebugtest",
    "vmf/s03_traininggnd_water/trainingground",
    "vmf/s07_rc_jumpers7/test_jumpers",
    "vmf/s09_who_hostel/hostel",
    "vmf/t01_box_hdr/testmap",
    "vmf/t03_physcollide/test_physcollide",
    "vmf/t06_hysteria_test/test",
    "vmf/t08_synthroom/testmap_synth",
};

struct loaded {
    struct bytes file, text;
    struct diag *diag;
    struct prt prt;
    struct bsp *bsp;
};

/* Returns false when the map is missing. */
static bool load(const char *name, struct loaded *out)
{
    char path[2][256];
    *out = (struct loaded){0};
    snprintf(path[0], sizeof path[0], "%s/corpus/%s.bsp", SHARED_DIR, name);
    snprintf(path[1], sizeof path[1], "%s/corpus/%s.prt", SHARED_DIR, name);
    if (fs_disk()->ops->read(fs_disk(), path[0], &out->file) ||
        fs_disk()->ops->read(fs_disk(), path[1], &out->text))
        return false;
    out->diag = diag_new(bsp_print_entry, NULL);
    assert_int_equal(
        prt_parse((const char *)out->text.data, out->text.size, name, out->diag, &out->prt),
        STATUS_OK);
    assert_int_equal(bsp_decode(out->file.data, out->file.size, name, out->diag, &out->bsp),
                     STATUS_OK);
    return true;
}

static void unload(struct loaded *map)
{
    assert_int_equal(diag_entries(map->diag), diag_count_code(map->diag, DIAG_VIS_OPEN));
    bsp_free(map->bsp);
    prt_free(&map->prt);
    diag_free(map->diag);
    bytes_free(&map->file);
    bytes_free(&map->text);
}

static void run(struct loaded *map, const struct vvis_options *options, int threads)
{
    struct env env = {.diag = map->diag, .fs = fs_disk(), .threads = threads};
    assert_int_equal(vvis_run(&env, options, NULL, &map->prt, map->bsp), STATUS_OK);
}

/* Clears first what vvis writes. */
static void files_come_out_the_same(void **state)
{
    (void)state;
    int compared = 0;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct loaded map;
        if (!load(same[i], &map))
            continue;
        bytes_free(&map.bsp->visibility);
        for (ptrdiff_t k = 0; k < arrlen(map.bsp->leaves); k++) {
            map.bsp->leaves[k].contents ^= CONTENTS_TESTFOGVOLUME;
            map.bsp->leaves[k].flags ^= k ? LEAF_RADIAL : 0; /* leaf 0 is in no cluster */
            map.bsp->leaf_min_dist_to_water[k] = 1;
        }
        run(&map, &vvis_defaults, 2);
        struct bytes out = {0};
        assert_int_equal(bsp_encode(map.bsp, NULL, same[i], map.diag, &out), STATUS_OK);
        if (out.size != map.file.size || memcmp(out.data, map.file.data, out.size) != 0)
            fail_msg("%s is not what it was", same[i]);
        bytes_free(&out);
        unload(&map);
        compared++;
    }
    if (!compared) {
        print_message("no corpus: real maps not compared\n");
        skip();
    }
}

/* Counts pairs that the first sees and the second does not. */
static int64_t only_first(const struct bsp *first, const struct bsp *second)
{
    int clusters = bsp_vis_clusters(first);
    assert_int_equal(clusters, bsp_vis_clusters(second));
    size_t size = ((size_t)clusters + 7) / 8;
    unsigned char *rows = memory_zalloc(2, size);
    int64_t count = 0;
    for (int i = 0; i < clusters; i++) {
        bsp_vis_row(first, i, false, rows);
        bsp_vis_row(second, i, false, rows + size);
        for (size_t k = 0; k < size; k++)
            count += __builtin_popcount(rows[k] & ~(unsigned)rows[size + k]);
    }
    memory_free(rows);
    return count;
}

/* Maps with gaps so narrow that rounding decides: in at most a thousandth of the pairs. */
static void larger_maps_come_out_nearly_the_same(void **state)
{
    (void)state;
    const char *const names[] = {"generated/mid", "generated/big", "generated/pillars9"};
    int compared = 0;
    for (int i = 0; i < 3; i++) {
        struct loaded map, again;
        if (!load(names[i], &map) || !load(names[i], &again))
            continue;
        run(&map, &vvis_defaults, 2);
        int64_t pairs = 0, more = only_first(map.bsp, again.bsp);
        int64_t less = only_first(again.bsp, map.bsp);
        for (int k = 0; k < map.prt.cluster_count; k++)
            for (int j = 0; j < map.prt.cluster_count; j++)
                pairs += bsp_vis_sees(again.bsp, k, j);
        print_message("%s: %lld pairs, %lld only ours, %lld only theirs\n", names[i],
                      (long long)pairs, (long long)more, (long long)less);
        assert_true(more <= pairs / 1000);
        assert_true(less <= pairs / 200);
        unload(&map);
        unload(&again);
        compared++;
    }
    if (!compared) {
        print_message("no corpus: larger maps not compared\n");
        skip();
    }
}

/* Maps compiled with -fast: the PVS of vvis -fast is a subset of theirs and a superset of the
 * exact PVS. */
static void fast_lies_between_theirs_and_what_is_seen(void **state)
{
    (void)state;
    const char *const names[] = {"vmf/l01_gateway_hdr/testmap", "vmf/m01_tf2_dotf/dotf_test"};
    int compared = 0;
    for (int i = 0; i < 2; i++) {
        struct loaded theirs, fast, exact;
        if (!load(names[i], &theirs) || !load(names[i], &fast) || !load(names[i], &exact))
            continue;
        struct vvis_options options = vvis_defaults;
        options.fast = true;
        run(&fast, &options, 2);
        run(&exact, &vvis_defaults, 2);
        int64_t less = only_first(theirs.bsp, fast.bsp), min = only_first(theirs.bsp, exact.bsp);
        print_message("%s: of %lld pairs too many, -fast finds %lld\n", names[i], (long long)min,
                      (long long)less);
        assert_int_equal(only_first(fast.bsp, theirs.bsp), 0);
        assert_int_equal(only_first(exact.bsp, fast.bsp), 0);
        assert_true(2 * less >= min);
        unload(&theirs);
        unload(&fast);
        unload(&exact);
        compared++;
    }
    if (!compared) {
        print_message("no corpus: -fast not compared\n");
        skip();
    }
}

/* Counters that do not depend on the machine: a rise by 2 % is a regression. When they fall,
 * update the numbers here. */
struct work {
    const char *name;
    int64_t lines, undecided, chains;
};

static const struct work works[] = {
    {"generated/mid", 8731, 364, 76953},
    {"generated/big", 27121, 1568, 256401},
    {"generated/pillars9", 87755, 69627, 912737},
    {"vmf/m02_tf2_edgebug/jump_edgebugtest", 3540, 6360, 2513},
};

static void not_more(const char *name, const char *what, int64_t is, int64_t was)
{
    if (is > was + was / 50)
        fail_msg("%s: %s were %lld, are %lld", name, what, (long long)was, (long long)is);
}

static void counters_do_not_rise(void **state)
{
    (void)state;
    int compared = 0;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        const struct work *work = &works[i];
        struct loaded map;
        if (!load(work->name, &map))
            continue;
        struct env env = {.diag = map.diag, .fs = fs_disk(), .threads = 2};
        struct portals portals;
        portals_build(&map.prt, &portals);
        struct pair_counts counts;
        struct bit_rows pvs = pair_vis(&env, &portals, 0, NULL, true, (struct effort){0}, &counts);
        not_more(work->name, "lines", counts.lines, work->lines);
        not_more(work->name, "undecided pairs", counts.pairs, work->undecided);
        not_more(work->name, "chains", counts.flow.chains, work->chains);
        memory_free(pvs.data);
        portals_free(&portals);
        unload(&map);
        compared++;
    }
    if (!compared) {
        print_message("no corpus: work not counted\n");
        skip();
    }
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    struct loaded map;
    if (!load("generated/mid", &map)) {
        print_message("no corpus: threads not compared\n");
        skip();
    }
    const int threads[] = {1, 2, 3, 7};
    struct bytes first = {0};
    for (int i = 0; i < 4; i++) {
        run(&map, &vvis_defaults, threads[i]);
        const struct bytes *lump = &map.bsp->visibility;
        if (!i)
            bytes_append(&first, lump->data, lump->size);
        assert_int_equal(first.size, lump->size);
        assert_memory_equal(first.data, lump->data, first.size);
    }
    bytes_free(&first);
    unload(&map);
}

SUITE(test_vvis_corpus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_come_out_the_same),
        cmocka_unit_test(larger_maps_come_out_nearly_the_same),
        cmocka_unit_test(fast_lies_between_theirs_and_what_is_seen),
        cmocka_unit_test(counters_do_not_rise),
        cmocka_unit_test(threads_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
