#include "tests/support/suite.h"

#include "common/bsp/codec/map_flags.h"
#include "common/bsp/convert/convert.h"
#include "common/bsp/lumps/static_props.h"
#include "common/core/strings.h"
#include "common/diag/codes/bsp_conversion.def"
#include "common/diag/codes/bsp_targets.def"
#include "tests/support/bsp_files.h"
#include "tests/support/long_form.h"

static struct bsp *decode(const struct bytes *file, struct diag *diag)
{
    struct bsp *bsp = NULL;
    assert_int_equal(bsp_decode(file->data, file->size, "map", diag, &bsp), STATUS_OK);
    return bsp;
}

static struct bytes encode(const struct bsp *bsp, const struct bsp_format *format,
                           struct diag *diag)
{
    struct bytes out = {0};
    assert_int_equal(bsp_encode(bsp, format, "map", diag, &out), STATUS_OK);
    return out;
}

static struct bytes own_map(void)
{
    struct bytes file = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), OWN_BSP, &file), 0);
    return file;
}

/* The file with prop lighting of LDR and its flag. */
static void put_prop_light(struct bytes *file, struct diag *diag)
{
    struct bsp *bsp = decode(file, diag);
    struct pakfile pakfile;
    struct bytes lump = {0};
    assert_int_equal(pakfile_decode(&bsp->pakfile, NULL, diag, &pakfile), STATUS_OK);
    pakfile_put(&pakfile, "sp_0.vhv", "light", 5);
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, diag, &lump), STATUS_OK);
    pakfile_free(&pakfile);
    bytes_free(&bsp->pakfile);
    bsp->pakfile = lump;
    bsp->map_flags = MAP_FLAG_PROPS_LDR;
    bytes_free(file);
    *file = encode(bsp, NULL, diag);
    bsp_free(bsp);
}

/* Converts the file to another format; returns the number of losses. */
static int convert(struct bytes *file, const char *target, struct diag *diag)
{
    const struct bsp_format *format = bsp_format_find(target);
    struct bsp *bsp = decode(file, diag);
    int losses = -1;
    assert_int_equal(bsp_convert(bsp, format, "map", diag, &losses), STATUS_OK);
    bytes_free(file);
    *file = encode(bsp, format, diag);
    bsp_free(bsp);
    bsp = decode(file, diag);
    assert_int_equal(bsp->format->version, format->version);
    assert_true(bsp->format->entry == format->entry);
    bsp_free(bsp);
    return losses;
}

static void respell(struct bytes *file, bool compressed, enum byte_order order, struct diag *diag)
{
    struct bsp *bsp = decode(file, diag);
    bsp->encoding.compressed = compressed;
    bsp->encoding.order = order;
    bytes_free(file);
    *file = encode(bsp, NULL, diag);
    bsp_free(bsp);
}

static void same_bytes(const struct bytes *a, const struct bytes *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, b->size);
}

static void packed_map_is_smaller_and_comes_back(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes file = own_map(), was = own_map();
    respell(&file, true, ORDER_LITTLE, diag);
    assert_true(file.size * 2 < was.size);
    struct bsp *bsp = decode(&file, diag);
    assert_true(bsp->encoding.compressed);
    bsp_free(bsp);
    respell(&file, false, ORDER_LITTLE, diag);
    same_bytes(&file, &was);
    assert_int_equal(diag_entries(diag), 0);
    bytes_free(&file);
    bytes_free(&was);
    diag_free(diag);
}

/* Only the padding of its records is not kept in the other byte order. */
static void big_endian_map_says_the_same(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes little = own_map(), big = {0};
    respell(&little, false, ORDER_LITTLE, diag);
    bytes_append(&big, little.data, little.size);
    respell(&big, true, ORDER_BIG, diag);
    assert_memory_equal(big.data, "PSBV", 4);
    struct bytes big_was = {0};
    bytes_append(&big_was, big.data, big.size);
    respell(&big, false, ORDER_LITTLE, diag);
    struct bytes once = {0};
    bytes_append(&once, big.data, big.size);
    respell(&big, true, ORDER_BIG, diag);
    same_bytes(&big, &big_was);
    respell(&big, false, ORDER_LITTLE, diag);
    same_bytes(&big, &once);
    assert_int_equal(little.size, once.size);
    size_t differ = 0;
    for (size_t i = 0; i < little.size; i++)
        differ += little.data[i] != once.data[i];
    assert_true(differ < 16);
    bytes_free(&little);
    bytes_free(&big);
    bytes_free(&big_was);
    bytes_free(&once);
    diag_free(diag);
}

static void wider_version_and_back_gives_the_same_bytes(void **state)
{
    (void)state;
    static const char *const wider[] = {"portal2", "l4d2", "csgo", "momentum"};
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes first = own_map();
    convert(&first, "sdk2013sp", diag); /* static props 10 have more members than 9 */
    for (size_t i = 0; i < sizeof wider / sizeof *wider; i++) {
        struct bytes file = {0};
        bytes_append(&file, first.data, first.size);
        assert_int_equal(convert(&file, wider[i], diag), 0);
        assert_int_equal(convert(&file, "sdk2013sp", diag), 0);
        same_bytes(&file, &first);
        bytes_free(&file);
    }
    bytes_free(&first);
    diag_free(diag);
}

static bool is_told(const struct diag *diag, const char *what)
{
    for (size_t i = 0; i < diag_entries(diag); i++)
        if (diag_entry(diag, i)->code == DIAG_BSP_LOSS &&
            strstr(diag_entry(diag, i)->message, what))
            return true;
    return false;
}

static void losses_of_version_19_are_told(void **state)
{
    (void)state;
    static const char *const lost[] = {"HDR lighting", "worldlights, HDR", "face ids",
                                       "overlay fades", "samples of ambient light"};
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = own_map();
    int losses = convert(&file, "css19", diag);
    assert_int_equal(losses, diag_count_code(diag, DIAG_BSP_LOSS));
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
        assert_true(is_told(diag, lost[i]));
    struct bsp *bsp = decode(&file, diag);
    assert_string_equal(bsp->format->target, "css19");
    assert_int_equal(arrlen(bsp->ldr.ambient), arrlen(bsp->leaves));
    assert_int_equal(bsp->layout.length[LUMP_LEAFS], 56 * arrlen(bsp->leaves));
    assert_false(bsp->carried[LUMP_FACEIDS].present);
    bsp_free(bsp);
    bytes_free(&file);
    diag_free(diag);
}

static void samples_of_a_leaf_become_their_mean(void **state)
{
    (void)state;
    struct bsp_light_set set = {0};
    struct bsp_ambient one = {.position = {1, 2, 3}}, two = one;
    for (int side = 0; side < 6; side++) {
        one.cube[side] = (struct bsp_colour){200, 100, 0, 0};
        two.cube[side] = (struct bsp_colour){100, 50, 0, 2}; /* 400 200 0 */
    }
    arrput(set.ambient, one);
    arrput(set.ambient, two);
    arrput(set.ambient, one);
    arrput(set.ambient_index, ((struct bsp_ambient_index){2, 0}));
    arrput(set.ambient_index, ((struct bsp_ambient_index){0, 2}));
    arrput(set.ambient_index, ((struct bsp_ambient_index){1, 2}));
    struct bsp_ambient_loss loss = bsp_ambient_fit(&set, 3, AMBIENT_A_LEAF);
    assert_int_equal(loss.joined, 1);
    assert_int_equal(loss.moved, 2);
    assert_int_equal(arrlen(set.ambient), 3);
    assert_null(set.ambient_index);
    const struct bsp_colour mean = set.ambient[0].cube[5];
    assert_int_equal(mean.r << mean.exponent, 300);
    assert_int_equal(mean.g << mean.exponent, 150);
    assert_int_equal(mean.b, 0);
    assert_memory_equal(set.ambient[1].cube, one.cube, sizeof one.cube);
    assert_int_equal(set.ambient[2].position[0], 128);
    loss = bsp_ambient_fit(&set, 3, AMBIENT_INDEXED);
    assert_int_equal(arrlen(set.ambient_index), 3);
    assert_int_equal(set.ambient_index[2].first, 2);
    arrfree(set.ambient);
    arrfree(set.ambient_index);
}

/* Makes the map's static props one of a form, with these flags. */
static void put_flagged_prop(struct bsp *bsp, enum static_prop_form form, uint32_t flags)
{
    struct static_props props = {0};
    struct static_prop prop = static_prop_default();
    struct record_range_error range_error;
    struct bsp_game_lump lump = {.id = STATIC_PROPS_ID,
                                 .version = (uint16_t)static_prop_form_info(form)->version};
    prop.flags = flags;
    arrput(props.models, str_copy("models/a.mdl"));
    arrput(props.props, prop);
    assert_true(static_props_encode(&props, form, ORDER_LITTLE, &lump.data, &range_error));
    static_props_free(&props);
    for (size_t i = arrlenu(bsp->game_lumps); i-- > 0;)
        if (bsp->game_lumps[i].id == STATIC_PROPS_ID) {
            bytes_free(&bsp->game_lumps[i].data);
            arrdel(bsp->game_lumps, i);
        }
    arrput(bsp->game_lumps, lump);
}

static uint32_t flags_of_prop(const struct bsp *bsp, struct diag *diag)
{
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++) {
        const struct bsp_game_lump *lump = &bsp->game_lumps[i];
        struct static_props props = {0};
        enum static_prop_form form;
        if (lump->id != STATIC_PROPS_ID)
            continue;
        assert_int_equal(static_props_decode(&lump->data, lump->version, ORDER_LITTLE, NULL, diag,
                                             &props, &form),
                         STATUS_OK);
        uint32_t flags = props.props[0].flags;
        static_props_free(&props);
        return flags;
    }
    fail_msg("no static props");
    return 0;
}

/* Flags that mean something else in the other branch are dropped, and told. */
static void flags_of_props_do_not_change_their_meaning(void **state)
{
    static const struct {
        enum static_prop_form form;
        const char *target;
        uint32_t kept;
    } cases[] = {{STATIC_PROP_SDK2013, "l4d2", STATIC_PROP_NO_SHADOW},
                 {STATIC_PROP_SDK2013, "csgo", STATIC_PROP_NO_SHADOW},
                 {STATIC_PROP_9, "sdk2013sp", STATIC_PROP_NO_SHADOW},
                 {STATIC_PROP_9, "csgo",
                  STATIC_PROP_NO_SHADOW | STATIC_PROP_FAST_REFLECTION | STATIC_PROP_NO_FLASHLIGHT},
                 {STATIC_PROP_5, "sdk2013sp",
                  STATIC_PROP_NO_SHADOW | STATIC_PROP_SCREEN_SPACE_FADE | STATIC_PROP_NO_DRAW}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag *diag = diag_new(NULL, NULL);
        struct bytes file = own_map();
        struct bsp *bsp = decode(&file, diag);
        int losses, without;
        put_flagged_prop(bsp, cases[i].form, STATIC_PROP_NO_SHADOW);
        const struct bsp_format *format = bsp_format_find(cases[i].target);
        assert_int_equal(bsp_convert(bsp, format, "map", diag, &without), STATUS_OK);
        bsp_free(bsp);
        bsp = decode(&file, diag);
        put_flagged_prop(bsp, cases[i].form,
                         STATIC_PROP_NO_SHADOW | STATIC_PROP_NO_DRAW |
                             STATIC_PROP_SCREEN_SPACE_FADE);
        assert_int_equal(bsp_convert(bsp, format, "map", diag, &losses), STATUS_OK);
        assert_int_equal(flags_of_prop(bsp, diag), cases[i].kept);
        assert_int_equal(losses - without, cases[i].kept == STATIC_PROP_NO_SHADOW ? 2 : 0);
        bsp_free(bsp);
        bytes_free(&file);
        diag_free(diag);
    }
}

/* The flags of a map's prop lighting are kept, dropped with the lump, and made again from its
 * files. */
static void map_flags_survive_the_way_over_version_19(void **state)
{
    static const struct {
        const char *target;
        uint32_t flags;
    } ways[] = {{"l4d2", MAP_FLAG_PROPS_LDR}, {"css19", 0}, {"sdk2013", MAP_FLAG_PROPS_LDR}};
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = own_map();
    (void)state;
    put_prop_light(&file, diag);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        (void)convert(&file, ways[i].target, diag);
        struct bsp *bsp = decode(&file, diag);
        assert_int_equal(bsp->map_flags, ways[i].flags);
        bsp_free(bsp);
    }
    bytes_free(&file);
    diag_free(diag);
}

static void targets_that_are_only_read_are_refused(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes file = own_map();
    struct bsp *bsp = decode(&file, diag);
    int losses;
    assert_int_equal(bsp_convert(bsp, bsp_format_find("vampire"), "map", diag, &losses),
                     STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_BSP_TARGET), 1);
    bsp_free(bsp);
    bytes_free(&file);
    diag_free(diag);
}

/* To a wider format that holds everything, and back; in the short form by one pair of formats, each
 * file by the next one. */
static void there_and_back(void *context, const char *path, const struct bytes *file)
{
    static const struct {
        const char *narrow, *wide;
    } pairs[] = {{"css19", "csgo"}, {"source2007", "csgo"}, {"portal2", "l4d2"}};
    struct diag *diag = diag_new(NULL, NULL);
    enum { PAIRS = sizeof pairs / sizeof *pairs };
    int *files = context, first = long_form(*files % PAIRS, 0);
    print_message("%s\n", path);
    ++*files;
    for (int i = first; i < long_form(first + 1, PAIRS); i++) {
        struct bytes there = {0}, once = {0};
        bytes_append(&there, file->data, file->size);
        convert(&there, pairs[i].wide, diag); /* a new file from here on */
        convert(&there, pairs[i].narrow, diag);
        bytes_append(&once, there.data, there.size);
        assert_int_equal(convert(&there, pairs[i].wide, diag), 0);
        assert_int_equal(convert(&there, pairs[i].narrow, diag), 0);
        same_bytes(&there, &once);
        bytes_free(&there);
        bytes_free(&once);
    }
    diag_free(diag);
}

static void maps_of_the_corpus_convert(void **state)
{
    (void)state;
    int found = 0, files = 0;
    for (int i = 0; i < BSP_CORPUS; i++)
        found += bsp_files_visit(bsp_corpus[i], there_and_back, &files);
    if (!found) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
}

SUITE(test_bsp_convert)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_of_props_do_not_change_their_meaning),
        cmocka_unit_test(packed_map_is_smaller_and_comes_back),
        cmocka_unit_test(big_endian_map_says_the_same),
        cmocka_unit_test(wider_version_and_back_gives_the_same_bytes),
        cmocka_unit_test(losses_of_version_19_are_told),
        cmocka_unit_test(samples_of_a_leaf_become_their_mean),
        cmocka_unit_test(map_flags_survive_the_way_over_version_19),
        cmocka_unit_test(targets_that_are_only_read_are_refused),
        cmocka_unit_test(maps_of_the_corpus_convert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
