#include "tests/support/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/assets/models/model.h"
#include "common/core/array.h"
#include "common/diag/codes/source_models.def"
#include "tests/support/model_files.h"

static const double half[3] = {8, 16, 32};

static void box_is_read(void **state)
{
    (void)state;
    for (int version = 44; version <= 49; version++) {
        struct model_files files = model_files_box(version, MDL_STATIC_PROP, half);
        struct diag *diag = diag_new(NULL, NULL);
        struct arena arena = {0};
        struct mdl mdl;
        struct vvd vvd;
        struct vtx vtx;
        assert_int_equal(mdl_decode(&files.mdl, NULL, diag, &arena, &mdl), STATUS_OK);
        assert_int_equal(mdl.version, version);
        assert_int_equal(mdl.checksum, BOX_CHECKSUM);
        assert_int_equal(mdl.flags, MDL_STATIC_PROP);
        assert_string_equal(mdl.surface_prop, "metal");
        assert_int_equal(mdl.texture_count, 1);
        assert_string_equal(mdl.textures[0], "box");
        assert_string_equal(mdl.texture_paths[0], "props\\");
        assert_int_equal(mdl_texture(&mdl, 7, 0), 0);
        assert_int_equal(mdl_texture(&mdl, 0, 1), -1);
        assert_int_equal(mdl.mesh_count, 1);
        assert_true(model_shows_mesh(&mdl, 0));
        assert_int_equal(vvd_decode(&files.vvd, NULL, diag, &arena, &vvd), STATUS_OK);
        assert_int_equal(vvd.count, BOX_VERTICES);
        assert_float_equal(vvd.vertices[7].p[2], 32, 0);
        assert_int_equal(vtx_decode(&files.vtx, &mdl, 0, NULL, diag, &vtx), STATUS_OK);
        assert_int_equal(arrlen(vtx.triangles), BOX_INDICES / 3);
        assert_int_equal(vtx.triangles[11].vertices[2], 3);
        vtx_free(&vtx);
        /* A level of detail that does not exist. */
        assert_int_equal(vtx_decode(&files.vtx, &mdl, 3, NULL, diag, &vtx), STATUS_OK);
        assert_int_equal(arrlen(vtx.triangles), 0);
        vtx_free(&vtx);
        assert_int_equal(diag_entries(diag), 0);
        model_files_free(&files);
        arena_free(&arena);
        diag_free(diag);
    }
}

/* The MDL suggests narrow records, the VTX has wide ones, and vice versa. */
static void either_form_of_strips_is_read(void **state)
{
    (void)state;
    for (int version = 48; version <= 49; version++) {
        struct model_files files = model_files_box(version, 0, half);
        struct diag *diag = diag_new(NULL, NULL);
        struct arena arena = {0};
        struct bytes other = {0};
        struct mdl mdl;
        struct vtx vtx;
        model_files_vtx(&other, version == 48);
        assert_int_equal(mdl_decode(&files.mdl, NULL, diag, &arena, &mdl), STATUS_OK);
        assert_int_equal(vtx_decode(&other, &mdl, 0, NULL, diag, &vtx), STATUS_OK);
        assert_int_equal(arrlen(vtx.triangles), BOX_INDICES / 3);
        vtx_free(&vtx);
        bytes_free(&other);
        model_files_free(&files);
        arena_free(&arena);
        diag_free(diag);
    }
}

static void fixups_put_vertices_in_order(void **state)
{
    (void)state;
    struct model_files files = model_files_box(48, 0, half);
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct vvd vvd;
    struct bytes file = {0};
    bytes_append(&file, files.vvd.data, 64);
    /* The last six of the file first, then its first two. */
    const uint32_t fixups[6] = {0, 2, 6, 0, 0, 2};
    for (int i = 0; i < 6; i++)
        bytes_u32(&file, fixups[i]);
    bytes_align(&file, 16);
    model_files_put(&file, 48, 2);
    model_files_put(&file, 56, (uint32_t)file.size);
    bytes_append(&file, files.vvd.data + 64, files.vvd.size - 64);
    assert_int_equal(vvd_decode(&file, NULL, diag, &arena, &vvd), STATUS_OK);
    assert_int_equal(vvd.count, BOX_VERTICES);
    assert_float_equal(vvd.vertices[0].p[1], 16, 0); /* number 2: -x +y -z */
    assert_float_equal(vvd.vertices[0].p[0], -8, 0);
    assert_float_equal(vvd.vertices[6].p[1], -16, 0); /* number 0 */
    assert_float_equal(vvd.vertices[7].p[0], 8, 0);   /* number 1 */
    /* Fixups with more vertices than there are, or fewer. */
    model_files_put(&file, 64 + 8, 7);
    assert_int_equal(vvd_decode(&file, NULL, diag, &arena, &vvd), STATUS_FAILED);
    model_files_put(&file, 64 + 8, 5);
    assert_int_equal(vvd_decode(&file, NULL, diag, &arena, &vvd), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_MODEL_BROKEN), 2);
    bytes_free(&file);
    model_files_free(&files);
    arena_free(&arena);
    diag_free(diag);
}

static void broken_files_are_refused(void **state)
{
    (void)state;
    struct model_files files = model_files_box(48, 0, half);
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct mdl mdl;
    struct vvd vvd;
    struct vtx vtx;
    struct phy phy;
    const struct bytes empty = {0}, lfs = {(unsigned char *)"version https://git-lfs", 23, 0, 0};
    assert_int_equal(mdl_decode(&empty, NULL, diag, &arena, &mdl), STATUS_FAILED);
    assert_int_equal(mdl_decode(&lfs, NULL, diag, &arena, &mdl), STATUS_FAILED);
    assert_int_equal(phy_decode(&lfs, NULL, diag, &phy), STATUS_FAILED);
    assert_int_equal(mdl_decode(&files.mdl, NULL, diag, &arena, &mdl), STATUS_OK);
    size_t whole = files.vvd.size - 16 * BOX_VERTICES; /* tangents are not read */
    for (files.vvd.size = 0; files.vvd.size < whole; files.vvd.size++)
        assert_int_equal(vvd_decode(&files.vvd, NULL, diag, &arena, &vvd), STATUS_FAILED);
    whole = files.vtx.size;
    for (files.vtx.size = 0; files.vtx.size < whole; files.vtx.size++)
        assert_int_equal(vtx_decode(&files.vtx, &mdl, 0, NULL, diag, &vtx), STATUS_FAILED);
    files.vtx.data[whole - 2] = BOX_VERTICES; /* an index past the group's vertices */
    files.vtx.size = whole;
    assert_int_equal(vtx_decode(&files.vtx, &mdl, 0, NULL, diag, &vtx), STATUS_FAILED);
    static const struct {
        size_t at;
        uint32_t value;
    } changes[] = {
        {4, 50},           {4, 43},           {204, 1000000},    {208, 0x7FFFFFF0},
        {408, 0x7FFFFFFF}, {232, 1000},       {484, 100},        {496 + 72, 50},
        {496 + 84, 47},    {220, 0x40000000}, {228, 0xFFFFFFFF}, {104, 0x7FC00000},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint32_t was = load_u32(files.mdl.data + changes[i].at);
        model_files_put(&files.mdl, changes[i].at, changes[i].value);
        if (mdl_decode(&files.mdl, NULL, diag, &arena, &mdl) != STATUS_FAILED)
            fail_msg("%u at %zu was let pass", changes[i].value, changes[i].at);
        model_files_put(&files.mdl, changes[i].at, was);
    }
    model_files_free(&files);
    arena_free(&arena);
    diag_free(diag);
}

struct game {
    struct diag *diag;
    struct env env;
    struct assets *assets;
};

static void open_game(struct game *game, const char *vvd_checksum, bool with_vvd)
{
    struct model_files files = model_files_box(48, MDL_STATIC_PROP, half);
    *game = (struct game){.diag = diag_new(NULL, NULL)};
    game->env = (struct env){.fs = fs_memory_new(), .diag = game->diag};
    struct fs *fs = game->env.fs;
    const char text[] = "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }";
    if (vvd_checksum)
        memcpy(files.vvd.data + 8, vvd_checksum, 4);
    assert_int_equal(fs->ops->write(fs, "g/gameinfo.txt", text, sizeof text - 1), 0);
    fs->ops->write(fs, "g/models/Box.mdl", files.mdl.data, files.mdl.size);
    if (with_vvd)
        fs->ops->write(fs, "g/models/box.vvd", files.vvd.data, files.vvd.size);
    fs->ops->write(fs, "g/models/box.dx80.vtx", files.vtx.data, files.vtx.size);
    model_files_free(&files);
    const struct assets_options options = {.game = "g"};
    assert_int_equal(assets_open(&game->env, &options, &game->assets), STATUS_OK);
}

static void close_game(struct game *game)
{
    assets_free(game->assets);
    fs_memory_free(game->env.fs);
    diag_free(game->diag);
}

static void files_are_found_and_fit(void **state)
{
    (void)state;
    static const struct {
        const char *checksum;
        bool with_vvd;
        int vertices;
        size_t stale;
    } cases[] = {{NULL, true, BOX_VERTICES, 0}, {"abcd", true, 0, 1}, {NULL, false, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct game game;
        struct arena arena = {0};
        struct model model;
        open_game(&game, cases[i].checksum, cases[i].with_vvd);
        assert_true(model_load(game.assets, "Models\\BOX.mdl", &arena, game.diag, &model));
        assert_int_equal(model.vvd.count, cases[i].vertices);
        assert_int_equal(arrlen(model.vtx.triangles), cases[i].vertices ? BOX_INDICES / 3 : 0);
        assert_int_equal(diag_count_code(game.diag, DIAG_MODEL_STALE), cases[i].stale);
        model_free(&model);
        assert_false(model_load(game.assets, "models/none.mdl", &arena, game.diag, &model));
        arena_free(&arena);
        close_game(&game);
    }
}

#define ASSETS_DIR SHARED_DIR "/corpus/assets"

struct corpus {
    struct diag *diag;
    struct bytes expected;
    int models;
};

static bool read_file(const char *folder, const char *name, const char *extension,
                      struct bytes *out)
{
    char path[2048];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, extension);
    return fs_disk()->ops->read(fs_disk(), path, out) == 0;
}

/* Returns the value after `key` in the model's line of the list of expected values. */
static const char *expected_value(const struct corpus *corpus, const char *name, const char *key)
{
    char find[256];
    snprintf(find, sizeof find, "/%s.mdl |", name);
    const char *line = strstr((const char *)corpus->expected.data, find);
    assert_non_null(line);
    snprintf(find, sizeof find, "| %s ", key);
    const char *value = strstr(line, find);
    assert_true(value && value < strchr(line, '\n'));
    return value + strlen(find);
}

static double mesh_area(const struct vvd *vvd, const struct vtx *vtx)
{
    double area = 0;
    for (size_t i = 0; i < arrlenu(vtx->triangles); i++) {
        struct vec3 p[3];
        for (int j = 0; j < 3; j++) {
            const float *from = vvd->vertices[vtx->triangles[i].vertices[j]].p;
            p[j] = vec3((double)from[0], (double)from[1], (double)from[2]);
        }
        area += vec3_length(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]))) / 2;
    }
    return area;
}

static void check_triangles(struct corpus *corpus, const char *name, const struct bytes *file,
                            const struct mdl *mdl, const struct vvd *vvd)
{
    char *tris = (char *)(uintptr_t)expected_value(corpus, name, "tris") + 1;
    for (int lod = 0; lod < vvd->lods; lod++) {
        struct vtx vtx;
        assert_int_equal(vtx_decode(file, mdl, lod, NULL, corpus->diag, &vtx), STATUS_OK);
        assert_int_equal(vtx.checksum, mdl->checksum);
        assert_int_equal(arrlen(vtx.triangles), strtol(tris, &tris, 10));
        tris++;
        for (size_t i = 0; i < arrlenu(vtx.triangles); i++)
            for (int j = 0; j < 3; j++)
                assert_true(vtx.triangles[i].vertices[j] < vvd->count);
        if (lod == 0) {
            double area = strtod(expected_value(corpus, name, "area0"), NULL);
            assert_true(fabs(mesh_area(vvd, &vtx) - area) <= 0.01 + area * 1e-5);
        }
        vtx_free(&vtx);
    }
}

static void check_hulls(struct corpus *corpus, const char *name, const struct bytes *file)
{
    struct phy phy;
    assert_int_equal(phy_decode(file, NULL, corpus->diag, &phy), STATUS_OK);
    const char *text = expected_value(corpus, name, "phy solids");
    char *list = NULL;
    assert_int_equal(arrlen(phy.solids), strtol(text, &list, 10));
    list = strchr(list, '[');
    for (size_t i = 0; i < arrlenu(phy.solids); i++) {
        struct hull_points hulls = {0};
        assert_int_equal(phy_hulls(&phy, i, NULL, corpus->diag, &hulls), STATUS_OK);
        assert_int_equal(hull_points_count(&hulls), strtol(list + 1, &list, 10));
        hull_points_free(&hulls);
    }
    text = strstr(list, "text_bytes ");
    assert_int_equal(phy.text.size, strtol(text + strlen("text_bytes "), NULL, 10));
    phy_free(&phy);
}

static void check_model(struct corpus *corpus, const char *folder, const char *name)
{
    struct bytes files[4] = {{0}};
    static const char *const extensions[] = {".mdl", ".vvd", ".dx90.vtx", ".phy"};
    for (int i = 0; i < 4; i++)
        assert_true(read_file(folder, name, extensions[i], &files[i]));
    struct arena arena = {0};
    struct mdl mdl;
    struct vvd vvd;
    assert_int_equal(mdl_decode(&files[0], NULL, corpus->diag, &arena, &mdl), STATUS_OK);
    assert_int_equal(mdl.version, atoi(expected_value(corpus, name, "ver")));
    assert_int_equal(mdl.flags, strtol(expected_value(corpus, name, "flags"), NULL, 16));
    assert_int_equal(mdl.checksum, strtoul(expected_value(corpus, name, "checksum"), NULL, 16));
    assert_int_equal(mdl.bone_count, atoi(expected_value(corpus, name, "bones")));
    assert_int_equal(mdl.part_count, atoi(expected_value(corpus, name, "bodyparts")));
    assert_int_equal(mdl.model_count, atoi(expected_value(corpus, name, "models")));
    assert_int_equal(mdl.mesh_count, atoi(expected_value(corpus, name, "meshes")));
    const char *prop = expected_value(corpus, name, "surfaceprop");
    assert_int_equal(strncmp(prop, mdl.surface_prop, strlen(mdl.surface_prop)), 0);
    assert_int_equal(vvd_decode(&files[1], NULL, corpus->diag, &arena, &vvd), STATUS_OK);
    assert_int_equal(vvd.checksum, mdl.checksum);
    assert_int_equal(vvd.lods, atoi(expected_value(corpus, name, "lods")));
    assert_int_equal(vvd.count, atoi(expected_value(corpus, name, "verts") + 1));
    check_triangles(corpus, name, &files[2], &mdl, &vvd);
    check_hulls(corpus, name, &files[3]);
    for (int i = 0; i < 4; i++)
        bytes_free(&files[i]);
    arena_free(&arena);
    corpus->models++;
}

static void visit_model(void *context, const char *name, bool is_directory)
{
    char folder[1200];
    snprintf(folder, sizeof folder, ASSETS_DIR "/models/%s", name);
    if (is_directory)
        check_model(context, folder, name);
}

static void models_of_the_corpus_have_what_is_expected(void **state)
{
    (void)state;
    struct corpus corpus = {.diag = diag_new(NULL, NULL)};
    if (read_file(ASSETS_DIR, "expected", ".txt", &corpus.expected)) {
        bytes_u8(&corpus.expected, 0);
        fs_disk()->ops->list(fs_disk(), ASSETS_DIR "/models", visit_model, &corpus);
    }
    for (size_t i = 0; i < diag_entries(corpus.diag); i++)
        print_message("%s\n", diag_entry(corpus.diag, i)->message);
    size_t reports = diag_entries(corpus.diag);
    diag_free(corpus.diag);
    bytes_free(&corpus.expected);
    assert_int_equal(reports, 0);
    print_message("%d models\n", corpus.models);
    if (!corpus.models)
        skip();
}

SUITE(test_models)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_is_read),
        cmocka_unit_test(either_form_of_strips_is_read),
        cmocka_unit_test(fixups_put_vertices_in_order),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(files_are_found_and_fit),
        cmocka_unit_test(models_of_the_corpus_have_what_is_expected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
