/* Text and JSON output of `brushwork info`. */
#include <string.h>

#include "brushwork/inspect/info.h"
#include "brushwork/shared/print.h"
#include "common/bsp/codec/limit_report.h"
#include "common/bsp/codec/map_flags.h"
#include "common/bsp/query.h"
#include "common/core/array.h"

enum { CLASS_WIDTH = 36 };

/* 0 for a lump that the container does not have. */
static int64_t stored_bytes(const struct info *info, int lump)
{
    return lump < 0 ? 0 : container_lump_size(&info->container, lump);
}

static void print_encoding(const struct info *info, FILE *out)
{
    if (info->container.order == ORDER_BIG)
        fputs("byte order  big-endian (console)\n", out);
    if (info->compressed_lumps)
        fprintf(out, "compressed  %zu lump%s\n", info->compressed_lumps,
                info->compressed_lumps == 1 ? "" : "s");
    if (info->packed_files > 0)
        fprintf(out, "pakfile     %lld file%s\n", (long long)info->packed_files,
                info->packed_files == 1 ? "" : "s");
}

static void print_light(const struct info *info, FILE *out)
{
    const struct container_kind *kind = info->container.kind;
    int64_t bytes = stored_bytes(info, kind->lightmaps);
    const int64_t page = (int64_t)bsp_page_bytes(info->bsp), pages = page ? bytes / page : 0;
    if (info->bsp->engine->light.lightmap_pages)
        fprintf(out, "lightmaps   %lld page%s, light grid %lld bytes\n", (long long)pages,
                pages == 1 ? "" : "s", (long long)stored_bytes(info, kind->light_grid));
    else
        fprintf(out, "lightmaps   %lld bytes LDR, %lld bytes HDR\n", (long long)bytes,
                (long long)stored_bytes(info, kind->lightmaps_hdr));
}

static void print_flags(uint32_t flags, FILE *out)
{
    fprintf(out, "map flags   0x%x", flags);
    for (int bit = 0, count = 0; map_flag_name(bit); bit++)
        if (flags >> bit & 1)
            fprintf(out, "%s%s", count++ ? ", " : " (", map_flag_name(bit));
    fputs(flags & MAP_FLAGS_OF_FILES ? ")\n" : "\n", out);
}

static void print_known(const struct info *info, FILE *out)
{
    const struct bsp *bsp = info->bsp;
    if (arrlenu(bsp->models)) {
        const struct bsp_model *world = &bsp->models[0];
        fprintf(out, "world       %g %g %g to %g %g %g\n", (double)world->mins[0],
                (double)world->mins[1], (double)world->mins[2], (double)world->maxs[0],
                (double)world->maxs[1], (double)world->maxs[2]);
    }
    fprintf(out, "clusters    %d", info->clusters);
    if (info->visible_clusters)
        fprintf(out, ", %.1f visible on average (%.1f %%)\n",
                info->visible_share * info->visible_clusters, info->visible_share * 100);
    else
        fputs(", no visibility\n", out);
    print_light(info, out);
    if (info->container.kind->map_flags >= 0)
        print_flags(bsp->map_flags, out);
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++) {
        const struct bsp_game_lump *lump = &bsp->game_lumps[i];
        char id[5];
        info_id(lump->id, id);
        fprintf(out, "game lump   %s version %d, %zu bytes\n", id, lump->version, lump->data.size);
    }
}

static void print_summary(const struct info *info, FILE *out)
{
    print_safely(info->path, out);
    fprintf(out, ": %s", info->title);
    if (info->bsp)
        fprintf(out, " (%s)", info->bsp->format->target);
    if (info->container.kind->revision_at)
        fprintf(out, ", revision %d", info->container.revision);
    fprintf(out, ", %zu bytes\n", info->container.size);
    print_encoding(info, out);
    if (info->bsp)
        print_known(info, out);
    else
        fputs("unsupported version: records not decoded\n", out);
}

static void print_lumps(const struct info *info, FILE *out)
{
    fputs("\nlump                           offset     length version      count\n", out);
    for (int i = 0; i < info->container.lump_count; i++) {
        const struct bsp_lump_info *lump = &info->lumps[i];
        if (!lump->present || (!lump->length && !lump->version))
            continue;
        fprintf(out, "%2d  %-22s %10lld %10lld %7d", i, lump->name, (long long)lump->offset,
                (long long)lump->length, lump->version);
        if (lump->count >= 0)
            fprintf(out, " %10lld", (long long)lump->count);
        if (lump->unpacked)
            fprintf(out, "%*s  uncompressed %lld", lump->count >= 0 ? 0 : 11, "",
                    (long long)lump->unpacked);
        fputc('\n', out);
    }
}

static void print_limits(const struct info *info, FILE *out)
{
    const struct bsp_format *format = info->branch;
    fprintf(out, "\nlimit, %-21s %10s %10s\n", format->target, "used", "maximum");
    for (size_t i = 0; i < format->limit_count; i++)
        limit_print(bsp_limit_at(format, i), info->used[i], out);
}

void info_print(const struct info *info, FILE *out)
{
    print_summary(info, out);
    print_lumps(info, out);
    if (info->bsp)
        print_limits(info, out);
    if (!info->entity_text)
        return;
    fprintf(out, "\n%zu entit%s\n", info->entities, info->entities == 1 ? "y" : "ies");
    for (size_t i = 0; i < arrlenu(info->classes); i++) {
        const char *name = info->classes[i].name;
        size_t length = strlen(name);
        print_safely(*name ? name : "(no class)", out);
        fprintf(out, "%*s %5zu\n", length < CLASS_WIDTH ? (int)(CLASS_WIDTH - length) : 0, "",
                info->classes[i].count);
    }
}

static json_t *json_point(const float p[3])
{
    return json_pack("[f,f,f]", (double)p[0], (double)p[1], (double)p[2]);
}

static json_t *json_lumps(const struct info *info)
{
    json_t *lumps = json_array();
    for (int i = 0; i < info->container.lump_count; i++) {
        const struct bsp_lump_info *lump = &info->lumps[i];
        if (!lump->present)
            continue;
        json_t *object = json_pack("{s:i,s:s,s:I,s:I,s:i}", "index", i, "name", lump->name,
                                   "offset", (json_int_t)lump->offset, "length",
                                   (json_int_t)lump->length, "version", lump->version);
        if (lump->count >= 0)
            json_object_set_new(object, "count", json_integer((json_int_t)lump->count));
        if (lump->unpacked)
            json_object_set_new(object, "uncompressed_length",
                                json_integer((json_int_t)lump->unpacked));
        json_array_append_new(lumps, object);
    }
    return lumps;
}

static json_t *json_limits(const struct info *info)
{
    const struct bsp_format *format = info->branch;
    json_t *limits = json_array();
    for (size_t i = 0; i < format->limit_count; i++) {
        const struct bsp_limit *limit = bsp_limit_at(format, i);
        json_array_append_new(limits, json_pack("{s:s,s:I,s:I,s:f}", "name", limit->name, "used",
                                                (json_int_t)info->used[i], "maximum",
                                                (json_int_t)limit->maximum, "percent",
                                                limit_percent(limit, info->used[i])));
    }
    return limits;
}

static json_t *json_game_lumps(const struct bsp *bsp)
{
    json_t *lumps = json_array();
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++) {
        const struct bsp_game_lump *lump = &bsp->game_lumps[i];
        char id[5];
        info_id(lump->id, id);
        json_array_append_new(lumps,
                              json_pack("{s:s,s:i,s:I}", "id", id, "version", (int)lump->version,
                                        "bytes", (json_int_t)lump->data.size));
    }
    return lumps;
}

static json_t *json_classes(const struct info *info)
{
    json_t *classes = json_array();
    for (size_t i = 0; i < arrlenu(info->classes); i++) {
        json_t *object = json_object();
        json_object_set_new(object, "class", print_json_text(info->classes[i].name));
        json_object_set_new(object, "count", json_integer((json_int_t)info->classes[i].count));
        json_array_append_new(classes, object);
    }
    return classes;
}

static json_t *json_world(const struct bsp *bsp)
{
    json_t *world = json_object();
    if (!arrlenu(bsp->models))
        return world;
    json_object_set_new(world, "mins", json_point(bsp->models[0].mins));
    json_object_set_new(world, "maxs", json_point(bsp->models[0].maxs));
    return world;
}

static json_t *json_flags(uint32_t flags)
{
    return json_pack("{s:b,s:b}", "ldr", (flags & MAP_FLAG_PROPS_LDR) != 0, "hdr",
                     (flags & MAP_FLAG_PROPS_HDR) != 0);
}

static void add_known(const struct info *info, json_t *object)
{
    const struct bsp *bsp = info->bsp;
    const struct container_kind *kind = info->container.kind;
    json_object_set_new(object, "target", json_string(info->branch->target));
    json_object_set_new(object, "map_flags", json_integer((json_int_t)bsp->map_flags));
    json_object_set_new(object, "prop_lighting", json_flags(bsp->map_flags));
    json_object_set_new(object, "world", json_world(bsp));
    json_object_set_new(object, "clusters", json_integer(info->clusters));
    json_object_set_new(object, "visibility",
                        json_pack("{s:i,s:I,s:f}", "clusters", info->visible_clusters, "bytes",
                                  (json_int_t)stored_bytes(info, kind->visibility), "visible_share",
                                  info->visible_share));
    json_object_set_new(object, "lightmap_bytes",
                        json_pack("{s:I,s:I}", "ldr",
                                  (json_int_t)stored_bytes(info, kind->lightmaps), "hdr",
                                  (json_int_t)stored_bytes(info, kind->lightmaps_hdr)));
    json_object_set_new(object, "limits", json_limits(info));
    json_object_set_new(object, "game_lumps", json_game_lumps(bsp));
}

json_t *info_json(const struct info *info)
{
    const struct container *container = &info->container;
    json_t *object = print_json_object();
    json_object_set_new(object, "file", print_json_text(info->path));
    json_object_set_new(object, "format", json_string(info->title));
    json_object_set_new(object, "bsp_version", json_integer(container->version));
    json_object_set_new(object, "supported", json_boolean(info->bsp != NULL));
    json_object_set_new(object, "revision", json_integer(container->revision));
    json_object_set_new(object, "bytes", json_integer((json_int_t)container->size));
    json_object_set_new(object, "big_endian", json_boolean(container->order == ORDER_BIG));
    json_object_set_new(object, "compressed_lumps",
                        json_integer((json_int_t)info->compressed_lumps));
    json_object_set_new(object, "pakfile_files", json_integer((json_int_t)info->packed_files));
    if (info->bsp)
        add_known(info, object);
    json_object_set_new(object, "lumps", json_lumps(info));
    if (info->entity_text) {
        json_object_set_new(object, "entities", json_integer((json_int_t)info->entities));
        json_object_set_new(object, "classes", json_classes(info));
    }
    return object;
}
