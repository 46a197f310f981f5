#include "common/bsp/convert/convert.h"

#include <stdio.h>

#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/map_flags.h"
#include "common/bsp/convert/conversion.h"
#include "common/bsp/engine.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_conversion.def"
#include "common/diag/codes/bsp_targets.def"
#include "common/text/entities.h"

void conversion_lose(struct conversion *conversion, const char *what, size_t count)
{
    if (!count)
        return;
    conversion->losses++;
    diag_report(conversion->diag, DIAG_BSP_LOSS, &conversion->where, "%s: %zu", what, count);
}

static void convert_ambient_of(struct conversion *conversion, struct bsp_light_set *set,
                               const char *light)
{
    char what[96];
    struct bsp_ambient_loss loss =
        bsp_ambient_fit(set, arrlenu(conversion->bsp->leaves), conversion->to->ambient);
    snprintf(what, sizeof what, "leaves with several samples of %s, reduced to one", light);
    conversion_lose(conversion, what, loss.joined);
    snprintf(what, sizeof what, "sample positions of %s", light);
    conversion_lose(conversion, what, loss.moved);
}

static void drop_blob(struct conversion *conversion, struct bytes *blob, const char *what)
{
    conversion_lose(conversion, what, blob->size);
    bytes_free(blob);
}

static void convert_ambient(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    convert_ambient_of(conversion, &bsp->ldr, "ambient light");
    if (bsp_format_has_lump(conversion->to, LUMP_LEAFAMBIENT_HDR)) {
        convert_ambient_of(conversion, &bsp->hdr, "HDR ambient light");
        return;
    }
    conversion_lose(conversion, "samples of HDR ambient light", arrlenu(bsp->hdr.ambient));
    arrfree(bsp->hdr.ambient);
    arrfree(bsp->hdr.ambient_index);
}

/* Drops lists of records whose lumps the target does not have. */
static void drop_lists(struct conversion *conversion)
{
    const struct bsp_codec *codec = conversion->from->codec;
    for (int lump = 0; lump < BSP_LUMPS; lump++) {
        const struct lump_codec *list =
            codec_find(codec, lump, conversion->bsp->carried[lump].version);
        if (!list || !list->record || bsp_format_has_lump(conversion->to, lump))
            continue;
        void *array = (unsigned char *)conversion->bsp + list->offset;
        conversion_lose(conversion, bsp_lump_name(conversion->from, lump), array_length(array));
        array_drop(array);
    }
}

/* Drops the other lumps that some targets do not have. */
static void drop_others(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    const struct bsp_format *to = conversion->to;
    if (!bsp_format_has_lump(to, LUMP_LIGHTING_HDR))
        drop_blob(conversion, &bsp->hdr.lighting, "bytes of HDR lighting");
    if (!bsp_format_has_lump(to, LUMP_MAPFLAGS)) {
        uint32_t flags = bsp->map_flags;
        map_flags_from_files(bsp); /* these are not lost: the files tell them */
        conversion_lose(conversion, "map flags", (flags & ~bsp->map_flags) != 0);
        bsp->map_flags = 0;
    } else if (!bsp_format_has_lump(conversion->from, LUMP_MAPFLAGS)) {
        map_flags_from_files(bsp);
    }
    if (!bsp_format_has_lump(to, LUMP_PHYSDISP)) {
        if (bsp->displacement_physics.size > 2) /* more than a count of 0 */
            conversion_lose(conversion, "bytes of displacement physics",
                            bsp->displacement_physics.size);
        bytes_free(&bsp->displacement_physics);
    }
}

/* Only version 2 of the overlays of VBSP 25 has them: a new file has version 1. */
static void drop_tints(struct conversion *conversion)
{
    struct bsp_rare *rare = bsp_rare(conversion->bsp);
    static const struct bsp_overlay_tint white = OVERLAY_NO_TINT;
    size_t tinted = 0;
    for (size_t i = 0; i < arrlenu(rare->overlay_tints); i++)
        tinted += memcmp(&rare->overlay_tints[i], &white, sizeof white) != 0;
    conversion_lose(conversion, "overlays with a tint", tinted);
    arrfree(rare->overlay_tints);
}

/* A value ends at a quote, but in branches with escapes. */
static void convert_quotes(struct conversion *conversion)
{
    char *text = conversion->bsp->entities;
    size_t quotes = 0;
    for (size_t i = 0; i < arrlenu(text); i++)
        quotes += text[i] == ENTITY_QUOTE;
    if (!quotes)
        return;
    if (conversion->to->escapes == ESCAPES_QUOTES) {
        conversion->bsp->carried[LUMP_ENTITIES].version = 1;
        return;
    }
    for (size_t i = 0; i < arrlenu(text); i++)
        if (text[i] == ENTITY_QUOTE)
            text[i] = '\'';
    conversion_lose(conversion, "quotes in values of entities, now apostrophes", quotes);
}

/* Version 19 has its physics twice. */
static void copy_physics(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    bytes_free(&bsp->physics_surface);
    if (bsp_format_has_lump(conversion->to, LUMP_PHYSCOLLIDESURFACE))
        bytes_append(&bsp->physics_surface, bsp->physics.data, bsp->physics.size);
}

static void drop_thin_marks(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    size_t thin = 0;
    if (conversion->to->version >= 21)
        return;
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++) {
        thin += bsp->brush_sides[i].thin != 0;
        bsp->brush_sides[i].thin = 0;
    }
    conversion_lose(conversion, "thin flags of brush sides", thin);
}

static void convert_worldlights(struct conversion *conversion, struct bsp_worldlight *lights)
{
    size_t offsets = 0;
    if (conversion->to->worldlight_version >= 1)
        return;
    for (size_t i = 0; i < arrlenu(lights); i++) {
        float *offset = lights[i].shadow_cast_offset;
        offsets += offset[0] != 0 || offset[1] != 0 || offset[2] != 0;
        memset(offset, 0, sizeof lights[i].shadow_cast_offset);
    }
    conversion_lose(conversion, "shadow cast offsets of lights", offsets);
}

static void tell_prop_losses(struct conversion *conversion, const struct static_props *props,
                             enum static_prop_form form)
{
    struct static_prop_loss *losses = static_props_losses(props, form);
    for (size_t i = 0; i < arrlenu(losses); i++) {
        char what[96];
        snprintf(what, sizeof what, "static props with %s", losses[i].field);
        conversion_lose(conversion, what, losses[i].props);
    }
    arrfree(losses);
}

/* Two flags mean something else in Left 4 Dead and the branches that follow it. */
static void drop_other_flags(struct conversion *conversion, struct static_props *props,
                             enum static_prop_form was, enum static_prop_form form)
{
    static const struct {
        uint32_t flag;
        const char *earlier, *later;
    } flags[] = {
        {STATIC_PROP_NO_DRAW, "static props that are not drawn",
         "static props without the light of flashlights"},
        {STATIC_PROP_SCREEN_SPACE_FADE, "static props that fade by screen size",
         "static props in fast reflections"},
    };
    bool from_later = static_prop_form_info(was)->is_later;
    if (from_later == static_prop_form_info(form)->is_later)
        return;
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        size_t lost = 0;
        for (size_t i = 0; i < arrlenu(props->props); i++) {
            lost += (props->props[i].flags & flags[k].flag) != 0;
            props->props[i].flags &= ~flags[k].flag;
        }
        conversion_lose(conversion, from_later ? flags[k].later : flags[k].earlier, lost);
    }
}

static enum status convert_static_props(struct conversion *conversion, struct bsp_game_lump *lump)
{
    int version = conversion->to->static_prop_version;
    struct static_props props = {0};
    struct bytes data = {0};
    struct record_range_error range_error;
    /* Version 10 of VBSP 20 is SDK 2013's: both engines use that number. */
    enum static_prop_form form =
        version == 10 ? STATIC_PROP_SDK2013 : static_prop_form_of(version, 0);
    enum static_prop_form was;
    enum status status = static_props_decode(&lump->data, lump->version, ORDER_LITTLE,
                                             &conversion->where, conversion->diag, &props, &was);
    if (status == STATUS_OK && was != form) {
        tell_prop_losses(conversion, &props, form);
        drop_other_flags(conversion, &props, was, form);
        if (!static_props_encode(&props, form, ORDER_LITTLE, &data, &range_error))
            status =
                diag_report(conversion->diag, DIAG_BSP_FIELD_RANGE, &conversion->where,
                            "%s %zu: %s is %lld; the format stores %lld to %lld", range_error.what,
                            range_error.record, range_error.field, (long long)range_error.value,
                            (long long)range_error.min, (long long)range_error.max);
    }
    if (status == STATUS_OK && was != form) {
        bytes_free(&lump->data);
        lump->data = data;
        lump->version = (uint16_t)version;
    } else {
        bytes_free(&data);
    }
    static_props_free(&props);
    return status;
}

static enum status convert_game_lumps(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++)
        if (bsp->game_lumps[i].id == STATIC_PROPS_ID &&
            bsp->game_lumps[i].version != conversion->to->static_prop_version)
            TRY(convert_static_props(conversion, &bsp->game_lumps[i]));
    return STATUS_OK;
}

/* Lumps that are not modelled are only carried between files of one version. */
static void drop_carried(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    for (int lump = 0; lump < BSP_LUMPS; lump++) {
        struct bytes *data = &bsp->carried[lump].data;
        char what[64];
        if (!data->size || conversion->from->version == conversion->to->version)
            continue;
        snprintf(what, sizeof what, "bytes of lump %d (%s)", lump,
                 bsp_lump_name(conversion->from, lump));
        drop_blob(conversion, data, what);
    }
}

void conversion_forget_file(struct bsp *bsp)
{
    struct bytes file = bsp->layout.file; /* lumps may borrow its bytes */
    struct fs_source *source = bsp->layout.source;
    bsp->layout = (struct bsp_layout){.file = file, .source = source};
    for (int lump = 0; lump < BSP_LUMPS; lump++) {
        struct bsp_raw_lump *raw = &bsp->carried[lump];
        raw->present = false;
        memset(raw->four_cc, 0, sizeof raw->four_cc);
        if (!raw->data.size)
            raw->version = 0;
    }
    bsp->format = NULL;
    bsp->encoding.hdr_faces_only = false;
    bsp->encoding.relative_game_lumps = false;
}

static enum status convert_source(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    convert_ambient(conversion);
    drop_lists(conversion);
    drop_others(conversion);
    drop_tints(conversion);
    drop_thin_marks(conversion);
    copy_physics(conversion);
    convert_worldlights(conversion, bsp->ldr.worldlights);
    convert_worldlights(conversion, bsp->hdr.worldlights);
    TRY(convert_game_lumps(conversion));
    drop_carried(conversion);
    conversion_forget_file(bsp);
    convert_quotes(conversion);
    return STATUS_OK;
}

typedef enum status converter(struct conversion *conversion);

/* Between branches of one family. */
static converter *converter_of(const struct bsp_format *format)
{
    static converter *const converters[ENGINE_FAMILIES] = {
        [ENGINE_SOURCE] = convert_source, [ENGINE_QUAKE3] = convert_quake3};
    return converters[format->engine->family];
}

static enum status check_target(const struct conversion *conversion)
{
    const struct bsp_format *from = conversion->from, *to = conversion->to;
    if (to->read_only)
        return diag_report(conversion->diag, DIAG_BSP_TARGET, &conversion->where,
                           "%s (%s) is read-only", to->title, to->target);
    if (converter_of(from) != converter_of(to))
        return diag_report(conversion->diag, DIAG_BSP_TARGET, &conversion->where,
                           "%s cannot be converted to %s; compile the map from its source",
                           from->title, to->title);
    return STATUS_OK;
}

enum status bsp_convert(struct bsp *bsp, const struct bsp_format *target, const char *name,
                        struct diag *diag, int *losses)
{
    struct conversion conversion = {.bsp = bsp,
                                    .from = bsp->format ? bsp->format : bsp_format_at(0),
                                    .to = target,
                                    .diag = diag,
                                    .where = {.file = name}};
    *losses = 0;
    TRY(check_target(&conversion));
    if (conversion.from != target)
        TRY(converter_of(target)(&conversion));
    *losses = conversion.losses;
    return STATUS_OK;
}
