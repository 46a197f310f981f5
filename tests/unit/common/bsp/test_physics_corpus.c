#include "tests/support/suite.h"

#include "common/bsp/codec/container.h"
#include "common/bsp/lumps/physics.h"
#include "tests/support/bsp_files.h"
#include "tests/support/physics_displacements.h"
#include "tests/support/physics_solids.h"

enum { PHYSDISP = 28, PHYSCOLLIDE = 29 };

struct tally {
    bool models_only; /* one of them is a sheet, a hull of two triangles */
    int lumps, models, solids, ledges, nodes, opaque, displacements, big;
};

static void check_pairs(struct physics_solid *solid)
{
    int32_t *twins = NULL;
    for (size_t i = 0; i < 3 * arrlenu(solid->triangles); i++)
        arrput(twins, solid->triangles[i / 3].edges[i % 3].twin);
    assert_true(physics_solid_pair_edges(solid));
    for (size_t i = 0; i < 3 * arrlenu(solid->triangles); i++)
        assert_int_equal(solid->triangles[i / 3].edges[i % 3].twin, twins[i]);
    arrfree(twins);
}

static void check_stored_solid(const struct bytes *stored, struct diag *diag, struct tally *tally)
{
    struct physics_solid solid;
    assert_int_equal(physics_solid_decode(stored, NULL, diag, &solid), STATUS_OK);
    struct bytes out = physics_encoded(&solid, diag);
    expect_same_bytes(&out, stored);
    assert_true(solid.exact);
    tally->solids++;
    tally->opaque += solid.kind == PHYSICS_OPAQUE;
    tally->ledges += (int)arrlen(solid.ledges);
    tally->nodes += (int)arrlen(solid.nodes);
    if (solid.kind == PHYSICS_POLY) {
        if (!tally->models_only)
            physics_check_solid(&solid);
        check_pairs(&solid);
    }
    physics_solid_free(&solid);
    bytes_free(&out);
}

static void check_text(const struct physics_model *model, struct diag *diag)
{
    struct arena arena = {0};
    struct kv *text;
    ptrdiff_t solids = 0;
    assert_int_equal(physics_text_blocks(model, "text", &arena, diag, &text), STATUS_OK);
    for (const struct kv *block = text->children; block; block = block->next) {
        assert_null(block->value);
        solids += !strcmp(block->key, "solid") || !strcmp(block->key, "staticsolid") ||
                  !strcmp(block->key, "fluid");
    }
    assert_int_equal(solids, arrlen(model->solids));
    arena_free(&arena);
}

static bool check_lump(const struct bytes *lump, struct diag *diag, struct tally *tally)
{
    struct physics physics;
    struct bytes out = {0};
    assert_int_equal(physics_decode(lump, NULL, diag, &physics), STATUS_OK);
    physics_encode(&physics, &out);
    expect_same_bytes(&out, lump);
    int opaque = tally->opaque;
    tally->lumps += physics.present;
    tally->models += (int)arrlen(physics.models);
    for (size_t i = 0; i < arrlenu(physics.models); i++) {
        for (size_t k = 0; k < arrlenu(physics.models[i].solids); k++)
            check_stored_solid(&physics.models[i].solids[k], diag, tally);
        check_text(&physics.models[i], diag);
    }
    bytes_free(&out);
    physics_free(&physics);
    return tally->opaque == opaque;
}

static void check_displacements(const struct bytes *lump, struct diag *diag, struct tally *tally)
{
    struct physics_displacements physics;
    struct bytes out = {0};
    assert_int_equal(physics_displacements_decode(lump, NULL, diag, &physics), STATUS_OK);
    physics_displacements_append(&physics, &out);
    expect_same_bytes(&out, lump);
    for (size_t i = 0; i < arrlenu(physics.items); i++) {
        const struct bytes *hull = &physics.items[i].hull;
        if (physics.items[i].none)
            continue;
        assert_int_equal(load_u32(hull->data), 1);
        assert_int_equal(hull->size, 9 + 4 * hull->data[4] + 2 * hull->data[6]);
        tally->displacements++;
    }
    physics_displacements_free(&physics);
    bytes_free(&out);
}

static struct bytes read_lump(const struct container *file, int lump, struct diag *diag)
{
    struct bytes unpacked = {0}, out = {0};
    struct byte_reader reader;
    assert_int_equal(container_lump(file, lump, diag, &unpacked, &reader), STATUS_OK);
    bytes_append(&out, reader.data, reader.size);
    bytes_free(&unpacked);
    return out;
}

static void visit(void *context, const char *path, const struct bytes *data)
{
    struct tally *tally = context;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct container file;
    assert_int_equal(container_open(data->data, data->size, path, diag, &file), STATUS_OK);
    enum byte_order order = file.order, other = order == ORDER_BIG ? ORDER_LITTLE : ORDER_BIG;
    struct bytes hulls = read_lump(&file, PHYSCOLLIDE, diag), turned = {0}, back = {0};
    struct bytes surfaces = read_lump(&file, PHYSDISP, diag), turned2 = {0}, back2 = {0};
    tally->big += order == ORDER_BIG && hulls.size;
    bool known = order == ORDER_BIG || check_lump(&hulls, diag, tally);
    assert_int_equal(physics_reorder(&hulls, order, other, &turned), known);
    if (known) {
        assert_true(physics_reorder(&turned, other, order, &back));
        expect_same_bytes(&back, &hulls);
    }
    if (file.version < 25) {
        assert_true(physics_displacements_reorder(&surfaces, order, other, &turned2));
        assert_true(physics_displacements_reorder(&turned2, other, order, &back2));
        expect_same_bytes(&back2, &surfaces);
    }
    if (order == ORDER_BIG)
        assert_true(check_lump(&turned, diag, tally));
    check_displacements(order == ORDER_BIG ? &turned2 : &surfaces, diag, tally);
    assert_int_equal(diag_entries(diag), 0);
    struct bytes *all[] = {&hulls, &turned, &back, &surfaces, &turned2, &back2};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(all[i]);
    diag_free(diag);
}

static void lumps_of_the_corpus_come_back(void **state)
{
    (void)state;
    struct tally tally = {0};
    int found = bsp_files_visit(SHARED_DIR "/corpus/vbsp", visit, &tally);
    for (int i = 0; i < BSP_CORPUS; i++)
        found += bsp_files_visit(bsp_corpus[i], visit, &tally);
    if (!found) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
    print_message("%d lumps, %d of them big-endian: %d models, %d solids (%d opaque), %d hulls, %d "
                  "nodes; %d displacements\n",
                  tally.lumps, tally.big, tally.models, tally.solids, tally.opaque, tally.ledges,
                  tally.nodes, tally.displacements);
}

/* Collision models (.phy) hold solids of the same kind after a header of 16 bytes. */
static void check_model_file(const char *path, struct tally *tally)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes file = {0};
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
    struct byte_reader reader = byte_reader(file.data, file.size);
    reader.at = 8;
    uint32_t count = read_u32(&reader);
    (void)read_u32(&reader);
    for (uint32_t i = 0; i < count; i++) {
        size_t size = read_u32(&reader);
        struct bytes solid = {0};
        bytes_append(&solid, read_block(&reader, size), size);
        check_stored_solid(&solid, diag, tally);
        bytes_free(&solid);
    }
    assert_false(reader.failed);
    assert_int_equal(diag_entries(diag), 0);
    bytes_free(&file);
    diag_free(diag);
}

#define MODELS_DIR SHARED_DIR "/corpus/assets/models"

static void visit_model(void *context, const char *name, bool is_directory)
{
    char path[1024];
    if (!is_directory)
        return;
    snprintf(path, sizeof path, MODELS_DIR "/%s/%s.phy", name, name);
    check_model_file(path, context);
}

static void solids_of_models_come_back(void **state)
{
    (void)state;
    struct tally tally = {.models_only = true};
    fs_disk()->ops->list(fs_disk(), MODELS_DIR, visit_model, &tally);
    if (!tally.solids) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
    print_message("%d solids (%d opaque), %d hulls\n", tally.solids, tally.opaque, tally.ledges);
}

SUITE(test_physics_corpus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lumps_of_the_corpus_come_back),
        cmocka_unit_test(solids_of_models_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
