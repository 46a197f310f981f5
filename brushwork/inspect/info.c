/* brushwork info: the content of a BSP. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "brushwork/inspect/limits_ahead.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/codec/limit_report.h"
#include "common/bsp/codec/map_flags.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/io/zip.h"
#include "common/text/entity_classes.h"

struct info {
    const char *path;
    struct container container;
    char title[128];       /* "VBSP 20" */
    const struct bsp *bsp; /* with only the lumps needed; NULL: an unsupported version */
    struct bsp_lump_info lumps[CONTAINER_LUMPS];
    const struct bsp_format *branch; /* whose limits are shown */
    int64_t *used;                   /* one per limit of the branch */
    size_t compressed_lumps;         /* number of compressed lumps */
    int64_t packed_files;            /* in the pakfile; -1: invalid */
    const char *entity_text;         /* NULL: not readable */
    size_t entity_size;
    struct entity_class *classes; /* stb_ds array, sorted by name */
    size_t entities;
    int clusters;          /* of the leaves */
    int visible_clusters;  /* of the visibility lump; 0: none */
    double visible_share;  /* average fraction of the clusters that a cluster sees */
    struct arena arena;    /* strings */
    struct bytes file;     /* if no bsp owns it */
    struct bytes unpacked; /* entities of an unsupported version */
};

/* The id of a game lump as text: "sprp". */
static inline void info_id(uint32_t id, char text[5])
{
    for (int i = 0; i < 4; i++) {
        char c = (char)(id >> (24 - 8 * i));
        text[i] = c > ' ' && c < 127 ? c : '?';
    }
    text[4] = '\0';
}

/* Text and JSON output of `brushwork info`. */

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

static void info_print(const struct info *info, FILE *out)
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

/* One object. The caller owns it. */
static json_t *info_json(const struct info *info)
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

/* --- info --- */

static const char details[] =
    "Prints format and revision, byte order and compression, world bounds, lumps with their "
    "offsets, versions and record counts, how much of each limit of the engine branch is used, "
    "entities by class, clusters and visibility, lightmap sizes, and the number of packed files. "
    "Only the "
    "lumps needed for this are read. For unsupported versions, the lump directory and any "
    "uncompressed entities are shown. With --json, prints one JSON object on standard output; "
    "of several files it is a list of such objects, \"files\". FILE may be given with or without "
    ".bsp, and may be - for standard input.\n\n"
    "With --limits, FILE may be a source, too, which is compiled by vbsp into a temporary folder. "
    "For a map without visibility or light it prints how full the limits will be at most that vvis "
    "and vrad fill; lights of materials are not counted.";

struct info_values {
    struct standard_options standard;
    const char *target;
    bool limits;
};

static const struct option_def info_options[] = {
    BRANCH_OPTION(struct info_values),
    VERB_FLAG(struct info_values, "limits", limits,
              "print how full each limit is, the fullest first, of a BSP or a source"),
    VERB_CONTENT(struct info_values),
};

static enum status gather_entities(struct info *info, struct diag *diag)
{
    struct entity_list list = {0};
    if (!info->entity_text)
        return STATUS_OK;
    enum status status =
        entities_parse(info->entity_text, info->entity_size, info->path, diag, &list);
    info->entities = arrlenu(list.entities);
    info->classes = entity_classes(&list);
    for (size_t i = 0; i < arrlenu(info->classes); i++)
        info->classes[i].name = arena_strdup(&info->arena, info->classes[i].name);
    entities_free(&list);
    return status;
}

static void gather_visibility(struct info *info)
{
    const struct bsp *bsp = info->bsp;
    int clusters = bsp_vis_is_valid(bsp) ? bsp_vis_clusters(bsp) : 0;
    size_t size = ((size_t)clusters + 7) / 8, seen = 0;
    unsigned char *row = memory_zalloc(size, 1);
    for (int i = 0; i < clusters; i++) {
        bsp_vis_row(bsp, i, false, row);
        for (size_t k = 0; k < size; k++)
            seen += (size_t)__builtin_popcount(row[k]);
    }
    memory_free(row);
    info->visible_clusters = clusters;
    if (clusters)
        info->visible_share = (double)seen / ((double)clusters * (double)clusters);
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].cluster >= info->clusters)
            info->clusters = bsp->leaves[i].cluster + 1;
}

/* Decodes the lumps that tell what is in the map; of all others only the size is needed. */
static enum status gather_known(struct info *info, struct bytes *file, const char *target,
                                struct diag *diag)
{
    struct bsp *bsp;
    TRY(bsp_decode_part(file, info->container.kind->summary, info->path, diag, &bsp));
    info->bsp = bsp;
    for (int lump = 0; lump < info->container.lump_count; lump++)
        info->lumps[lump] = bsp_lump_info(bsp, lump);
    TRY(branch_find(target, bsp, info->path, diag, &info->branch));
    info->used = ARENA_ARRAY(&info->arena, int64_t, info->branch->limit_count);
    bsp_limit_use(bsp, info->branch, info->used);
    info->entity_text = bsp->entities ? bsp->entities : "";
    info->entity_size = arrlenu(bsp->entities);
    gather_visibility(info);
    return STATUS_OK;
}

/* Only the directory is known, and the entities if they are uncompressed. */
static enum status gather_unknown(struct info *info, struct bytes *file, struct diag *diag)
{
    struct byte_reader text;
    info->file = *file;
    *file = (struct bytes){0};
    for (int lump = 0; lump < info->container.lump_count; lump++) {
        const struct container_lump *entry = &info->container.lumps[lump];
        info->lumps[lump] =
            (struct bsp_lump_info){.name = container_lump_name(info->container.kind, lump),
                                   .present = entry->present,
                                   .offset = entry->offset,
                                   .length = entry->length,
                                   .unpacked = entry->unpacked,
                                   .version = entry->version,
                                   .count = -1};
    }
    TRY(container_lump(&info->container, LUMP_ENTITIES, diag, &info->unpacked, &text));
    while (text.size && !text.data[text.size - 1])
        text.size--;
    if (text.size && text.data[0] == '{') {
        info->entity_text = (const char *)text.data;
        info->entity_size = text.size;
    }
    return STATUS_OK;
}

static void count_packed_files(struct info *info)
{
    struct bytes unpacked = {0};
    struct byte_reader data;
    struct zip zip = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    const struct diag_where where = {.file = info->path};
    int pakfile = info->container.kind->pakfile;
    if (pakfile < 0) {
        diag_free(quiet);
        return;
    }
    info->packed_files = -1;
    if (container_lump(&info->container, pakfile, quiet, &unpacked, &data) == STATUS_OK) {
        if (!data.size)
            info->packed_files = 0;
        else if (zip_read(data.data, data.size, &where, quiet, &zip) == STATUS_OK)
            info->packed_files = (int64_t)arrlenu(zip.members);
        zip_free(&zip);
    }
    bytes_free(&unpacked);
    diag_free(quiet);
}

/* Takes ownership of the file's bytes. Free with info_free, also after a failure. `target`: a
 * branch whose limits are wanted, or NULL. */
static enum status info_gather(struct info *info, struct bytes *file, const char *path,
                               const char *target, struct diag *diag)
{
    *info = (struct info){.path = path};
    TRY(container_open(file->data, file->size, path, diag, &info->container));
    container_title(&info->container, info->title, sizeof info->title);
    for (int lump = 0; lump < info->container.lump_count; lump++)
        info->compressed_lumps += info->container.lumps[lump].unpacked != 0;
    if (bsp_format_of(&info->container))
        TRY(gather_known(info, file, target, diag));
    else
        TRY(gather_unknown(info, file, diag));
    count_packed_files(info);
    return gather_entities(info, diag);
}

static void info_free(struct info *info)
{
    arrfree(info->classes);
    arena_free(&info->arena);
    bytes_free(&info->file);
    bytes_free(&info->unpacked);
    bsp_free((struct bsp *)info->bsp);
}

/* Adds to `objects` when it is JSON that is wanted, else prints. */
static enum status show_file(const struct program *program, const char *path, json_t *objects)
{
    const struct info_values *values = program->values;
    const struct env *env = program->env;
    struct bytes file = {0};
    struct info info;
    TRY(fs_load(env->fs, env->diag, path, &file));
    enum status status = info_gather(&info, &file, path, values->target, env->diag);
    bool told = info.branch || info.file.size;
    if (told && objects)
        json_array_append_new(objects, info_json(&info));
    else if (told)
        info_print(&info, stdout);
    info_free(&info);
    bytes_free(&file);
    return status;
}

/* A source is taken for itself, not for the BSP beside it. */
static enum status show_source(const struct program *program, size_t index, json_t *objects)
{
    const struct info_values *values = program->values;
    const char *operand = program->result->operands[index];
    const bool is_source = child_can_build(operand);
    const char *path = is_source ? operand : program_file(program, index, ".bsp");
    return limits_show(program, &values->standard, path, is_source, values->target, objects);
}

/* One file is an object, several are an object with a list of them. */
static void print_objects(json_t *objects, size_t files)
{
    json_t *object = files == 1 ? json_incref(json_array_get(objects, 0)) : print_json_object();
    if (files > 1)
        json_object_set(object, "files", objects);
    if (object)
        print_json(object, stdout);
    json_decref(objects);
}

static enum status show(const struct program *program)
{
    const struct info_values *values = program->values;
    size_t files = arrlenu(program->result->operands);
    json_t *objects = values->standard.console.json ? json_array() : NULL;
    enum status status = STATUS_OK;
    console_quiet(program->console);
    for (size_t i = 0; i < files; i++) {
        if (i && !objects)
            putchar('\n');
        enum status of_file = values->limits
                                  ? show_source(program, i, objects)
                                  : show_file(program, program_file(program, i, ".bsp"), objects);
        if (of_file != STATUS_OK)
            status = of_file;
    }
    if (objects)
        print_objects(objects, files);
    TRY(print_flush(program->env->diag));
    return status;
}

int verb_info(int argc, char **argv)
{
    struct info_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("info")),
        .endings = "bsp vmf vmm map",
        .details = details,
        .defs = info_options,
        .count = sizeof info_options / sizeof *info_options,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
    };
    return program_run(&table, &values, &values.standard, argc, argv, show);
}
