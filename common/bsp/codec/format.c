#include "common/bsp/codec/format.h"

#include <string.h>

#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/image.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bsp_files.def"
#include "common/diag/codes/bsp_targets.def"
#include "common/diag/codes/internal.def"
#include "common/diag/file_report.h"

enum { SPRP = 0x73707270 };

/* Versions with known records. */
static const char readable[] =
    "VBSP 17 to 21 and 25, IBSP 46 and 47, RBSP 1 and FBSP 1 are supported";

static bool fits_container(const struct bsp_format *format, const struct container *container)
{
    return format->codec->container == container->kind && format->version == container->version &&
           format->entry == container->entry;
}

const struct bsp_format *bsp_format_of(const struct container *container)
{
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        if (fits_container(format, container))
            return format;
    return NULL;
}

/* One sample per leaf and no index: ambient light of the tools of 2007. */
static bool has_cube_a_leaf(const struct container *container)
{
    return container->lumps[LUMP_LEAFAMBIENT].length &&
           !container->lumps[LUMP_LEAFAMBIENTINDEX].length;
}

/* Of the rows that match the file, returns the one with its ambient light and its static props,
 * then one with its ambient light, else the first. */
static const struct bsp_format *best_row(const struct bsp *bsp, const struct container *container)
{
    const struct bsp_game_lump *props = bsp_game_lump(bsp, SPRP);
    const struct bsp_format *best = bsp->format, *format;
    int best_score = -1;
    for (size_t i = 0; (format = bsp_format_at(i)); i++) {
        if (!fits_container(format, container) || format->codec != bsp->format->codec)
            continue;
        bool ambient = container->lumps[LUMP_LEAFAMBIENT].length &&
                       has_cube_a_leaf(container) == (format->ambient == AMBIENT_A_LEAF);
        bool same_props = props && props->version == format->static_prop_version;
        int score = 2 * ambient + same_props;
        if (score > best_score) {
            best = format;
            best_score = score;
        }
    }
    return best;
}

static enum status refuse(const struct container *container, struct diag *diag)
{
    struct diag_where where = {.file = container->name};
    char title[128];
    container_title(container, title, sizeof title);
    return diag_report(diag, DIAG_BSP_FORMAT, &where, "%s; %s", title, readable);
}

/* Leaves with light in them need all lumps. */
uint64_t codec_lumps_of_tree(const struct container *container)
{
    const struct bsp_format *format = bsp_format_of(container);
    return format && format->ambient != AMBIENT_IN_LEAF ? format->codec->of_tree : UINT64_MAX;
}

/* wanted: bits of the lumps to decode; NULL: those of the tree. */
static enum status decode(const struct container *container, const uint64_t *wanted,
                          struct diag *diag, struct bsp *bsp)
{
    uint64_t lumps = wanted ? *wanted : codec_lumps_of_tree(container);
    bsp->format = bsp_format_of(container);
    if (!bsp->format)
        return refuse(container, diag);
    bsp->engine = bsp->format->engine;
    TRY(codec_read(bsp->format->codec, container, lumps, diag, bsp));
    bsp->page_side = codec_told_page_side(bsp);
    if (lumps == UINT64_MAX)
        TRY(bsp->format->codec->check(bsp, container->name, diag));
    else if (!wanted)
        TRY(bsp_check_tree(bsp, container->name, diag));
    bsp->format = best_row(bsp, container);
    return STATUS_OK;
}

/* source: has the bytes that *file lacks, or NULL; ownership is taken too. */
static enum status decode_file(struct bytes *file, struct fs_source *source, const uint64_t *wanted,
                               const char *name, struct diag *diag, struct bsp **out)
{
    struct container container;
    struct bsp *bsp = bsp_new();
    *out = NULL;
    bsp->layout.file = *file;
    bsp->layout.source = source;
    *file = (struct bytes){0};
    enum status status =
        container_open(bsp->layout.file.data, bsp->layout.file.size, name, diag, &container);
    if (status == STATUS_OK)
        status = decode(&container, wanted, diag, bsp);
    if (status != STATUS_OK) {
        bsp_free(bsp);
        return status;
    }
    *out = bsp;
    return STATUS_OK;
}

enum status bsp_decode_part(struct bytes *file, uint64_t wanted, const char *name,
                            struct diag *diag, struct bsp **out)
{
    return decode_file(file, NULL, &wanted, name, diag, out);
}

enum status bsp_decode_file(struct bytes *file, const char *name, struct diag *diag,
                            struct bsp **out)
{
    return bsp_decode_part(file, UINT64_MAX, name, diag, out);
}

enum status bsp_decode_tree(struct bytes *file, const char *name, struct diag *diag,
                            struct bsp **out)
{
    return decode_file(file, NULL, NULL, name, diag, out);
}

enum status codec_decode_with_source(struct bytes *file, struct fs_source *source, bool whole,
                                     const char *name, struct diag *diag, struct bsp **out)
{
    static const uint64_t all = UINT64_MAX;
    return decode_file(file, source, whole ? &all : NULL, name, diag, out);
}

enum status bsp_decode(const void *data, size_t size, const char *name, struct diag *diag,
                       struct bsp **out)
{
    struct bytes file = {0};
    bytes_append(&file, data, size);
    return bsp_decode_file(&file, name, diag, out);
}

bool bsp_format_is_same_file(const struct bsp_format *a, const struct bsp_format *b)
{
    return a->codec == b->codec && a->version == b->version && a->entry == b->entry;
}

/* The image is empty on failure. */
static enum status make_image(const struct bsp *bsp, const struct bsp_format *format,
                              const char *name, struct diag *diag, struct image *out)
{
    struct diag_where where = {.file = name};
    if (!format)
        format = bsp->format ? bsp->format : bsp_format_at(0);
    if (bsp->format && !bsp_format_is_same_file(bsp->format, format))
        return diag_report(diag, DIAG_BSP_TARGET, &where, "read as %s (%s), but %s is %s",
                           bsp->format->title, bsp->format->target, format->target, format->title);
    int places = format->codec->container->game_lumps;
    if (places >= 0 && bsp->layout.length[places] && bsp->skipped >> places & 1)
        return diag_report(diag, DIAG_INTERNAL, &where, "only a part of the file was read");
    if (!format->codec->container->may_compress &&
        (bsp->encoding.order == ORDER_BIG || bsp->encoding.compressed))
        return diag_report(diag, DIAG_BSP_TARGET, &where,
                           "%s supports neither compression nor big-endian byte order",
                           format->title);
    if (!bsp->format && format->read_only)
        return diag_report(diag, DIAG_BSP_TARGET, &where, "%s (%s) is read-only", format->title,
                           format->target);
    TRY(bsp_check_written_limits(bsp, format, name, diag));
    return codec_write(bsp, format, name, diag, out);
}

enum status bsp_encode(const struct bsp *bsp, const struct bsp_format *format, const char *name,
                       struct diag *diag, struct bytes *out)
{
    struct image image = {0};
    TRY(make_image(bsp, format, name, diag, &image));
    const struct fs_gather gather = image_gather(&image, bsp->layout.source, NULL);
    int error = fs_gather_append(&gather, out);
    image_free(&image);
    if (!error)
        return STATUS_OK;
    return file_unread(diag, name, "%s", str_error(error).text);
}

enum status bsp_read_file(const struct env *env, const char *path, struct bsp **out)
{
    struct bytes file = {0};
    *out = NULL;
    TRY(fs_load(env->fs, env->diag, path, &file));
    return bsp_decode_file(&file, path, env->diag, out);
}

enum status bsp_write_output(const struct env *env, const struct bsp *bsp,
                             const struct bsp_format *format, const struct bsp_output_file *to)
{
    struct image image = {0};
    TRY(env_may_write(env));
    TRY(make_image(bsp, format, to->path, env->diag, &image));
    struct fs_gather gather = image_gather(&image, bsp->layout.source, to->staged);
    gather.hold = to->hold;
    enum status status = fs_store_gather(env->fs, env->diag, to->path, &gather);
    if (status == STATUS_OK)
        progress_wrote(env->progress, to->path);
    image_free(&image);
    return status;
}

enum status bsp_write_file(const struct env *env, const struct bsp *bsp,
                           const struct bsp_format *format, const char *path)
{
    return bsp_write_output(env, bsp, format, &(struct bsp_output_file){.path = path});
}
