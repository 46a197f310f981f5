/* Any bytes as notes on the surfaces of a Quake 3 map, alone, which is the form of q3map2, after
 * the first line of ours that matches the map, and after all surfaces of ours: refused with a
 * report, or one note for each surface, and lights that can be given to the map; what is read is
 * written as it was. As the source of the map: lights that can be given to it, too. */
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
    arrput(bsp->shaders, ((struct bsp_shader){.name = "a"}));
    for (size_t i = 0; i + 1 < sizeof entities; i++)
        arrput(bsp->entities, entities[i]);
    return bsp;
}

static void check_lights(const char *lights, size_t size, struct diag *diag)
{
    struct entity_list list;
    check(entities_parse(lights, size, "lights", diag, &list) == STATUS_OK);
    for (ptrdiff_t i = 0; i < arrlen(list.entities); i++)
        check(entity_is_baked_light(&list.entities[i]));
    entities_free(&list);
}

/* Notes that are written and read again are the same. */
static void write_again(const struct surface_notes *notes, const struct bsp *bsp, struct diag *diag)
{
    struct bytes text[2] = {{0}};
    struct surface_notes again;
    surface_notes_format(notes, bsp, &text[0]);
    check(surface_notes_parse((const char *)text[0].data, text[0].size, "again", bsp, diag,
                              &again) == STATUS_OK);
    surface_notes_format(&again, bsp, &text[1]);
    check(text[0].size == text[1].size && memcmp(text[0].data, text[1].data, text[0].size) == 0);
    surface_notes_free(&again);
    bytes_free(&text[0]);
    bytes_free(&text[1]);
}

static void parse(const struct bytes *text, const struct bsp *bsp)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct surface_notes notes;
    if (surface_notes_parse((const char *)text->data, text->size, "fuzz", bsp, diag, &notes) ==
        STATUS_OK) {
        check(arrlen(notes.items) == SURFACES ||
              (diag_count_code(diag, DIAG_SURFACE_NOTES_STALE) == 1 && !notes.items));
        check_lights(notes.lights, arrlenu(notes.lights), diag);
        if (notes.items)
            write_again(&notes, bsp, diag);
    } else {
        check(diag_count(diag, DIAG_ERROR) == 1 && !notes.items && !notes.lights);
    }
    surface_notes_free(&notes);
    diag_free(diag);
}

static void scan(const struct bytes *map, const struct bsp *bsp)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bytes lights = {0};
    size_t count;
    if (baked_lights_of_map((const char *)map->data, map->size, "fuzz", bsp, diag, &lights,
                            &count) == STATUS_OK)
        check_lights((const char *)lights.data, lights.size, diag);
    else
        check(diag_count(diag, DIAG_ERROR) == 1);
    bytes_free(&lights);
    diag_free(diag);
}

static void format(const struct bsp *bsp, struct bytes *out)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct surface_notes notes = {0};
    for (int i = 0; i < SURFACES; i++)
        arrput(notes.items,
               ((struct surface_note){
                   .sample_size = 16, .cast_shadows = 1, .entity = i, .ambient = {-20, 0, 0}}));
    check(surface_notes_take_lights(&notes, bsp, diag) == STATUS_OK);
    surface_notes_format(&notes, bsp, out);
    surface_notes_free(&notes);
    diag_free(diag);
}

/* After a part of our text, up to where `stop` begins. */
static void parse_after(const uint8_t *data, size_t size, const char *stop, const struct bsp *bsp)
{
    struct bytes text = {0};
    format(bsp, &text);
    parse(&text, bsp);
    bytes_u8(&text, 0);
    text.size = (size_t)(strstr((const char *)text.data, stop) - (const char *)text.data);
    bytes_append(&text, data, size);
    parse(&text, bsp);
    bytes_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bsp *bsp = make_map();
    struct bytes alone = {0};
    parse_after(data, size, "default", bsp);
    parse_after(data, size, "// brushwork lights", bsp);
    bytes_append(&alone, data, size);
    parse(&alone, bsp);
    scan(&alone, bsp);
    bytes_free(&alone);
    bsp_free(bsp);
    return 0;
}
