#include "tests/support/suite.h"

#include "common/bsp/codec/codec.h"
#include "tests/support/bsp_files.h"

static struct bsp *decode(const struct bytes *file, const char *name, struct diag *diag)
{
    struct bsp *bsp = NULL;
    assert_int_equal(bsp_decode(file->data, file->size, name, diag, &bsp), STATUS_OK);
    return bsp;
}

static void same_bytes(const struct bytes *a, const unsigned char *data, size_t size)
{
    assert_int_equal(a->size, size);
    if (size)
        assert_memory_equal(a->data, data, size);
}

/* Padding is uninitialised memory in Valve's tools: it has no canonical form. In version 17, all
 * unknown bytes count as padding. */
static void blank_filler(const struct record *record, struct bytes *data)
{
    for (size_t i = 0; i + record->file_size <= data->size; i += record->file_size) {
        size_t at = i, bits = 0;
        for (size_t k = 0; k < record->field_count; k++) {
            const struct record_field *field = &record->fields[k];
            switch (field->kind) {
            case FIELD_PAD:
                memset(data->data + at, 0, field->count);
                at += field->count;
                break;
            case FIELD_U8:
                at += field->count;
                break;
            case FIELD_BITS:
            case FIELD_FLAG:
                bits += field->kind == FIELD_FLAG ? 1 : field->count;
                at += bits == 16 ? 2 : 0;
                bits %= 16;
                break;
            case FIELD_I16:
            case FIELD_U16:
            case FIELD_ID16:
                at += (size_t)2 * field->count;
                break;
            default:
                at += (size_t)4 * field->count;
                break;
            }
        }
    }
}

/* The 56-byte leaf ends with padding that is not in the table of fields. */
static void blank_leaf_filler(struct bytes *data)
{
    for (size_t i = 54; i < data->size; i += 56)
        memset(data->data + i, 0, 2);
}

/* Number of maps, by lump, with padding other than zeros. */
static int filled[BSP_LUMPS];

/* The lump as in the file, unpacked; empty forms that our codec always writes are treated
 * separately. */
static void expected_lump(const struct bsp *bsp, const struct container *container, int lump,
                          struct diag *diag, struct bytes *out)
{
    struct bytes unpacked = {0};
    struct byte_reader data;
    const struct lump_codec *codec =
        codec_find(bsp->format->codec, lump, container->lumps[lump].version);
    assert_int_equal(container_lump(container, lump, diag, &unpacked, &data), STATUS_OK);
    bytes_append(out, data.data, data.size);
    if (codec && codec->record)
        blank_filler(codec->record, out);
    if (lump == LUMP_LEAFS && codec && !codec->record)
        blank_leaf_filler(out);
    filled[lump] += out->size && memcmp(out->data, data.data, out->size) != 0;
    bytes_free(&unpacked);
}

/* The codecs of these always write something; the file has no bytes. */
static bool is_written_when_empty(int lump)
{
    return lump == LUMP_OCCLUSION || lump == LUMP_PAKFILE || lump == LUMP_MAPFLAGS ||
           lump == LUMP_GAMELUMP;
}

/* Packed game lumps are compared unpacked: another packer gives other bytes. */
static bool has_packed_game_lumps(const struct bsp *bsp, int lump)
{
    return lump == LUMP_GAMELUMP && bsp->encoding.compressed;
}

/* Encodes each lump with a canonical form from that form alone. */
static void codecs_give_each_lump(const struct bsp *bsp, struct diag *diag)
{
    struct container container;
    assert_int_equal(
        container_open(bsp->layout.file.data, bsp->layout.file.size, "map", diag, &container),
        STATUS_OK);
    for (int lump = 0; lump < container.lump_count; lump++) {
        struct bytes ours = {.order = bsp->encoding.order}, theirs = {0};
        struct record_range_error range_error;
        int32_t version = container.lumps[lump].version;
        expected_lump(bsp, &container, lump, diag, &theirs);
        if (!codec_find(bsp->format->codec, lump, version)) {
            same_bytes(&bsp->carried[lump].data, theirs.data, theirs.size);
        } else if (theirs.size || !is_written_when_empty(lump)) {
            assert_int_equal(bsp->carried[lump].data.size, 0);
            assert_true(codec_encode_lump(bsp, bsp->format, lump, (size_t)bsp->layout.offset[lump],
                                          &ours, &range_error));
            if (!has_packed_game_lumps(bsp, lump))
                same_bytes(&ours, theirs.data, theirs.size);
        }
        bytes_free(&ours);
        bytes_free(&theirs);
    }
}

/* The same lumps again from a file whose layout is dropped. */
static void lumps_survive_another_layout(struct bsp *bsp, struct diag *diag)
{
    struct bytes out = {0};
    bsp->layout.count = 0;
    assert_int_equal(bsp_encode(bsp, NULL, "again", diag, &out), STATUS_OK);
    struct bsp *again = decode(&out, "again", diag);
    assert_true(again->encoding.order == bsp->encoding.order);
    for (int lump = 0; lump < bsp_lump_numbers(bsp->format); lump++) {
        struct bytes a = {.order = bsp->encoding.order}, b = {.order = bsp->encoding.order};
        struct record_range_error range_error;
        assert_true(codec_encode_lump(bsp, bsp->format, lump, 0, &a, &range_error));
        assert_true(codec_encode_lump(again, bsp->format, lump, 0, &b, &range_error));
        same_bytes(&a, b.data, b.size);
        assert_int_equal(again->layout.length[lump] ? again->layout.offset[lump] % 4 : 0, 0);
        bytes_free(&a);
        bytes_free(&b);
    }
    bsp_free(again);
    bytes_free(&out);
}

static void round_trip(void *context, const char *path, const struct bytes *file)
{
    (void)context;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    print_message("%s\n", path);
    struct bsp *bsp = decode(file, path, diag);
    struct bytes out = {0};
    codecs_give_each_lump(bsp, diag);
    assert_int_equal(bsp_encode(bsp, NULL, path, diag, &out), STATUS_OK);
    same_bytes(&out, file->data, file->size);
    lumps_survive_another_layout(bsp, diag);
    assert_int_equal(diag_entries(diag), 0);
    bytes_free(&out);
    bsp_free(bsp);
    diag_free(diag);
}

static void own_map_comes_back_the_same(void **state)
{
    (void)state;
    struct bytes file = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), OWN_BSP, &file), 0);
    round_trip(NULL, OWN_BSP, &file);
    bytes_free(&file);
}

static void maps_of_the_corpus_come_back_the_same(void **state)
{
    (void)state;
    int found = 0;
    for (int i = 0; i < BSP_CORPUS; i++)
        found += bsp_files_visit(bsp_corpus[i], round_trip, NULL);
    if (!found) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
    for (int lump = 0; lump < BSP_LUMPS; lump++)
        if (filled[lump])
            print_message("lump %d: other filler than zeros in %d of %d maps\n", lump, filled[lump],
                          found);
}

/* Padding other than zeros: kept while the lump is unchanged. */
static void odd_encoding_is_kept_until_the_lump_changes(void **state)
{
    (void)state;
    struct bytes file = {0}, out = {0};
    struct diag *diag = diag_new(NULL, NULL);
    assert_int_equal(fs_disk()->ops->read(fs_disk(), OWN_BSP, &file), 0);
    struct bsp *bsp = decode(&file, "map", diag);
    size_t pad = (size_t)bsp->layout.offset[LUMP_NODES] + 30;
    bsp_free(bsp);
    file.data[pad] = 0x5a;
    bsp = decode(&file, "map", diag);
    assert_int_equal(bsp_encode(bsp, NULL, "map", diag, &out), STATUS_OK);
    same_bytes(&out, file.data, file.size);
    bsp->nodes[1].mins[0]--;
    out.size = 0;
    assert_int_equal(bsp_encode(bsp, NULL, "map", diag, &out), STATUS_OK);
    assert_int_equal(out.size, file.size);
    assert_int_equal(out.data[pad], 0);
    bsp_free(bsp);
    bytes_free(&file);
    bytes_free(&out);
    diag_free(diag);
}

static void put_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

/* Two entries of the table that share one text. */
static void shared_texture_names_are_kept_until_a_name_changes(void **state)
{
    (void)state;
    struct bytes file = {0}, out = {0};
    struct diag *diag = diag_new(NULL, NULL);
    assert_int_equal(fs_disk()->ops->read(fs_disk(), OWN_BSP, &file), 0);
    struct bsp *bsp = decode(&file, "map", diag);
    size_t table = (size_t)bsp->layout.offset[LUMP_TEXDATASTRINGTABLE];
    bsp_free(bsp);
    put_u32(file.data + table + 4, 0);
    bsp = decode(&file, "map", diag);
    assert_string_equal(bsp->texture_names[0], bsp->texture_names[1]);
    assert_int_equal(bsp_encode(bsp, NULL, "map", diag, &out), STATUS_OK);
    same_bytes(&out, file.data, file.size);
    bsp->texture_names[2][0] = '#';
    out.size = 0;
    assert_int_equal(bsp_encode(bsp, NULL, "map", diag, &out), STATUS_OK);
    struct bsp *again = decode(&out, "map", diag);
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        assert_string_equal(again->texture_names[i], bsp->texture_names[i]);
    bsp_free(again);
    bsp_free(bsp);
    bytes_free(&file);
    bytes_free(&out);
    diag_free(diag);
}

/* A lump that grows moves the following ones, to multiples of four, and changes nothing else. */
static void changed_lump_leaves_the_others_alone(void **state)
{
    (void)state;
    struct bytes file = {0}, out = {0};
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    assert_int_equal(fs_disk()->ops->read(fs_disk(), OWN_BSP, &file), 0);
    struct bsp *bsp = decode(&file, "map", diag);
    bytes_fill(&bsp->ldr.lighting, 7, 33);
    assert_int_equal(bsp_encode(bsp, NULL, "map", diag, &out), STATUS_OK);
    struct bsp *again = decode(&out, "map", diag);
    assert_int_equal(again->layout.length[LUMP_LIGHTING], bsp->layout.length[LUMP_LIGHTING] + 33);
    for (int lump = 0; lump < BSP_LUMPS; lump++) {
        int64_t length = bsp->layout.length[lump];
        assert_int_equal(again->carried[lump].version, bsp->carried[lump].version);
        if (lump == LUMP_LIGHTING || lump == LUMP_GAMELUMP || !length)
            continue;
        assert_int_equal(again->layout.offset[lump] % 4, 0);
        assert_int_equal(again->layout.length[lump], length);
        assert_memory_equal(out.data + again->layout.offset[lump],
                            file.data + bsp->layout.offset[lump], (size_t)length);
    }
    assert_int_equal(arrlen(again->game_lumps), arrlen(bsp->game_lumps));
    bsp_free(again);
    bsp_free(bsp);
    bytes_free(&file);
    bytes_free(&out);
    diag_free(diag);
}

SUITE(test_bsp_roundtrip)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_map_comes_back_the_same),
        cmocka_unit_test(maps_of_the_corpus_come_back_the_same),
        cmocka_unit_test(odd_encoding_is_kept_until_the_lump_changes),
        cmocka_unit_test(shared_texture_names_are_kept_until_a_name_changes),
        cmocka_unit_test(changed_lump_leaves_the_others_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
