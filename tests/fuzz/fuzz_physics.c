/* Any bytes as the physics lumps of a map: split, decoded, encoded, and converted to the other byte
 * order and back. */
#include <stdint.h>

#include "common/bsp/lumps/physics.h"
#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/physics_displacements.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool are_same(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size && (!a->size || !memcmp(a->data, b->data, a->size));
}

/* A decoded solid can be encoded, and decodes to the same one. */
static void check_solid(const struct bytes *stored)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct physics_solid solid, again;
    struct bytes once = {0}, twice = {0};
    if (physics_solid_decode(stored, NULL, diag, &solid) != STATUS_OK) {
        check(diag_entries(diag) == 1);
        diag_free(diag);
        return;
    }
    check(physics_solid_encode(&solid, NULL, diag, &once) == STATUS_OK);
    check(are_same(&once, stored) == solid.exact);
    check(physics_solid_decode(&once, NULL, diag, &again) == STATUS_OK && again.exact);
    check(physics_solid_encode(&again, NULL, diag, &twice) == STATUS_OK);
    check(are_same(&once, &twice));
    check(arrlen(solid.triangles) == arrlen(again.triangles));
    (void)physics_solid_pair_edges(&solid);
    physics_solid_free(&solid);
    physics_solid_free(&again);
    bytes_free(&once);
    bytes_free(&twice);
    diag_free(diag);
}

static void check_text(const struct physics_model *model)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct kv *text;
    if (physics_text_blocks(model, "text", &arena, diag, &text) != STATUS_OK)
        check(diag_entries(diag) > 0);
    arena_free(&arena);
    diag_free(diag);
}

static void check_lump(const struct bytes *lump)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct physics physics;
    struct bytes out = {0};
    if (physics_decode(lump, NULL, diag, &physics) != STATUS_OK) {
        check(diag_entries(diag) == 1);
    } else {
        physics_encode(&physics, &out);
        check(are_same(&out, lump));
        for (size_t i = 0; i < arrlenu(physics.models); i++) {
            for (size_t k = 0; k < arrlenu(physics.models[i].solids); k++)
                check_solid(&physics.models[i].solids[k]);
            check_text(&physics.models[i]);
        }
        physics_free(&physics);
        bytes_free(&out);
    }
    diag_free(diag);
}

static void check_displacements(const struct bytes *lump)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct physics_displacements physics;
    struct bytes out = {0};
    if (physics_displacements_decode(lump, NULL, diag, &physics) == STATUS_OK) {
        physics_displacements_append(&physics, &out);
        check(are_same(&out, lump));
        physics_displacements_free(&physics);
        bytes_free(&out);
    }
    diag_free(diag);
}

typedef bool turn_lump(const struct bytes *, enum byte_order, enum byte_order, struct bytes *);

static void check_order(turn_lump *turn, const struct bytes *lump, enum byte_order from)
{
    enum byte_order to = from == ORDER_BIG ? ORDER_LITTLE : ORDER_BIG;
    struct bytes turned = {0}, back = {0};
    if (turn(lump, from, to, &turned)) {
        check(turned.size == lump->size);
        check(turn(&turned, to, from, &back));
        check(are_same(&back, lump));
        if (from == ORDER_BIG && turn == physics_reorder)
            check_lump(&turned);
    } else {
        check(!turned.size);
    }
    bytes_free(&turned);
    bytes_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes lump = {0};
    bytes_append(&lump, data, size);
    check_lump(&lump);
    check_solid(&lump);
    check_displacements(&lump);
    for (int big = 0; big < 2; big++) {
        check_order(physics_reorder, &lump, big ? ORDER_BIG : ORDER_LITTLE);
        check_order(physics_displacements_reorder, &lump, big ? ORDER_BIG : ORDER_LITTLE);
    }
    bytes_free(&lump);
    return 0;
}
