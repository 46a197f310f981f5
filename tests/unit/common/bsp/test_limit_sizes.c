/* Files at 0.99 and 1.1 of each limit of each target: the first is written and read without a word,
 * the second ends as the table says, and the message has the limit, its number and its file. In the
 * short form all limits of the first target, and those in which others differ. */
#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/limit_report.h"
#include "common/bsp/codec/map_flags.h"
#include "common/bsp/face_records.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_limits.def"
#include "tests/support/bsp_files.h"
#include "tests/support/limit_sizes.h"
#include "tests/support/long_form.h"
#include "tests/support/room_bsp.h"

/* --- what is counted by other means than a list's length --- */

static void grow_entities(struct bsp *bsp, int64_t count)
{
    struct bytes text = {0};
    for (int64_t i = 0; i < count; i++)
        bytes_append_text(&text, "{\n\"classname\" \"%s\"\n}\n", i ? "info_target" : "worldspawn");
    arrsetlen(bsp->entities, text.size);
    memcpy(bsp->entities, text.data, text.size);
    bytes_free(&text);
}

/* A tree of its own, balanced, with leaves of its own. */
static void grow_nodes(struct bsp *bsp, int64_t count)
{
    int32_t first = (int32_t)arrlen(bsp->nodes), added = (int32_t)count - first;
    for (int32_t i = 0; i < added; i++) {
        struct bsp_node node = {0};
        for (int k = 0; k < 2; k++) {
            int32_t child = 2 * i + 1 + k;
            node.children[k] = child < added ? first + child : -1 - (int32_t)arrlen(bsp->leaves);
            if (child >= added)
                arrput(bsp->leaves, ((struct bsp_leaf){.water_data = -1}));
        }
        arrput(bsp->nodes, node);
    }
}

static void grow_clusters(struct bsp *bsp, int64_t count)
{
    bytes_free(&bsp->visibility);
    bsp->leaves[arrlen(bsp->leaves) - 1].cluster = (int32_t)count - 1;
}

static void grow_sides_of_a_brush(struct bsp *bsp, int64_t count)
{
    struct bsp_brush_side side = bsp->brush_sides[0];
    for (int64_t i = bsp->brushes[0].side_count; i < count; i++)
        arrins(bsp->brush_sides, bsp->brushes[0].side_count, side);
    for (ptrdiff_t i = 1; i < arrlen(bsp->brushes); i++)
        bsp->brushes[i].first_side += (int32_t)count - bsp->brushes[0].side_count;
    bsp->brushes[0].side_count = (int32_t)count;
}

static void add_name(struct bsp *bsp, int64_t characters)
{
    char *name = memory_zalloc((size_t)characters + 1, 1);
    memset(name, 'a', (size_t)characters);
    arrput(bsp->texture_names, name);
}

static int64_t name_bytes(const struct bsp *bsp)
{
    int64_t sum = 0;
    for (ptrdiff_t i = 0; i < arrlen(bsp->texture_names); i++)
        sum += (int64_t)strlen(bsp->texture_names[i]) + 1;
    return sum;
}

static void grow_name_bytes(struct bsp *bsp, int64_t count)
{
    int64_t left = count - name_bytes(bsp);
    for (; left > 128; left -= 101)
        add_name(bsp, 100);
    add_name(bsp, left - 1);
}

static void grow_names(struct bsp *bsp, int64_t count)
{
    while (arrlen(bsp->texture_names) < count)
        add_name(bsp, 1);
}

static void grow_worldlights(struct bsp *bsp, int64_t count)
{
    while (arrlen(bsp->ldr.worldlights) < count)
        arrput(bsp->ldr.worldlights, (struct bsp_worldlight){0});
}

static void grow_ambient(struct bsp *bsp, int64_t count)
{
    while (arrlen(bsp->ldr.ambient) < count)
        arrput(bsp->ldr.ambient, (struct bsp_ambient){0});
    arrsetlen(bsp->ldr.ambient_index, 0);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++)
        arrput(bsp->ldr.ambient_index, (struct bsp_ambient_index){0});
}

static void grow_visibility(struct bsp *bsp, int64_t count)
{
    while ((int64_t)bsp->visibility.size < count) {
        static const unsigned char zeros[1 << 16];
        int64_t left = count - (int64_t)bsp->visibility.size;
        bytes_append(&bsp->visibility, zeros,
                     left < (int64_t)sizeof zeros ? (size_t)left : sizeof zeros);
    }
}

static void grow_leaves(struct bsp *bsp, int64_t count)
{
    while (arrlen(bsp->leaves) < count)
        arrput(bsp->leaves, ((struct bsp_leaf){.water_data = -1}));
}

static const struct bsp_face no_face = {.dispinfo = -1, .fog_volume = -1, .original_face = -1};

static void grow_faces(struct bsp *bsp, int64_t count)
{
    while (arrlen(bsp->faces) < count)
        arrput(bsp->faces, no_face);
}

static void grow_original_faces(struct bsp *bsp, int64_t count)
{
    while (arrlen(bsp->original_faces) < count)
        arrput(bsp->original_faces, no_face);
}

static const struct {
    const char *limit;
    void (*grow)(struct bsp *bsp, int64_t count);
} growers[] = {{"entities", grow_entities},
               {"nodes", grow_nodes},
               {"leaves", grow_leaves},
               {"faces", grow_faces},
               {"original faces", grow_original_faces},
               {"clusters", grow_clusters},
               {"sides of a brush", grow_sides_of_a_brush},
               {"characters of a texture name", add_name},
               {"bytes of texture names", grow_name_bytes},
               {"texture names", grow_names},
               {"worldlights", grow_worldlights},
               {"ambient samples", grow_ambient},
               {"bytes of visibility", grow_visibility}};

/* Appends records of zeros to the limit's list, which refer to what is first; planes, which need a
 * normal, as copies. */
static void grow_list(struct bsp *bsp, const struct bsp_format *format,
                      const struct bsp_limit *limit, int64_t count)
{
    const struct lump_codec *codec =
        codec_find(format->codec, limit->lump, vbsp_usual_version(format, limit->lump));
    assert_non_null(codec);
    size_t size = limit->lump == LUMP_LEAFS ? sizeof(struct bsp_leaf) : codec->record->memory_size;
    void *list = (unsigned char *)bsp + limit->array;
    const size_t had = array_length(list);
    unsigned char *records = limit_grow_list(list, (size_t)count, size);
    for (size_t i = had; i < (size_t)count && had && limit->lump == LUMP_PLANES; i++)
        memcpy(records + i * size, records + (had - 1) * size, size);
}

static void grow(struct bsp *bsp, const struct bsp_format *format, const struct bsp_limit *limit,
                 int64_t count)
{
    for (size_t i = 0; i < sizeof growers / sizeof *growers; i++)
        if (strcmp(growers[i].limit, limit->name) == 0) {
            growers[i].grow(bsp, count);
            return;
        }
    grow_list(bsp, format, limit, count);
}

/* --- one limit --- */

static struct bsp *bsp_with(const struct bsp_format *format, size_t index, int64_t count)
{
    struct bsp *bsp = room_new(vec3(256, 128, 64), 0.5, NULL);
    room_set_entities(bsp, "");
    arrput(bsp->areas, (struct bsp_area){0});
    arrput(bsp->vertex_normals, ((struct bsp_vertex){{0, 0, 1}}));
    grow(bsp, format, bsp_limit_at(format, index), count);
    assert_int_equal(limit_use_of(bsp, format, index), count);
    return bsp;
}

static void expect_message(const struct diag *diag, const struct bsp_format *format,
                           const struct bsp_limit *limit, int64_t count)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %lld; the maximum of %s (%s) is %lld (%lld too many",
             limit->name, (long long)count, format->title, format->target,
             (long long)limit->maximum, (long long)(count - limit->maximum));
    for (size_t i = 0; i < diag_entries(diag); i++)
        if (diag_entry(diag, i)->code == DIAG_BSP_LIMIT &&
            strstr(diag_entry(diag, i)->message, text)) {
            assert_string_equal(diag_entry(diag, i)->where.file, "big.bsp");
            return;
        }
    fail_msg("no message \"%s\"", text);
}

/* Returns true if it was written. */
static bool write_big(const struct bsp_format *format, size_t index, int64_t count,
                      struct diag *diag)
{
    struct bsp *bsp = bsp_with(format, index, count), *again = NULL;
    struct bytes file = {0};
    (void)!bsp_check_limits(bsp, format, false, "big.bsp", diag); /* the entries tell */
    bool written = bsp_encode(bsp, format, "big.bsp", diag, &file) == STATUS_OK;
    if (written) {
        assert_int_equal(bsp_decode_file(&file, "big.bsp", diag, &again), STATUS_OK);
        assert_int_equal(limit_use_of(again, format, index), count);
    } else {
        assert_int_equal(file.size, 0);
    }
    bsp_free(again);
    bsp_free(bsp);
    bytes_free(&file);
    return written;
}

static void try_limit(const struct bsp_format *format, size_t index)
{
    const struct bsp_limit *limit = bsp_limit_at(format, index);
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    int64_t below = limit->maximum * 99 / 100, above = (limit->maximum * 11 + 9) / 10;
    if (!write_big(format, index, below, diag) || diag_entries(diag))
        fail_msg("%s: %s: %lld", format->target, limit->name, (long long)below);
    diag_free(diag);
    diag = diag_new(NULL, NULL);
    bool written = write_big(format, index, above, diag);
    if (written != (above <= limit->accepted))
        fail_msg("%s: %s: %lld", format->target, limit->name, (long long)above);
    assert_int_equal(diag_count(diag, DIAG_ERROR) > 0, !written);
    assert_int_equal(diag_count(diag, DIAG_WARNING) > 0, written);
    expect_message(diag, format, limit, above);
    diag_free(diag);
}

/* Some lumps are of later branches, and so is a list of ambient samples. */
static bool has_place(const struct bsp_format *format, size_t index)
{
    const struct bsp_limit *limit = bsp_limit_at(format, index);
    if (strcmp(limit->name, "ambient samples") == 0)
        return format->ambient == AMBIENT_INDEXED;
    return limit->count || bsp_format_has_lump(format, limit->lump);
}

/* Lists of more records would take gigabytes; the short form has no lists of a million. */
enum { MOST_RECORDS = 10000000, MOST_IN_SHORT = 1 << 18 };

static void files_end_as_the_table_says(void **state)
{
    (void)state;
    const struct bsp_format *format;
    int others = long_form(0, 1);
    const int64_t max = long_form(MOST_IN_SHORT, MOST_RECORDS);
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        for (size_t k = 0; k < format->limit_count; k++) {
            bool is_own = bsp_limit_at(format, k) != &format->limits[k];
            bool is_source = !format->read_only && format->limits == bsp_format_at(0)->limits;
            bool fits = i == 0 || bsp_limit_at(format, k)->maximum <= max;
            if (is_source && has_place(format, k) && fits && (i == 0 || is_own || others))
                try_limit(format, k);
        }
}

/* --- the tables --- */

static int64_t maximum_of(const char *target, const char *name, int64_t *accepted)
{
    const char *nearest = NULL;
    const struct bsp_limit *limit = limit_find(bsp_format_find(target), name, &nearest);
    assert_non_null(limit);
    *accepted = limit->accepted;
    return limit->maximum;
}

static void branches_have_their_own_limits(void **state)
{
    (void)state;
    static const struct {
        const char *target, *limit;
        int64_t maximum, accepted;
    } rows[] = {
        {"sdk2013", "brushes", 8192, 8192},     {"tf2", "brushes", 8192, 8192},
        {"gmod", "brushes", 8192, 65536},       {"gmod", "brush sides", 65536, 65536},
        {"gmod", "entities", 8192, 8192},       {"css19", "entities", 4096, 8192},
        {"source2007", "entities", 8192, 8192}, {"l4d2", "entities", 8192, 8192},
        {"portal2", "entities", 16384, 16384},  {"csgo", "entities", 16384, 16384},
        {"momentum", "entities", 16384, 16384}, {"csgo", "brushes", 8192, 8192},
        {"strata", "overlays", 16384, 16384},   {"strata", "brushes", 131072, 131072},
        {"strata", "faces", 1048576, 1048576},  {"strata", "displacements", 65535, 65535},
        {"xonotic", "models", 8191, 8191},      {"xonotic", "brushes", 32768, INT64_MAX},
        {"quake3", "models", 256, 256},         {"quake3", "brushes", 32768, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t accepted;
        assert_int_equal(maximum_of(rows[i].target, rows[i].limit, &accepted), rows[i].maximum);
        assert_int_equal(accepted, rows[i].accepted);
    }
}

/* A row says where the number is from, and what is beyond it when it may be passed. A
 * branch names limits of its family only. */
static void rows_are_complete(void **state)
{
    (void)state;
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++) {
        for (size_t k = 0; k < format->limit_count; k++) {
            const struct bsp_limit *limit = bsp_limit_at(format, k);
            assert_true(limit->maximum >= 0 && limit->accepted >= limit->maximum);
            assert_true(limit->source && *limit->source);
            assert_true(limit->accepted == limit->maximum || limit->beyond);
        }
        for (size_t k = 0; k < format->own_limit_count; k++) {
            size_t found = 0;
            for (size_t j = 0; j < format->limit_count; j++)
                found += bsp_limit_at(format, j) == &format->own_limits[k];
            assert_int_equal(found, 1);
        }
    }
}

/* A file does not tell its branch. */
static void another_branch_that_takes_it_is_named(void **state)
{
    (void)state;
    const struct bsp_format *format = bsp_format_find("sdk2013");
    struct bsp *bsp = room_new(vec3(256, 128, 64), 0.5, NULL);
    const char *nearest = NULL;
    grow_list(bsp, format, limit_find(format, "brushes", &nearest), 9000);
    struct diag *diag = diag_new(NULL, NULL);
    assert_int_equal(bsp_check_limits(bsp, format, false, "big.bsp", diag), STATUS_FAILED);
    diag_free(diag);
    diag = diag_new(NULL, NULL);
    assert_int_equal(bsp_check_limits(bsp, format, true, "big.bsp", diag), STATUS_OK);
    assert_int_equal(diag_count(diag, DIAG_WARNING), 1);
    assert_non_null(strstr(diag_entry(diag, 0)->message, "which gmod takes"));
    diag_free(diag);
    bsp_free(bsp);
}

/* Played maps have brushes of 298 sides, most of them bevels. */
static void bevels_of_a_brush_do_not_count(void **state)
{
    (void)state;
    const struct bsp_format *format = bsp_format_find("sdk2013");
    struct bsp *bsp = room_new(vec3(256, 128, 64), 0.5, NULL);
    grow_sides_of_a_brush(bsp, 298);
    const char *nearest = NULL;
    const struct bsp_limit *limit = limit_find(format, "sides of a brush", &nearest);
    assert_int_equal(limit->count(bsp), 298);
    for (int i = 100; i < 298; i++)
        bsp->brush_sides[i].bevel = 1;
    assert_int_equal(limit->count(bsp), 100);
    bsp->brushes[0].side_count = 1 << 30; /* a damaged file */
    (void)limit->count(bsp);
    bsp->brushes[0].first_side = -(1 << 30);
    (void)limit->count(bsp);
    bsp_free(bsp);
}

SUITE(test_limit_sizes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_end_as_the_table_says),
        cmocka_unit_test(branches_have_their_own_limits),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(bevels_of_a_brush_do_not_count),
        cmocka_unit_test(another_branch_that_takes_it_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
