#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/assets/models/mesh_model.h"
#include "common/assets/mounts/mount.h"
#include "common/assets/textures/image.h"
#include "common/assets/textures/pcx.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/diag.h"

/* 2 x 2 pixels of 32 bits, the bottom row first; some may be missing. */
static void add_tga(struct bytes *out, int pixels)
{
    static const uint8_t bgra[4][4] = {
        {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 0}, {100, 100, 100, 0}};
    bytes_fill(out, 0, 2);
    bytes_u8(out, 2);
    bytes_fill(out, 0, 9);
    bytes_u16(out, 2);
    bytes_u16(out, 2);
    bytes_u8(out, 32);
    bytes_u8(out, 8);
    bytes_append(out, bgra, 4 * (size_t)pixels);
}

static void rows_start_at_the_top(void **state)
{
    (void)state;
    static const uint8_t expected[16] = {255, 0, 0,   0,   100, 100, 100, 0,
                                         0,   0, 255, 255, 0,   255, 0,   255};
    struct bytes tga = {0};
    int width, height;
    add_tga(&tga, 4);
    uint8_t *pixels = image_decode(tga.data, tga.size, &width, &height);
    assert_non_null(pixels);
    assert_memory_equal(pixels, expected, sizeof expected);
    struct vec3 mean = image_average(pixels, width, height);
    assert_float_equal(mean.x, 0, 0); /* transparent pixels do not count ... */
    assert_float_equal(mean.y, .5, 1e-12);
    memory_free(pixels);
    const uint8_t clear[8] = {255, 0, 0, 0, 0, 51, 0, 0};
    mean = image_average(clear, 2, 1); /* ... unless all are */
    assert_float_equal(mean.x, .5, 1e-12);
    assert_float_equal(mean.y, .1, 1e-12);
    bytes_free(&tga);
}

/* Missing pixels are black, in each run. */
static void a_file_may_be_cut_short(void **state)
{
    (void)state;
    struct bytes tga = {0};
    int width, height;
    add_tga(&tga, 2);
    uint8_t *pixels = image_decode(tga.data, tga.size, &width, &height);
    static const uint8_t expected[16] = {[10] = 255, [11] = 255, [13] = 255, [15] = 255};
    assert_non_null(pixels);
    assert_memory_equal(pixels, expected, sizeof expected);
    memory_free(pixels);
    bytes_free(&tga);
}

/* 5 x 2 pixels, and a byte that fills each row: with runs, one of which goes on in the next row. */
static void a_pcx_gives_numbers_of_colours(void **state)
{
    (void)state;
    static const uint8_t packed[] = {1, 2, 3, 0xc4, 9, 0xc1, 0xff, 7, 0xc2, 0, 0xc3, 5};
    static const uint8_t expected[] = {1, 2, 3, 9, 9, 9, 0xff, 7, 0, 0};
    struct bytes pcx = {0};
    int width, height;
    const uint8_t head[128] = {
        10, 5, 1, 8, [4] = 3, [6] = 4, [8] = 7, [10] = 5, [65] = 1, [66] = 6};
    bytes_append(&pcx, head, sizeof head);
    bytes_append(&pcx, packed, sizeof packed);
    uint8_t *pixels = pcx_decode(pcx.data, pcx.size, &width, &height);
    assert_non_null(pixels);
    assert_int_equal(width, 5);
    assert_int_equal(height, 2);
    assert_memory_equal(pixels, expected, sizeof expected);
    memory_free(pixels);
    /* A run at the very end goes on beyond the last row: what precedes it is not enough. */
    for (size_t size = 0; size < pcx.size; size++)
        assert_null(pcx_decode(pcx.data, size, &width, &height));
    static const struct {
        size_t at;
        uint8_t value;
    } faults[] = {{0, 11}, {2, 2}, {3, 4}, {4, 8}, {9, 0x80}, {65, 3}, {66, 4}, {11, 0x80}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        uint8_t kept = pcx.data[faults[i].at];
        pcx.data[faults[i].at] = faults[i].value;
        assert_null(pcx_decode(pcx.data, pcx.size, &width, &height));
        pcx.data[faults[i].at] = kept;
    }
    bytes_free(&pcx);
}

/* 3 x 2 pixels of 24 bits, the bottom row first, each row filled to four bytes. */
static void a_bmp_is_decoded(void **state)
{
    (void)state;
    static const uint8_t rows[24] = {1, 2,   3, 4, 5, 6,   7, 8, 9, 0,  0,
                                     0, 255, 0, 0, 0, 255, 0, 0, 0, 255};
    static const uint8_t expected[24] = {0, 0, 255, 255, 0, 255, 0, 255, 255, 0, 0, 255,
                                         3, 2, 1,   255, 6, 5,   4, 255, 9,   8, 7, 255};
    struct bytes bmp = {0};
    int width, height;
    bytes_append(&bmp, "BM", 2);
    bytes_u32(&bmp, 54 + sizeof rows);
    bytes_fill(&bmp, 0, 4);
    bytes_u32(&bmp, 54); /* where pixels begin */
    bytes_u32(&bmp, 40); /* of the rest of the header */
    bytes_u32(&bmp, 3);
    bytes_u32(&bmp, 2);
    bytes_u16(&bmp, 1);
    bytes_u16(&bmp, 24);
    bytes_fill(&bmp, 0, 24);
    bytes_append(&bmp, rows, sizeof rows);
    uint8_t *pixels = image_decode(bmp.data, bmp.size, &width, &height);
    assert_non_null(pixels);
    assert_int_equal(width, 3);
    assert_int_equal(height, 2);
    assert_memory_equal(pixels, expected, sizeof expected);
    memory_free(pixels);
    bytes_free(&bmp);
}

static void sizes_must_be_justified(void **state)
{
    (void)state;
    int width, height;
    struct bytes tga = {0};
    add_tga(&tga, 4);
    store_u16(ORDER_LITTLE, tga.data + 12, 16384);
    store_u16(ORDER_LITTLE, tga.data + 14, 16384);
    assert_false(image_size(tga.data, tga.size, &width, &height));
    assert_null(image_decode(tga.data, tga.size, &width, &height));
    store_u16(ORDER_LITTLE, tga.data + 12, 16385);
    store_u16(ORDER_LITTLE, tga.data + 14, 1);
    assert_false(image_size(tga.data, tga.size, &width, &height));
    assert_false(image_size("", 0, &width, &height));
    assert_false(image_size("P6 1 1 255 abc", 14, &width, &height)); /* not a format of games */
    bytes_free(&tga);
}

static bool load(const char *name, struct bytes *out)
{
    char path[1024];
    snprintf(path, sizeof path, SHARED_DIR "/corpus/assets/q3/%s", name);
    return fs_disk()->ops->read(fs_disk(), path, out) == 0;
}

static void expect_pixels(const char *name, int width, int height, const uint8_t (*rgb)[3])
{
    struct bytes bytes = {0};
    int got[2];
    assert_true(load(name, &bytes));
    uint8_t *pixels = image_decode(bytes.data, bytes.size, &got[0], &got[1]);
    assert_non_null(pixels);
    assert_int_equal(got[0], width);
    assert_int_equal(got[1], height);
    for (int i = 0; i < width * height; i++)
        assert_memory_equal(pixels + (ptrdiff_t)4 * i, rgb[i], 3);
    memory_free(pixels);
    bytes_free(&bytes);
}

/* Kinds of TGA that no tool of the game writes, with known pixels. */
static void rare_kinds_of_tga(void **state)
{
    (void)state;
    struct bytes bytes = {0};
    if (!load("synth_gray8.tga", &bytes)) {
        print_message("skipped: no corpus\n");
        skip();
    }
    static const uint8_t row16[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}};
    static const uint8_t palette[4][3] = {{0, 0, 255}, {0, 255, 0}, {255, 0, 0}, {9, 9, 9}};
    /* Runs of 4, then 4 pixels, then a run of 8, from the bottom. */
    static const uint8_t raw[4][3] = {{3, 2, 1}, {6, 5, 4}, {9, 8, 7}, {12, 11, 10}};
    uint8_t grey[16][3], colours[16][3], indexed[16][3], runs[16][3];
    for (int i = 0; i < 16; i++) {
        memset(grey[i], 16 * i, 3);
        memcpy(colours[i], row16[i % 4], 3);
        memcpy(indexed[i], palette[i % 4], 3);
        memcpy(runs[i], i < 8 ? (const uint8_t[3]){60, 50, 40} : (const uint8_t[3]){30, 20, 10}, 3);
        if (i / 4 == 2)
            memcpy(runs[i], raw[i % 4], 3);
    }
    bytes_free(&bytes);
    expect_pixels("synth_gray8.tga", 4, 4, (const uint8_t(*)[3])grey);
    expect_pixels("synth_16.tga", 4, 4, (const uint8_t(*)[3])colours);
    expect_pixels("synth_cmap8.tga", 4, 4, (const uint8_t(*)[3])indexed);
    expect_pixels("synth_rle24_id.tga", 4, 4, (const uint8_t(*)[3])runs);
}

static void images_of_the_corpus(void **state)
{
    (void)state;
    static const char *const names[] = {
        "synth_16.tga",
        "synth_cmap8.tga",
        "synth_rle24_id.tga",
        "tga_t10_24bpp_desc00.tga",
        "tga_t10_32bpp_desc08.tga",
        "tga_t2_24bpp_desc00.tga",
        "tga_t2_24bpp_desc20.tga",
        "tga_t2_32bpp_desc00.tga",
        "tga_t2_32bpp_desc08.tga",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bytes bytes = {0};
        int width, height;
        if (!load(names[i], &bytes)) {
            print_message("skipped: no corpus\n");
            skip();
        }
        uint8_t *pixels = image_decode(bytes.data, bytes.size, &width, &height);
        assert_non_null(pixels);
        assert_int_equal(width, load_u16(bytes.data + 12));
        assert_int_equal(height, load_u16(bytes.data + 14));
        memory_free(pixels);
        bytes_free(&bytes);
    }
}

static void add_name(void *context, const char *name)
{
    bytes_append_text(context, "%s ", name);
}

static void a_pack_of_the_corpus(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct mount *mount = mount_pk3(fs_disk(), SHARED_DIR "/corpus/assets/q3/test.pk3", diag);
    if (!mount) {
        diag_free(diag);
        print_message("skipped: no corpus\n");
        skip();
    }
    struct bytes names = {0}, bytes = {0};
    mount->ops->list(mount, "scripts", add_name, &names);
    mount->ops->list(mount, "textures/t", add_name, &names);
    mount->ops->list(mount, "textures", add_name, &names);
    bytes_u8(&names, 0);
    assert_string_equal((const char *)names.data, "a.shader a.tga ");
    assert_true(mount->ops->read(mount, "scripts/a.shader", &bytes));
    assert_int_equal(bytes.size, 67);
    assert_true(mount->ops->read(mount, "textures/t/a.tga", &bytes));
    assert_int_equal(bytes.size, 67 + 34);
    assert_false(mount->ops->read(mount, "textures/t", &bytes));
    static const char *const both[] = {"scripts/a.shader", "textures/t/a.tga"};
    for (int i = 0; i < 2; i++) {
        struct bytes start = {0};
        assert_true(mount->ops->read_start(mount, both[i], 20, &start));
        assert_int_equal(start.size, 20);
        assert_memory_equal(start.data, bytes.data + (i ? 67 : 0), 20);
        assert_true(mount->ops->read_start(mount, both[i], 1000, &start));
        assert_int_equal(start.size, 20 + (i ? 34 : 67));
        bytes_free(&start);
    }
    assert_false(mount->ops->read_start(mount, "scripts", 20, &bytes));
    assert_int_equal(diag_count(diag, DIAG_NOTE) + diag_count(diag, DIAG_WARNING), 0);
    bytes_free(&names);
    bytes_free(&bytes);
    mount->ops->free(mount);
    diag_free(diag);
}

static void shaders_of_models(void **state)
{
    (void)state;
    static const struct {
        const char *file, *shaders[4];
    } models[] = {
        {"banner5.md3", {"logoHalo", "logoEmblem", "logoTitle", NULL}},
        {"sandal.md3", {"models/spacetracks/sandal", NULL}},
        {"torch1.md3", {"models/mapobjects/cosmoflash/torch1", NULL}},
    };
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct bytes bytes = {0};
        if (!load(models[i].file, &bytes)) {
            print_message("skipped: no corpus\n");
            skip();
        }
        const char **shaders = md3_shaders(&bytes, &arena);
        size_t count = 0;
        for (; models[i].shaders[count]; count++) {
            assert_true(count < arrlenu(shaders));
            assert_string_equal(shaders[count], models[i].shaders[count]);
        }
        assert_int_equal(arrlenu(shaders), count);
        arrfree(shaders);
        for (size_t cut = 0; cut < bytes.size && cut < 4096; cut += 7) {
            struct bytes part = {.data = bytes.data, .size = cut};
            const char **some = md3_shaders(&part, &arena);
            assert_true(arrlenu(some) <= count);
            arrfree(some);
        }
        bytes_free(&bytes);
    }
    arena_free(&arena);
}

SUITE(test_image)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_start_at_the_top),   cmocka_unit_test(a_file_may_be_cut_short),
        cmocka_unit_test(a_bmp_is_decoded),        cmocka_unit_test(a_pcx_gives_numbers_of_colours),
        cmocka_unit_test(sizes_must_be_justified), cmocka_unit_test(rare_kinds_of_tga),
        cmocka_unit_test(images_of_the_corpus),    cmocka_unit_test(a_pack_of_the_corpus),
        cmocka_unit_test(shaders_of_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
