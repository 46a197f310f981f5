/* Files of Quake 3's family at 0.99 and 1.1 of each limit: the first is written and read without a
 * word of it, the second ends as the table says. In the short form all limits of the first row of
 * each kind of records, and those in which other rows differ. */
#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/limit_tables.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/diag/codes/bsp_limits.def"
#include "tests/support/bsp_files.h"
#include "tests/support/ibsp_room.h"
#include "tests/support/limit_sizes.h"
#include "tests/support/long_form.h"

static void set_entities(struct bsp *bsp, struct bytes *text)
{
    arrsetlen(bsp->entities, text->size);
    memcpy(bsp->entities, text->data, text->size);
    bytes_free(text);
}

static void grow_entities(struct bsp *bsp, int64_t count)
{
    struct bytes text = {0};
    bytes_append_text(&text, "{\n\"classname\" \"worldspawn\"\n}\n");
    for (int64_t i = 0; i < count; i++)
        bytes_append_text(&text, "{\n\"classname\" \"trigger_hurt\"\n}\n");
    set_entities(bsp, &text);
}

static void grow_entity_bytes(struct bsp *bsp, int64_t count)
{
    static const char head[] = "{\n\"classname\" \"worldspawn\"\n\"note\" \"", tail[] = "\"\n}\n";
    struct bytes text = {0};
    bytes_append(&text, head, sizeof head - 1);
    bytes_fill(&text, 'a', (size_t)count - sizeof head - sizeof tail + 1);
    bytes_append(&text, tail, sizeof tail - 1);
    set_entities(bsp, &text);
}

static void grow_areas(struct bsp *bsp, int64_t count)
{
    bsp->leaves[ROOM_WALLS + 1].area = (int32_t)count - 1;
}

static void grow_visibility(struct bsp *bsp, int64_t count)
{
    bsp->visibility_row = (int32_t)(count / bsp->visibility_clusters);
    bytes_fill(&bsp->visibility, 0, (size_t)count - bsp->visibility.size);
}

static void grow_planes(struct bsp *bsp, int64_t count)
{
    while (arrlen(bsp->planes) < count) { /* in pairs */
        const struct bsp_plane plane = bsp->planes[arrlen(bsp->planes) - 2];
        arrput(bsp->planes, plane);
    }
}

/* A tree of its own, balanced, with leaves of its own. */
static void grow_nodes(struct bsp *bsp, int64_t count)
{
    const int32_t first = (int32_t)arrlen(bsp->nodes), added = (int32_t)count - first;
    for (int32_t i = 0; i < added; i++) {
        struct bsp_node node = {.area = -1};
        for (int k = 0; k < 2; k++) {
            const int32_t child = 2 * i + 1 + k;
            node.children[k] = child < added ? first + child : -2;
        }
        arrput(bsp->nodes, node);
    }
}

static void grow_surfaces(struct bsp *bsp, int64_t count)
{
    const struct bsp_surface flare = {.effect = -1, .type = SURFACE_FLARE, .lightmap = -3};
    while (arrlen(bsp->surfaces) < count)
        arrput(bsp->surfaces, flare);
}

static const struct {
    const char *limit;
    void (*grow)(struct bsp *bsp, int64_t count);
} growers[] = {{"entities in the game", grow_entities},
               {"bytes of entities", grow_entity_bytes},
               {"areas", grow_areas},
               {"bytes of visibility", grow_visibility},
               {"planes", grow_planes},
               {"nodes", grow_nodes},
               {"surfaces", grow_surfaces}};

/* Appends records of zeros, which refer to what is first. */
static void grow_list(struct bsp *bsp, const struct bsp_format *format,
                      const struct bsp_limit *limit, int64_t count)
{
    const struct lump_codec *codec = codec_find(format->codec, limit->lump, 0);
    assert_non_null(codec);
    void *list = (unsigned char *)bsp + limit->array;
    assert_true(array_length(list) > 0);
    (void)limit_grow_list(list, (size_t)count, codec->record->memory_size);
}

static struct bsp *room_with(const struct bsp_format *format, const struct bsp_limit *limit,
                             int64_t count)
{
    struct bsp *bsp = ibsp_room(0);
    bsp->engine = format->engine;
    if (bsp->engine->light.has_styles) {
        bsp_plain_surfaces(bsp);
        bsp_plain_grid(bsp);
    }
    for (size_t i = 0; i < sizeof growers / sizeof *growers; i++)
        if (strcmp(growers[i].limit, limit->name) == 0) {
            growers[i].grow(bsp, count);
            return bsp;
        }
    grow_list(bsp, format, limit, count);
    return bsp;
}

/* Many of one thing can be too many bytes of another. */
static size_t told_of(const struct diag *diag, const struct bsp_limit *limit)
{
    const size_t length = strlen(limit->name);
    size_t count = 0;
    for (size_t i = 0; i < diag_entries(diag); i++)
        count += diag_entry(diag, i)->code == DIAG_BSP_LIMIT &&
                 strncmp(diag_entry(diag, i)->message, limit->name, length) == 0 &&
                 diag_entry(diag, i)->message[length] == ':';
    return count;
}

static void try_size(const struct bsp_format *format, size_t index, int64_t count, bool passes)
{
    const struct bsp_limit *limit = bsp_limit_at(format, index);
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *bsp = room_with(format, limit, count), *again = NULL;
    struct bytes file = {0};
    assert_int_equal(limit_use_of(bsp, format, index), count);
    (void)!bsp_check_limits(bsp, format, false, "big.bsp", diag); /* the entries tell */
    const bool written = bsp_encode(bsp, format, "big.bsp", diag, &file) == STATUS_OK;
    if (written != (count <= limit->accepted) || (told_of(diag, limit) > 0) != passes)
        fail_msg("%s: %s: %lld", format->target, limit->name, (long long)count);
    if (written) {
        if (bsp_decode_file(&file, "big.bsp", diag, &again) != STATUS_OK)
            fail_msg("%s: %s: %lld: %s", format->target, limit->name, (long long)count,
                     diag_entry(diag, diag_entries(diag) - 1)->message);
        assert_int_equal(limit_use_of(again, format, index), count);
    }
    bsp_free(again);
    bsp_free(bsp);
    bytes_free(&file);
    diag_free(diag);
}

static bool has_first_records(const struct bsp_format *format)
{
    const struct bsp_format *other;
    for (size_t i = 0; (other = bsp_format_at(i)) != format; i++)
        if (other->codec == format->codec)
            return false;
    return true;
}

static void files_end_as_the_table_says(void **state)
{
    (void)state;
    const struct bsp_format *format;
    size_t tried = 0;
    const int others = long_form(0, 1);
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        for (size_t k = 0; k < format->limit_count; k++) {
            const int64_t maximum = bsp_limit_at(format, k)->maximum;
            const bool is_own = bsp_limit_at(format, k) != &format->limits[k];
            if (!format->engine->geometry.has_surfaces ||
                !(is_own || others || has_first_records(format)))
                continue;
            try_size(format, k, maximum * 99 / 100 & ~INT64_C(1), false);
            try_size(format, k, ((maximum * 11 + 9) / 10 + 1) & ~INT64_C(1), true);
            tried++;
        }
    assert_true(tried >= 3 * (size_t)IBSP_LIMITS + IBSP_LIMITS_DARKPLACES);
}

SUITE(test_limit_sizes_quake3)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_end_as_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
