#include "vrad/farm/light_inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/cli/options.h"
#include "common/core/array.h"

/* Of the numbers of a note. */
enum { NOTE_MAX = 1 << 24 };

/* ---- writing ---- */

static void put_block(struct bytes *out, const void *data, size_t size)
{
    const struct bytes block = {.data = (unsigned char *)data, .size = size};
    bytes_sized_block(out, &block);
}

static void put_text(struct bytes *out, const char *text)
{
    bytes_u8(out, text != NULL);
    if (text)
        bytes_sized_text(out, text);
}

static void write_notes(const struct surface_notes *notes, struct bytes *out)
{
    bytes_u8(out, notes != NULL);
    if (!notes)
        return;
    put_block(out, notes->items, arrlenu(notes->items) * sizeof *notes->items);
    put_block(out, notes->lights, arrlenu(notes->lights));
}

enum status light_inputs_write(const struct env *env, const struct vrad_options *options,
                               const struct bytes *opened_with, const struct bsp_format *format,
                               const struct bsp *bsp, struct bytes *out)
{
    const struct option_group group = vrad_option_group(0);
    option_group_append(&group, options, out);
    put_text(out, options->map_rad);
    put_text(out, options->quake3.map_path);
    write_notes(options->quake3.notes, out);
    bytes_u8(out, opened_with != NULL);
    if (opened_with)
        bytes_sized_block(out, opened_with);
    struct bytes file = {0};
    struct diag *diag = diag_new(NULL, NULL); /* warnings come when the result is written */
    enum status status = bsp_encode(bsp, format, "map", diag, &file);
    if (status != STATUS_OK)
        diag_report_again(diag, env->diag);
    bytes_u64(out, file.size);
    bytes_append(out, file.data, file.size);
    bytes_free(&file);
    diag_free(diag);
    return status;
}

/* ---- reading ---- */

static bool read_text(struct byte_reader *from, struct arena *arena, const char **out)
{
    *out = read_u8(from) ? read_sized_text(from, arena) : NULL;
    return !from->failed;
}

static bool is_note(const struct surface_note *note)
{
    const int32_t numbers[] = {note->cast_shadows, note->receive_shadows, note->entity,
                               note->group};
    bool fits = note->sample_size >= 0 && note->sample_size <= (float)NOTE_MAX &&
                note->shade_angle >= 0 && note->shade_angle <= (float)NOTE_MAX &&
                note->entity >= 0 && note->group >= 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fits = fits && numbers[i] >= -NOTE_MAX && numbers[i] <= NOTE_MAX;
    for (int k = 0; k < 3; k++)
        fits = fits && note->ambient[k] >= -(float)NOTE_MAX && note->ambient[k] <= (float)NOTE_MAX;
    return fits;
}

static bool take_notes(const struct bytes *items, const struct bytes *lights,
                       struct surface_notes *out)
{
    if (items->size % sizeof *out->items)
        return false;
    if (items->size) {
        arrsetlen(out->items, items->size / sizeof *out->items);
        memcpy(out->items, items->data, items->size);
    }
    if (lights->size) {
        arrsetlen(out->lights, lights->size);
        memcpy(out->lights, lights->data, lights->size);
    }
    bool fit = true;
    for (size_t i = 0; i < arrlenu(out->items) && fit; i++)
        fit = is_note(&out->items[i]);
    return fit;
}

static bool read_notes(struct byte_reader *from, struct light_inputs *out)
{
    struct bytes items = {0}, lights = {0};
    if (!read_u8(from))
        return !from->failed;
    bool fit = read_sized_block(from, &items) && read_sized_block(from, &lights) &&
               take_notes(&items, &lights, &out->notes);
    out->options.quake3.notes = &out->notes;
    bytes_free(&items);
    bytes_free(&lights);
    return fit;
}

/* How content was opened is read when it is opened again. */
static bool read_assets(struct byte_reader *from, struct light_inputs *out)
{
    out->has_assets = read_u8(from) != 0;
    if (!out->has_assets)
        return !from->failed;
    return read_sized_block(from, &out->assets);
}

static enum status read_bsp(struct byte_reader *from, struct diag *diag, struct bsp **out)
{
    struct bytes file = {0};
    uint64_t size = read_u64(from);
    if (size != from->size - from->at)
        return STATUS_FAILED;
    const unsigned char *data = read_block(from, (size_t)size);
    if (!data)
        return STATUS_FAILED;
    bytes_append(&file, data, (size_t)size);
    return bsp_decode_file(&file, "map", diag, out);
}

enum status light_inputs_read(struct byte_reader *from, struct diag *diag, struct light_inputs *out)
{
    const struct option_group group = vrad_option_group(0);
    *out = (struct light_inputs){.options = vrad_defaults};
    if (!option_group_read(&group, from, &out->options, &out->arena) ||
        !read_text(from, &out->arena, &out->options.map_rad) ||
        !read_text(from, &out->arena, &out->options.quake3.map_path) || !read_notes(from, out) ||
        !read_assets(from, out))
        return STATUS_FAILED;
    return read_bsp(from, diag, &out->bsp);
}

void light_inputs_free(struct light_inputs *inputs)
{
    surface_notes_free(&inputs->notes);
    bytes_free(&inputs->assets);
    bsp_free(inputs->bsp);
    arena_free(&inputs->arena);
}
