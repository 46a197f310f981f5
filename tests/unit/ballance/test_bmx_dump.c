#include "tests/support/suite.h"

#include <stdio.h>

#include "ballance/bmx/diff.h"
#include "ballance/bmx/dump.h"
#include "common/diag/codes/bm_dumps.def"
#include "tests/support/bmx_files.h"

static void read_text(struct fs *fs, const char *path, struct bytes *out)
{
    assert_int_equal(fs->ops->read(fs, path, out), 0);
    bytes_u8(out, 0);
}

static struct bmx *there_and_back(const struct bmx *bmx, struct fs *fs)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bmx *again;
    assert_int_equal(bmx_unpack(bmx, fs, "dump", false, diag, NULL), STATUS_OK);
    assert_int_equal(bmx_pack(fs, "dump", diag, &again), STATUS_OK);
    assert_int_equal(diag_entries(diag), 0);
    diag_free(diag);
    return again;
}

static void expect_same_again(const struct bmx *bmx)
{
    struct fs *fs = fs_memory_new();
    struct bmx *again = there_and_back(bmx, fs);
    assert_true(bmx_same_members(bmx, again));
    bmx_free(again);
    fs_memory_free(fs);
}

static void every_bit_survives_as_text(void **state)
{
    (void)state;
    static const uint32_t floats[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff,
                                      0x00800000, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                      0xff800000, 0x7fc00000, 0x7fa00001, 0xffffffff, 0x3dcccccd};
    struct bmx *bmx = bmx_level();
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        struct bmx_point point = {{0}};
        memcpy(&point.xyz[i % 3], &floats[i], 4);
        arrput(bmx->meshes[0].positions, point);
    }
    for (uint32_t i = 0, bits = 1; i < 5000; i++, bits = bits * 2654435761u + 12345) {
        struct bmx_uv uv;
        memcpy(&uv.uv[0], &bits, 4);
        memcpy(&uv.uv[1], &i, 4);
        arrput(bmx->meshes[0].uvs, uv);
    }
    bmx->meshes[0].faces[0].material = UINT32_MAX;
    bmx->materials[0].two_sided = 200;
    expect_same_again(bmx);
    bmx_free(bmx);
}

static void every_name_survives_as_text(void **state)
{
    (void)state;
    static const uint32_t points[] = {0,        '"',        '\\',    '\n',   0x7f,   0x85,
                                      0x200e,   0x2028,     0xd800,  0xdfff, 0xfeff, 0x10ffff,
                                      0x110000, 0xffffffff, 0x1f600, ' ',    '#',    '{'};
    struct bmx *bmx = bmx_level();
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        arrput(bmx->objects[0].name.points, points[i]);
        arrput(bmx->objects[0].groups[0].points, points[i]);
        arrput(bmx->textures[0].file_name.points, points[i]);
    }
    expect_same_again(bmx);
    bmx_free(bmx);
}

static void archives_survive_as_text(void **state)
{
    (void)state;
    static const char *const samples[] = {
        "index_interleaved", "trailing_garbage", "dup_member", "zip_slip",
        "extra_member",      "index_type9",      "empty",      "cube_dir_entry",
        "internal_textures"};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char path[512];
        struct bytes file = {0};
        struct bmx_findings findings = {0};
        snprintf(path, sizeof path, BMX_SEEDS "%s.bmx", samples[i]);
        assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
        struct bmx *bmx = bmx_look(file.data, file.size, &findings);
        if (bmx) /* dup_member has no model: its last mesh.bm is truncated */
            expect_same_again(bmx);
        bmx_free(bmx);
        bmx_findings_free(&findings);
        bytes_free(&file);
    }
}

static void count_outside(void *context, const char *name, bool is_directory)
{
    int *outside = context;
    *outside += strcmp(name, "dump") != 0 || !is_directory;
}

static void hostile_names_stay_below_the_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"../evil",
                                        "/etc/evil",
                                        "Texture/../../evil",
                                        "C:\\evil",
                                        "Texture/a\\b",
                                        "Texture/..",
                                        "Texture/",
                                        "Texture//x",
                                        "index.txt",
                                        "objects.txt",
                                        "members/00007",
                                        "Texture/stone.png",
                                        "Texture/STONE.png",
                                        "Texture/a\x01_",
                                        "Texture/bad\xff",
                                        "a/b/c",
                                        "dump/x"};
    struct bmx *bmx = bmx_level();
    struct fs *fs = fs_memory_new();
    int outside = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        bmx_add_file(bmx, names[i], &i, sizeof i);
    bytes_append(&bmx->comment, "\xff\0\n", 3);
    struct bmx *again = there_and_back(bmx, fs);
    assert_true(bmx_same_members(bmx, again));
    fs->ops->list(fs, ".", count_outside, &outside);
    fs->ops->list(fs, "", count_outside, &outside);
    assert_int_equal(outside, 0);
    assert_int_equal(fs->ops->kind(fs, "dump/Texture/stone.png"), FS_FILE);
    assert_int_equal(fs->ops->kind(fs, "dump/Texture/STONE.png"), FS_ABSENT);
    bmx_free(again);
    bmx_free(bmx);
    fs_memory_free(fs);
}

/* Replaces text in a file of the dump, and expects an error about that line. */
static void expect_complaint(const char *file, const char *old, const char *fresh, int line)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    struct bmx *bmx = bmx_level(), *again;
    struct bytes text = {0}, changed = {0};
    assert_int_equal(bmx_unpack(bmx, fs, "d", false, diag, NULL), STATUS_OK);
    read_text(fs, file, &text);
    const char *at = strstr((const char *)text.data, old);
    assert_non_null(at);
    bytes_append_text(&changed, "%.*s%s%s", (int)(at - (const char *)text.data), text.data, fresh,
                      at + strlen(old));
    assert_int_equal(fs->ops->write(fs, file, changed.data, changed.size), 0);
    assert_int_equal(bmx_pack(fs, "d", diag, &again), STATUS_FAILED);
    assert_null(again);
    const struct diag_entry *entry = diag_entry(diag, diag_entries(diag) - 1);
    assert_int_equal(entry->code, DIAG_BMX_DUMP);
    assert_string_equal(entry->where.file, file);
    assert_int_equal(entry->where.line, line);
    bytes_free(&text);
    bytes_free(&changed);
    bmx_free(bmx);
    fs_memory_free(fs);
    diag_free(diag);
}

static void mistakes_are_told_by_line(void **state)
{
    (void)state;
    expect_complaint("d/objects.txt", "object", "mesh", 1);
    expect_complaint("d/objects.txt", "hidden 0", "hidden 256", 3);
    expect_complaint("d/objects.txt", "hidden 0", "hidden", 3);
    expect_complaint("d/objects.txt", "hidden 0", "hidden 0 0", 3);
    expect_complaint("d/objects.txt", "\"A_Floor_01\"", "\"A_Floor_01", 1);
    expect_complaint("d/objects.txt", "A_Floor", "A\\q", 1);
    expect_complaint("d/objects.txt", "A_Floor", "\\u{123456789}", 1);
    expect_complaint("d/objects.txt", "A_Floor", "\\xff", 1);
    expect_complaint("d/objects.txt", "A_Floor", "\xff", 1);
    expect_complaint("d/objects.txt", "matrix 1", "matrix nan", 4);
    expect_complaint("d/objects.txt", "matrix 1", "matrix 1e99", 4);
    expect_complaint("d/objects.txt", "matrix 1", "matrix 0x7fc0000", 4);
    expect_complaint("d/objects.txt", "matrix 1", "matrix", 4);
    expect_complaint("d/objects.txt", "mesh \"Floor\"", "mesh 4294967296", 9);
    expect_complaint("d/objects.txt", "mesh \"Floor\"", "mesh \"floor\"", 9);
    expect_complaint("d/objects.txt", "mesh \"Floor\"", "mesh Floor", 9);
    expect_complaint("d/objects.txt", "mesh \"Floor\"", "mesh 0\ngap 0", 10);
    expect_complaint("d/meshes.txt", "1/1/0", "1/1", 10);
    expect_complaint("d/meshes.txt", "usemtl \"Stone\"", "usemtl \"Sand\"", 9);
    expect_complaint("d/meshes.txt", "usemtl \"Stone\"", "usemtl", 9);
    expect_complaint("d/materials.txt", "  power 0\n", "", 6);
    expect_complaint("d/index.txt", "version 14", "version 13", 1);
    expect_complaint("d/index.txt", "file \"Texture/stone.png\"", "part", 5);
    expect_complaint("d/index.txt", "file", "part \"mesh.bm\"\npart \"mesh.bm\"\nfile", 6);
    expect_complaint("d/index.txt", "file", "object 1\nobject 1\nfile", 6);
    expect_complaint("d/index.txt", "file", "unknown 3 \"x\" 0\nfile", 5);
    expect_complaint("d/index.txt", "\"Texture/stone.png\"\n", "\"../objects.txt\"\n", 5);
}

struct seen {
    size_t count;
    char first[128];
};

static void see(void *context, const char *where, const char *text)
{
    struct seen *seen = context;
    if (!seen->count++)
        snprintf(seen->first, sizeof seen->first, "%s: %s", where, text);
}

/* Compares a changed level with the plain one, and frees it. */
static void expect_difference(struct bmx *changed, const struct bmx_diff_options *options,
                              size_t count, const char *first)
{
    struct bmx *plain = bmx_level();
    struct seen seen = {0};
    assert_int_equal(bmx_diff(plain, changed, options, see, &seen), count);
    assert_int_equal(seen.count, count);
    assert_string_equal(seen.first, first);
    bmx_free(plain);
    bmx_free(changed);
}

static void differences_are_by_meaning(void **state)
{
    (void)state;
    const struct bmx_diff_options exact = {0}, loose = {.tolerance = 0.01},
                                  no_normals = {.ignore_normals = true};
    struct bmx *bmx = bmx_level();
    arrput(bmx->objects[0].groups, bmx_text_make("Phys_Floors"));
    bmx->objects[0].matrix[13] = 0.0f;
    expect_difference(bmx, &exact, 0, "");
    bmx = bmx_level();
    bmx->objects[0].matrix[12] = 5.001f;
    expect_difference(bmx, &exact, 1, "objects/A_Floor_01/matrix[12]: 5 != 5.00099993");
    bmx = bmx_level();
    bmx->objects[0].matrix[12] = 5.001f;
    expect_difference(bmx, &loose, 0, "");
    bmx = bmx_level();
    bmx->meshes[0].normals[0].xyz[0] = 1;
    expect_difference(bmx, &no_normals, 0, "");
    bmx = bmx_level();
    bmx->meshes[0].normals[0].xyz[0] = 1;
    expect_difference(bmx, &exact, 3, "meshes/Floor/faces[0]/corner[0]/normal[0]: 0 != 1");
    bmx = bmx_level();
    bmx->meshes[0].faces[0].use_material = 0;
    expect_difference(bmx, &exact, 1, "meshes/Floor/faces[0]/material: Stone != (none)");
    bmx = bmx_level();
    arrput(bmx->objects[0].groups, bmx_text_make("Shadow"));
    expect_difference(bmx, &exact, 1, "objects/A_Floor_01/groups: Shadow only in B");
    bmx = bmx_level();
    bmx->materials[0].name.points[0] = 'X';
    expect_difference(bmx, &exact, 3, "meshes/Floor/faces[0]/material: Stone != Xtone");
    bmx = bmx_level();
    bmx->members[0].data.data[0] = 'X';
    expect_difference(bmx, &exact, 1, "files/stone.png: content differs");
}

SUITE(test_bmx_dump)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_survives_as_text),
        cmocka_unit_test(every_name_survives_as_text),
        cmocka_unit_test(archives_survive_as_text),
        cmocka_unit_test(hostile_names_stay_below_the_folder),
        cmocka_unit_test(mistakes_are_told_by_line),
        cmocka_unit_test(differences_are_by_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
