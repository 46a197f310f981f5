#include "tests/support/suite.h"

#include "common/bsp/query.h"
#include "common/core/random.h"
#include "tests/support/bsp_files.h"
#include "vvis/target/source/source.h"

static void row_gives(int clusters, const int *bits, size_t count, const unsigned char *expected,
                      size_t size)
{
    struct bit_rows rows = bit_rows_new(1, (size_t)clusters);
    for (size_t i = 0; i < count; i++)
        bit_set(rows.data, (size_t)bits[i]);
    struct bytes out = {0};
    encode_row(rows.data, clusters, &out);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, expected, size);
    bytes_free(&out);
    memory_free(rows.data);
}

static void zero_bytes_are_counted(void **state)
{
    (void)state;
    row_gives(1, (int[]){0}, 1, (unsigned char[]){1}, 1);
    row_gives(8, NULL, 0, (unsigned char[]){0, 1}, 2);
    row_gives(9, (int[]){8}, 1, (unsigned char[]){0, 1, 1}, 3);
    row_gives(40, (int[]){1, 39}, 2, (unsigned char[]){2, 0, 3, 128}, 4);
    row_gives(255 * 8, NULL, 0, (unsigned char[]){0, 255}, 2);
    row_gives(256 * 8, NULL, 0, (unsigned char[]){0, 255, 0, 1}, 4);
    row_gives(600 * 8, (int[]){599 * 8}, 1, (unsigned char[]){0, 255, 0, 255, 0, 89, 1}, 7);
}

/* Decodes both matrices of a lump with the reader of the BSP module. */
static void decode(struct bsp *bsp, int clusters, bool audible, struct bit_rows *out)
{
    size_t size = ((size_t)clusters + 7) / 8;
    unsigned char *row = memory_zalloc(size, 1);
    *out = bit_rows_new((size_t)clusters, (size_t)clusters);
    for (int i = 0; i < clusters; i++) {
        bsp_vis_row(bsp, i, audible, row);
        for (int k = 0; k < clusters; k++)
            if (row[k / 8] >> (k % 8) & 1)
                bit_set(bit_row(out, (size_t)i), (size_t)k);
    }
    memory_free(row);
}

static struct bit_rows random_rows(int clusters, uint64_t seed, double density)
{
    struct bit_rows rows = bit_rows_new((size_t)clusters, (size_t)clusters);
    uint64_t sample = 0;
    for (int i = 0; i < clusters; i++)
        for (int k = 0; k < clusters; k++)
            if (random_unit(seed, sample++) < density)
                bit_set(bit_row(&rows, (size_t)i), (size_t)k);
    return rows;
}

static void same_rows(const struct bit_rows *a, const struct bit_rows *b, int clusters)
{
    assert_int_equal(a->words, b->words);
    assert_memory_equal(a->data, b->data, (size_t)clusters * a->words * sizeof *a->data);
}

static void random_lumps_come_back(void **state)
{
    (void)state;
    const int counts[] = {1, 7, 8, 9, 64, 100, 513, 2100};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int clusters = counts[i];
        struct bit_rows pvs = random_rows(clusters, i, 0.3), pas = random_rows(clusters, i, 0.002);
        struct bsp *bsp = bsp_new();
        encode_visibility(1 + clusters % 3, &pvs, &pas, clusters, &bsp->visibility);
        assert_int_equal(bsp_vis_clusters(bsp), clusters);
        struct bit_rows seen, heard;
        decode(bsp, clusters, false, &seen);
        decode(bsp, clusters, true, &heard);
        same_rows(&pvs, &seen, clusters);
        same_rows(&pas, &heard, clusters);
        memory_free(pvs.data);
        memory_free(pas.data);
        memory_free(seen.data);
        memory_free(heard.data);
        bsp_free(bsp);
    }
}

static void no_clusters_give_no_lump(void **state)
{
    (void)state;
    struct bytes out = {0};
    struct bit_rows none = bit_rows_new(0, 0);
    encode_visibility(1, &none, &none, 0, &out);
    assert_int_equal(out.size, 0);
    memory_free(none.data);
}

static void encode_again(void *context, const char *path, const struct bytes *file)
{
    int *compared = context;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bsp *bsp;
    assert_int_equal(bsp_decode(file->data, file->size, path, diag, &bsp), STATUS_OK);
    int clusters = bsp_vis_clusters(bsp);
    if (clusters > 0) {
        struct bit_rows pvs, pas;
        struct bytes out = {0};
        decode(bsp, clusters, false, &pvs);
        decode(bsp, clusters, true, &pas);
        encode_visibility(1 + clusters % 3, &pvs, &pas, clusters, &out);
        assert_int_equal(out.size, bsp->visibility.size);
        assert_memory_equal(out.data, bsp->visibility.data, out.size);
        bytes_free(&out);
        memory_free(pvs.data);
        memory_free(pas.data);
        ++*compared;
    }
    bsp_free(bsp);
    diag_free(diag);
}

static void lumps_of_the_corpus_come_back(void **state)
{
    (void)state;
    int compared = 0;
    for (int i = 0; i < BSP_CORPUS; i++)
        bsp_files_visit(bsp_corpus[i], encode_again, &compared);
    if (!compared) {
        print_message("no corpus: visibility of real maps not encoded\n");
        skip();
    }
    assert_true(compared >= 20);
}

SUITE(test_vis_rle)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_bytes_are_counted),
        cmocka_unit_test(random_lumps_come_back),
        cmocka_unit_test(no_clusters_give_no_lump),
        cmocka_unit_test(lumps_of_the_corpus_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
