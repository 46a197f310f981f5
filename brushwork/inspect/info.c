/* brushwork info: the content of a BSP. */
#include "brushwork/inspect/info.h"

#include <string.h>

#include "brushwork/inspect/branch.h"
#include "brushwork/inspect/limits_ahead.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/query.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/io/zip.h"

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
