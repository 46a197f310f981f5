/* Rectangles in pages: none overlaps, none sticks out, and little room is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/random.h"
#include "vrad/target/quake3/page_pack.h"

static void mark(unsigned char *taken, const int place[2], int width, int height)
{
    for (int row = place[1]; row < place[1] + height; row++)
        for (int column = place[0]; column < place[0] + width; column++) {
            assert_int_equal(taken[row * PACK_SIDE + column], 0);
            taken[row * PACK_SIDE + column] = 1;
        }
}

static void test_no_overlaps(void **state)
{
    (void)state;
    enum { PAGES = 64, RECTANGLES = 2000 };
    struct page_pack pack = {0};
    unsigned char *taken = memory_zalloc(PAGES, (size_t)PACK_SIDE * PACK_SIDE);
    int64_t area = 0;
    for (uint64_t i = 0; i < RECTANGLES; i++) {
        int width = 1 + (int)(hash_pair(i, 1) % (i < 20 ? PACK_SIDE : 24)), page, place[2];
        int height = 1 + (int)(hash_pair(i, 2) % (i < 20 ? PACK_SIDE : 24));
        page_pack_add(&pack, width, height, &page, place);
        assert_in_range(page, 0, PAGES - 1);
        assert_true(place[0] >= 0 && place[0] + width <= PACK_SIDE);
        assert_true(place[1] >= 0 && place[1] + height <= PACK_SIDE);
        mark(taken + (size_t)page * PACK_SIDE * PACK_SIDE, place, width, height);
        area += width * height;
    }
    /* Small ones fill the holes between large ones. */
    assert_true((double)area > 0.9 * (double)arrlen(pack.pages) * PACK_SIDE * PACK_SIDE);
    memory_free(taken);
    page_pack_free(&pack);
}

static void test_exact_fits(void **state)
{
    (void)state;
    struct page_pack pack = {0};
    int page, place[2];
    page_pack_add(&pack, PACK_SIDE, PACK_SIDE, &page, place);
    assert_int_equal(page, 0);
    page_pack_add(&pack, 100, 128, &page, place);
    assert_int_equal(page, 1);
    /* Beside it, twice, to the last luxel. */
    for (int i = 0; i < 2; i++) {
        page_pack_add(&pack, 28, 64, &page, place);
        assert_int_equal(page, 1);
        assert_int_equal(place[0], 100);
        assert_int_equal(place[1], 64 * i);
    }
    page_pack_add(&pack, 1, 1, &page, place);
    assert_int_equal(page, 2);
    page_pack_free(&pack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_overlaps),
        cmocka_unit_test(test_exact_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
