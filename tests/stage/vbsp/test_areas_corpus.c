/* Areas, areaportals and occluders of real maps, record by record against Valve's. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "vbsp/vbsp.h"

#define CORPUS SHARED_DIR "/corpus/"

static const char *const maps[] = {
    "vmf/l02_pcollab26_areaportals/pcollab_26_iambread_test",
    "vmf/s04_rc_pyramid/rc_pyramid",
    "vmf/t04_disp_decompile/test_displacement_decompile",
    "generated/ents",
    "generated/mid",
    "refs/portal",
    "refs/water",
};

struct fixture {
    struct env env;
    struct assets *assets;
    struct level level;
    struct vbsp_output out;
    struct bsp *reference;
};

static void read_reference(struct fixture *f, const char *path)
{
    struct bytes file = {0};
    assert_int_equal(fs_load(f->env.fs, f->env.diag, path, &file), STATUS_OK);
    assert_int_equal(bsp_decode(file.data, file.size, path, f->env.diag, &f->reference), STATUS_OK);
    bytes_free(&file);
}

static void compile_map(struct fixture *f, const char *name)
{
    char path[512], texdata[512];
    *f = (struct fixture){.env = {.diag = diag_new(NULL, NULL), .fs = fs_disk(), .threads = 1}};
    snprintf(path, sizeof path, CORPUS "%s.bsp", name);
    read_reference(f, path);
    snprintf(path, sizeof path, CORPUS "%s.vmf", name);
    snprintf(texdata, sizeof texdata, CORPUS "%s.texdata.tsv", name);
    struct bytes text = {0};
    assert_int_equal(fs_load(f->env.fs, f->env.diag, path, &text), STATUS_OK);
    assert_int_equal(vmf_parse((const char *)text.data, text.size, path, f->env.diag, &f->level),
                     STATUS_OK);
    bytes_free(&text);
    const char *const catalogues[] = {texdata};
    bool pair = f->env.fs->ops->kind(f->env.fs, texdata) == FS_FILE;
    const struct assets_options options = {.game = pair ? NULL : CORPUS "generated/game",
                                           .texdata = catalogues,
                                           .texdata_count = pair};
    assert_int_equal(assets_open(&f->env, &options, &f->assets), STATUS_OK);
    assert_int_equal(vbsp_run(&f->env, &vbsp_defaults, f->assets, &f->level, NULL, &f->out),
                     STATUS_OK);
}

static void release(struct fixture *f)
{
    vbsp_output_free(&f->out);
    bsp_free(f->reference);
    level_free(&f->level);
    assets_free(f->assets);
    diag_free(f->env.diag);
}

static void expect_plane(const struct bsp *ours, int a, const struct bsp *theirs, int b)
{
    for (int i = 0; i < 3; i++)
        assert_float_equal(ours->planes[a].normal[i], theirs->planes[b].normal[i], 1e-4F);
    assert_float_equal(ours->planes[a].dist, theirs->planes[b].dist, 0.01F);
}

static void expect_areas(const struct bsp *ours, const struct bsp *theirs)
{
    assert_int_equal(arrlen(ours->areas), arrlen(theirs->areas));
    for (size_t i = 0; i < arrlenu(ours->areas); i++) {
        assert_int_equal(ours->areas[i].portal_count, theirs->areas[i].portal_count);
        assert_int_equal(ours->areas[i].first_portal, theirs->areas[i].first_portal);
    }
    assert_int_equal(arrlen(ours->area_portals), arrlen(theirs->area_portals));
    for (size_t i = 1; i < arrlenu(ours->area_portals); i++) {
        const struct bsp_area_portal *a = &ours->area_portals[i], *b = &theirs->area_portals[i];
        assert_int_equal(a->key, b->key);
        assert_int_equal(a->other_area, b->other_area);
        assert_int_equal(a->first_clip_vertex, b->first_clip_vertex);
        assert_int_equal(a->clip_vertex_count, b->clip_vertex_count);
        expect_plane(ours, a->plane, theirs, b->plane);
    }
    assert_int_equal(arrlen(ours->clip_portal_vertices), arrlen(theirs->clip_portal_vertices));
    for (size_t i = 0; i < arrlenu(ours->clip_portal_vertices); i++)
        for (int j = 0; j < 3; j++)
            assert_float_equal(ours->clip_portal_vertices[i].p[j],
                               theirs->clip_portal_vertices[i].p[j], 0.05F);
}

static void expect_occluders(const struct bsp *ours, const struct bsp *theirs)
{
    assert_int_equal(arrlen(ours->occluders), arrlen(theirs->occluders));
    assert_int_equal(arrlen(ours->occluder_vertices), arrlen(theirs->occluder_vertices));
    for (size_t i = 0; i < arrlenu(ours->occluders); i++) {
        const struct bsp_occluder *a = &ours->occluders[i], *b = &theirs->occluders[i];
        assert_int_equal(a->polygon_count, b->polygon_count);
        assert_int_equal(a->area, b->area);
        assert_int_equal(a->flags, b->flags);
        for (int j = 0; j < 3 && a->polygon_count; j++) {
            assert_float_equal(a->mins[j], b->mins[j], 0.05F);
            assert_float_equal(a->maxs[j], b->maxs[j], 0.05F);
        }
    }
    assert_int_equal(arrlen(ours->occluder_polygons), arrlen(theirs->occluder_polygons));
    for (size_t i = 0; i < arrlenu(ours->occluder_polygons); i++) {
        const struct bsp_occluder_polygon *a = &ours->occluder_polygons[i];
        const struct bsp_occluder_polygon *b = &theirs->occluder_polygons[i];
        assert_int_equal(a->vertex_count, b->vertex_count);
        expect_plane(ours, a->plane, theirs, b->plane);
    }
}

static void test_records(void **state)
{
    (void)state;
    struct fs *fs = fs_disk();
    if (fs->ops->kind(fs, CORPUS "vmf") != FS_DIRECTORY) {
        print_message("no corpus at " CORPUS "\n");
        skip();
    }
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct fixture f;
        print_message("%s\n", maps[i]);
        compile_map(&f, maps[i]);
        expect_areas(f.out.bsp, f.reference);
        expect_occluders(f.out.bsp, f.reference);
        release(&f);
    }
}

SUITE(test_areas_corpus)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
