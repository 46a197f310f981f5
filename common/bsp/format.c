#include "common/bsp/format.h"

#include <stdio.h>

#include "common/bsp/codec.h"
#include "common/core/array.h"
#include "common/core/strings.h"

enum { MAGIC_SIZE = 4, IDENT_SIZE = 8, SPRP = 0x73707270 };

/* The first row of a file version is the default for it; the first of all is the default. */
static const struct bsp_format formats[] = {
    {"sdk2013", "VBSP 20", 20, 10, vbsp_limits, VBSP_LIMITS, &vbsp20_codec},
    {"tf2", "VBSP 20", 20, 10, vbsp_limits, VBSP_LIMITS, &vbsp20_codec},
    {"sdk2013sp", "VBSP 20", 20, 6, vbsp_limits, VBSP_LIMITS, &vbsp20_codec},
};

const struct bsp_format *bsp_format_at(size_t index)
{
    return index < sizeof formats / sizeof formats[0] ? &formats[index] : NULL;
}

const struct bsp_format *bsp_format_find(const char *target)
{
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        if (str_equal_nocase(format->target, target))
            return format;
    return NULL;
}

static const struct bsp_format *row_of_file(const char *magic, int32_t version)
{
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        if (!memcmp(format->codec->magic, magic, MAGIC_SIZE) && format->version == version)
            return format;
    return NULL;
}

/* Of the rows that share the file version, the one with the file's static props, else the first. */
static const struct bsp_format *row_of_props(const struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++) {
        const struct bsp_game_lump *lump = &bsp->game_lumps[i];
        const struct bsp_format *format;
        for (size_t k = 0; lump->id == SPRP && (format = bsp_format_at(k)); k++)
            if (format->codec == bsp->format->codec && format->static_prop_version == lump->version)
                return format;
    }
    return bsp->format;
}

static enum status refuse(const unsigned char *data, size_t size, const char *name,
                          struct diag *diag)
{
    struct diag_where where = {.file = name};
    if (!size)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &where, "the file is empty");
    if (size < IDENT_SIZE)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &where,
                           "the file has %zu bytes, too few for any BSP", size);
    int32_t version = (int32_t)load_u32(data + MAGIC_SIZE);
    if (!memcmp(data, "VBSP", MAGIC_SIZE))
        return diag_report(diag, DIAG_BSP_FORMAT, &where,
                           "it is a VBSP file of version %d; version 20 is read", version);
    if (!memcmp(data, "PSBV", MAGIC_SIZE))
        return diag_report(diag, DIAG_BSP_FORMAT, &where,
                           "it is a VBSP file for a console, with its numbers in the other byte "
                           "order");
    if (!memcmp(data, "IBSP", MAGIC_SIZE))
        return diag_report(diag, DIAG_BSP_FORMAT, &where,
                           "it is an IBSP file of version %d; VBSP version 20 is read", version);
    return diag_report(diag, DIAG_BSP_FORMAT, &where, "it does not begin with VBSP");
}

enum status bsp_decode(const void *data, size_t size, const char *name, struct diag *diag,
                       struct bsp **out)
{
    const struct bsp_format *format = NULL;
    const unsigned char *bytes = data;
    *out = NULL;
    if (size >= IDENT_SIZE)
        format = row_of_file((const char *)bytes, (int32_t)load_u32(bytes + MAGIC_SIZE));
    if (!format)
        return refuse(bytes, size, name, diag);
    struct bsp *bsp = bsp_new();
    bsp->format = format;
    enum status status = format->codec->decode(format->codec, data, size, name, diag, bsp);
    if (status == STATUS_OK)
        status = bsp_check(bsp, name, diag);
    if (status != STATUS_OK) {
        bsp_free(bsp);
        return status;
    }
    bsp->format = row_of_props(bsp);
    *out = bsp;
    return STATUS_OK;
}

enum status bsp_encode(const struct bsp *bsp, const struct bsp_format *format, const char *name,
                       struct diag *diag, struct bytes *out)
{
    if (!format)
        format = bsp->format ? bsp->format : &formats[0];
    if (bsp->format && bsp->format->codec != format->codec) {
        struct diag_where where = {.file = name};
        return diag_report(diag, DIAG_BSP_TARGET, &where, "it was read as %s and %s is %s",
                           bsp->format->title, format->target, format->title);
    }
    TRY(bsp_check_limits(bsp, format, name, diag));
    return format->codec->encode(format->codec, bsp, format, name, diag, out);
}

enum status bsp_read_file(const struct env *env, const char *path, struct bsp **out)
{
    struct bytes file = {0};
    *out = NULL;
    TRY(fs_load(env->fs, env->diag, path, &file));
    enum status status = bsp_decode(file.data, file.size, path, env->diag, out);
    bytes_free(&file);
    return status;
}

enum status bsp_write_file(const struct env *env, const struct bsp *bsp,
                           const struct bsp_format *format, const char *path)
{
    struct bytes file = {0};
    enum status status = bsp_encode(bsp, format, path, env->diag, &file);
    if (status == STATUS_OK)
        status = fs_store(env->fs, env->diag, path, file.data, file.size);
    bytes_free(&file);
    return status;
}
