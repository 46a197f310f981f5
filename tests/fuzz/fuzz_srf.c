/* Any bytes as notes on the surfaces of a Quake 3 map, alone and after the first line of one of
 * each version that matches the map: refused with a report, or one note for each surface, and
 * lights that can be given to the map. */
#include <stdint.h>
#include <string.h>

#include "common/bsp/sidecar/baked_lights.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/array.h"
#include "common/diag/codes/sidecars.def"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SURFACES = 2 };

static const char entities[] =
    "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"light\"\n\"origin\" \"1 2 3\"\n}\n";

static struct bsp *make_map(void)
{
    struct bsp *bsp = bsp_new();
    for (int i = 0; i < SURFACES; i++) {
        arrput(bsp->surfaces, ((struct bsp_surface){.type = SURFACE_PLANAR, .vertex_count = 3}));
        arrput(bsp->draw_vertices, ((struct bsp_draw_vertex){.p = {(float)i, 2, 3}}));
    }
    for (size_t i = 0; i + 1 < sizeof entities; i++)
        arrput(bsp->entities, entities[i]);
    return bsp;
}

static void check_lights(const struct surface_notes *notes, struct diag *diag)
{
    struct entity_list list;
    check(entities_parse(notes->lights, arrlenu(notes->lights), "lights", diag, &list) ==
          STATUS_OK);
    for (ptrdiff_t i = 0; i < arrlen(list.entities); i++)
        check(entity_is_baked_light(&list.entities[i]));
    entities_free(&list);
}

static void parse(const struct bytes *text, const struct bsp *bsp)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct surface_notes notes;
    if (surface_notes_parse((const char *)text->data, text->size, "fuzz", bsp, diag, &notes) ==
        STATUS_OK) {
        check(arrlen(notes.items) == SURFACES ||
              (diag_count_code(diag, DIAG_SURFACE_NOTES_STALE) == 1 && !notes.items));
        check_lights(&notes, diag);
    } else {
        check(diag_count(diag, DIAG_ERROR) == 1 && !notes.items && !notes.lights);
    }
    surface_notes_free(&notes);
    diag_free(diag);
}

static void format(const struct bsp *bsp, float ambient, struct bytes *out)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct surface_notes notes = {0};
    for (int i = 0; i < SURFACES; i++)
        arrput(notes.items, ((struct surface_note){
                                .sample_size = 16, .cast_shadows = 1, .ambient = {ambient, 0, 0}}));
    check(surface_notes_take_lights(&notes, bsp, diag) == STATUS_OK);
    surface_notes_format(&notes, bsp, out);
    surface_notes_free(&notes);
    diag_free(diag);
}

/* After the first line of notes; those with ambient light are of another version. */
static void parse_after(const uint8_t *data, size_t size, float ambient, const struct bsp *bsp)
{
    struct bytes text = {0};
    format(bsp, ambient, &text);
    parse(&text, bsp);
    text.size = (size_t)((unsigned char *)memchr(text.data, '\n', text.size) - text.data) + 1;
    bytes_append(&text, data, size);
    parse(&text, bsp);
    bytes_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bsp *bsp = make_map();
    struct bytes alone = {0};
    parse_after(data, size, 0, bsp);
    parse_after(data, size, -20, bsp);
    bytes_append(&alone, data, size);
    parse(&alone, bsp);
    bytes_free(&alone);
    bsp_free(bsp);
    return 0;
}
