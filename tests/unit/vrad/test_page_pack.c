/* Packed shapes do not overlap, lie within their page, and waste little room. */
#include "tests/support/suite.h"

#include <stdbool.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/random.h"
#include "vrad/target/quake3/pages/page_pack.h"

enum { PACK_SIDE = 128 };

static void mark(unsigned char *taken, const int place[2], int width, int height)
{
    for (int row = place[1]; row < place[1] + height; row++)
        for (int column = place[0]; column < place[0] + width; column++) {
            assert_int_equal(taken[row * PACK_SIDE + column], 0);
            taken[row * PACK_SIDE + column] = 1;
        }
}

/* Adds a full rectangle. */
static void add(struct page_pack *pack, int width, int height, int *page, int place[2])
{
    uint64_t *all = memory_alloc((size_t)height * (size_t)texel_words(width) * sizeof *all);
    memset(all, 0xff, (size_t)height * (size_t)texel_words(width) * sizeof *all);
    page_pack_add(pack, &(struct pack_shape){width, height, all, NULL}, page, place);
    memory_free(all);
}

static void test_no_overlaps(void **state)
{
    (void)state;
    enum { PAGES = 64, RECTANGLES = 2000 };
    struct page_pack pack = {.side = PACK_SIDE};
    unsigned char *taken = memory_zalloc(PAGES, (size_t)PACK_SIDE * PACK_SIDE);
    int64_t area = 0;
    for (uint64_t i = 0; i < RECTANGLES; i++) {
        int width = 1 + (int)(hash_pair(i, 1) % (i < 20 ? PACK_SIDE : 24)), page, place[2];
        int height = 1 + (int)(hash_pair(i, 2) % (i < 20 ? PACK_SIDE : 24));
        add(&pack, width, height, &page, place);
        assert_in_range(page, 0, PAGES - 1);
        assert_true(place[0] >= 0 && place[0] + width <= PACK_SIDE);
        assert_true(place[1] >= 0 && place[1] + height <= PACK_SIDE);
        mark(taken + (size_t)page * PACK_SIDE * PACK_SIDE, place, width, height);
        area += width * height;
    }
    /* Small ones fill the holes between large ones. */
    assert_true((double)area > 0.9 * (double)(arrlen(pack.pages) * PACK_SIDE * PACK_SIDE));
    memory_free(taken);
    page_pack_free(&pack);
}

static void test_exact_fits(void **state)
{
    (void)state;
    struct page_pack pack = {.side = PACK_SIDE};
    int page, place[2];
    add(&pack, PACK_SIDE, PACK_SIDE, &page, place);
    assert_int_equal(page, 0);
    add(&pack, 100, 128, &page, place);
    assert_int_equal(page, 1);
    /* Beside it, twice, to the last luxel. */
    for (int i = 0; i < 2; i++) {
        add(&pack, 28, 64, &page, place);
        assert_int_equal(page, 1);
        assert_int_equal(place[0], 100);
        assert_int_equal(place[1], 64 * i);
    }
    add(&pack, 1, 1, &page, place);
    assert_int_equal(page, 2);
    page_pack_free(&pack);
}

/* A frame around the border of the page; others lie within it. */
static void test_hollows(void **state)
{
    (void)state;
    struct page_pack pack = {.side = PACK_SIDE};
    uint64_t frame[2 * PACK_SIDE];
    int page, place[2];
    for (int row = 0; row < PACK_SIDE; row++) {
        bool rim = row < 3 || row >= PACK_SIDE - 3;
        frame[2 * row] = rim ? ~UINT64_C(0) : 7;
        frame[2 * row + 1] = rim ? ~UINT64_C(0) : UINT64_C(7) << 61;
    }
    const struct pack_shape shape = {PACK_SIDE, PACK_SIDE, frame, NULL};
    page_pack_add(&pack, &shape, &page, place);
    assert_int_equal(page, 0);
    add(&pack, 123, 4, &page, place); /* longer than the hollow */
    assert_int_equal(page, 1);
    add(&pack, 122, 122, &page, place);
    assert_int_equal(page, 0);
    assert_int_equal(place[0], 3);
    assert_int_equal(place[1], 3);
    assert_int_equal(pack.pages[0].room, 0);
    page_pack_free(&pack);
}

/* Two shapes whose black halves may overlap, and a third without black. */
static void test_common(void **state)
{
    (void)state;
    struct page_pack pack = {.side = PACK_SIDE};
    uint64_t all[2 * PACK_SIDE], left[2 * PACK_SIDE];
    int page, place[2];
    for (int i = 0; i < 2 * PACK_SIDE; i++) {
        all[i] = ~UINT64_C(0);
        left[i] = i % 2 == 0 ? ~UINT64_C(0) : 0;
    }
    const struct pack_shape wide = {PACK_SIDE, PACK_SIDE, all, left};
    page_pack_add(&pack, &wide, &page, place);
    assert_int_equal(pack.pages[0].room, 0);
    /* All black: fits over the black half, though nothing is free. */
    uint64_t black[100];
    memset(black, 0xff, sizeof black);
    page_pack_add(&pack, &(struct pack_shape){64, 100, black, black}, &page, place);
    assert_int_equal(page, 0);
    assert_int_equal(place[0], 0);
    /* With colours it does not, nor does black over colours. */
    page_pack_add(&pack, &(struct pack_shape){64, 100, black, NULL}, &page, place);
    assert_int_equal(page, 1);
    page_pack_add(&pack, &wide, &page, place);
    assert_int_equal(page, 2);
    page_pack_free(&pack);
}

/* Sides of several words. */
static void test_large_pages(void **state)
{
    (void)state;
    struct page_pack pack = {.side = 512};
    int page, place[2];
    for (int i = 0; i < 4; i++) {
        add(&pack, 200, 300, &page, place);
        assert_int_equal(page, i / 2);
        assert_int_equal(place[0], 200 * (i % 2));
    }
    add(&pack, 512, 212, &page, place);
    assert_int_equal(page, 0);
    assert_int_equal(place[1], 300);
    page_pack_free(&pack);
}

SUITE(test_page_pack)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_overlaps), cmocka_unit_test(test_exact_fits),
        cmocka_unit_test(test_hollows),     cmocka_unit_test(test_common),
        cmocka_unit_test(test_large_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
