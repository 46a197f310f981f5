/* brushwork unpack: extracts packed files, entities and lumps of a BSP. */
#include <stdlib.h>
#include <string.h>

#include "brushwork/archive/lump_files.h"
#include "brushwork/shared/archive.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/codec/format.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/packed_files.def"
#include "common/diag/codes/unpacking.def"
#include "common/diag/codes/usage.def"

static const char details[] =
    "Extracts all packed files of a BSP into the folder given by --to, or does one of --list, "
    "--file, --cubemaps, --entities, --lump, --lumps and --lightmaps. Only the lump directory is "
    "decoded, so that "
    "BSPs of unsupported versions and damaged ones can be read, too. Files with unsafe names, "
    "which would be written outside the folder, are skipped, and the exit status is then 1. If "
    "the files are larger than 2 GiB in total, or a file exists already, nothing is written "
    "without --force. Symbolic links in the folder are never followed. FILE may be "
    "- for standard input; --to - is standard output.";

struct unpack_values {
    struct standard_options standard;
    bool list, cubemaps, entities, lumps, lightmaps, force;
    const char *file, *lump, *to;
};

#define FIELD(name) offsetof(struct unpack_values, name)

static const struct option_def unpack_options[] = {
    VERB_FLAG(struct unpack_values, "list", list,
              "list the packed files with size and compression"),
    {.name = "to",
     .alias = "o",
     .argument = "PATH",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = FIELD(to),
     .two_dashes = true,
     .help = "output folder for files and cubemaps; output file for --file, --entities and --lump "
             "(default: standard output)"},
    {.name = "file",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(file),
     .two_dashes = true,
     .help = "extract only this file"},
    VERB_FLAG(struct unpack_values, "cubemaps", cubemaps,
              "extract only the textures of env_cubemap entities"),
    VERB_FLAG(struct unpack_values, "entities", entities,
              "extract the entities as text, which brushwork pack --entities reads"),
    {.name = "lump",
     .argument = "LUMP",
     .kind = OPTION_TEXT,
     .offset = FIELD(lump),
     .two_dashes = true,
     .help = "extract a lump, by number or name as shown by brushwork info; compressed lumps are "
             "decompressed"},
    VERB_FLAG(struct unpack_values, "lumps", lumps,
              "Quake 3: extract all lumps but the lightmaps as JSON, which brushwork pack --lumps "
              "reads"),
    VERB_FLAG(struct unpack_values, "lightmaps", lightmaps,
              "Quake 3: extract the lightmap pages as lm_0000.tga and so on, which brushwork pack "
              "--lightmaps reads"),
    VERB_FLAG(struct unpack_values, "force", force,
              "replace existing files, and extract more than 2 GiB"),
};

static void print_list(const struct archive *archive)
{
    uint64_t all = 0, packed = 0;
    printf("      size compressed  method    name\n");
    for (size_t i = 0; i < arrlenu(archive->pakfile.files); i++) {
        const struct zip_member *member = archive->pakfile.files[i].member;
        printf("%10llu %10zu  %-8s  ", (unsigned long long)member->size, member->packed_size,
               archive_method_name(member->method));
        print_safely(member->name, stdout);
        putchar('\n');
        all += member->size;
        packed += member->packed_size;
    }
    printf("%10llu %10llu  %zu file%s\n", (unsigned long long)all, (unsigned long long)packed,
           arrlenu(archive->pakfile.files), arrlenu(archive->pakfile.files) == 1 ? "" : "s");
}

static void print_list_json(const struct archive *archive)
{
    json_t *files = json_array();
    for (size_t i = 0; i < arrlenu(archive->pakfile.files); i++) {
        const struct zip_member *member = archive->pakfile.files[i].member;
        char crc[9];
        snprintf(crc, sizeof crc, "%08x", member->crc);
        json_array_append_new(files, json_pack("{s:o,s:I,s:I,s:s,s:s}", "name",
                                               print_json_text(member->name), "size",
                                               (json_int_t)member->size, "compressed_size",
                                               (json_int_t)member->packed_size, "method",
                                               archive_method_name(member->method), "crc32", crc));
    }
    json_t *object = print_json_object();
    json_object_set_new(object, "file", print_json_text(archive->path));
    json_object_set_new(object, "bytes", json_integer((json_int_t)archive->lump.size));
    json_object_set_new(object, "files", files);
    print_json(object, stdout);
}

static enum status list(const struct program *program, struct archive *archive)
{
    const struct unpack_values *values = program->values;
    TRY(archive_read_pakfile(program->env, archive));
    console_quiet(program->console);
    if (values->standard.console.json)
        print_list_json(archive);
    else
        print_list(archive);
    return print_flush(program->env->diag);
}

/* Writes the data of --file, --entities or --lump. */
static enum status store(const struct program *program, const void *data, size_t size)
{
    const struct unpack_values *values = program->values;
    const struct env *env = program->env;
    const char *to = values->to ? values->to : "-";
    if (strcmp(to, "-") == 0)
        console_quiet(program->console);
    if (!values->force && env->fs->ops->kind(env->fs, to) == FS_FILE)
        return diag_report(env->diag, DIAG_PAK_TARGET, &(struct diag_where){.file = to},
                           "nothing is extracted");
    TRY(env_store(env, to, data, size));
    console_say(program->console, "wrote %s (%zu bytes)", to, size);
    return STATUS_OK;
}

static enum status unpack_file(const struct program *program, struct archive *archive)
{
    const struct unpack_values *values = program->values;
    const struct env *env = program->env;
    struct diag_where where = {.file = archive->path};
    struct bytes data = {0};
    TRY(archive_read_pakfile(env, archive));
    const struct pakfile_file *file = pakfile_find(&archive->pakfile, values->file);
    if (!file)
        return diag_report(env->diag, DIAG_PAK_MISSING, &where, "%s", values->file);
    enum status status = pakfile_extract(file, &where, env->diag, &data);
    if (status == STATUS_OK)
        status = store(program, data.data, data.size);
    bytes_free(&data);
    return status;
}

static enum status unpack_all(const struct program *program, struct archive *archive)
{
    const struct unpack_values *values = program->values;
    const struct diag_where where = {.file = archive->path};
    archive_filter *filter = values->cubemaps ? archive_is_cubemap : NULL;
    struct archive_tally tally;
    TRY(archive_read_pakfile(program->env, archive));
    if (!values->force)
        TRY(archive_check_size(&archive->pakfile, filter, &where, program->env->diag));
    TRY(archive_check_targets(program->env, &archive->pakfile, filter, values->to, values->force));
    enum status status =
        archive_extract(program->env, &archive->pakfile, archive->path, filter, values->to, &tally);
    if (status == STATUS_OK)
        console_say(program->console, "wrote %zu file%s (%llu bytes) to %s", tally.files,
                    tally.files == 1 ? "" : "s", (unsigned long long)tally.bytes, values->to);
    else
        console_say(program->console, "only %zu of %zu files were written to %s", tally.files,
                    arrlenu(archive->pakfile.files), values->to);
    return status;
}

static enum status unpack_lump(const struct program *program, const struct archive *archive,
                               int lump)
{
    const struct unpack_values *values = program->values;
    struct bytes unpacked = {0};
    struct byte_reader data;
    TRY(archive_need_lump(program->env, archive, lump));
    enum status status =
        container_lump(&archive->container, lump, program->env->diag, &unpacked, &data);
    size_t size = data.size;
    if (values->entities && size && !data.data[size - 1])
        size--;
    if (status == STATUS_OK)
        status = store(program, data.data, size);
    bytes_free(&unpacked);
    return status;
}

static enum status unpack_named_lump(const struct program *program, const struct archive *archive)
{
    const struct unpack_values *values = program->values;
    const struct container *container = &archive->container;
    struct diag_where where = {.file = archive->path};
    int64_t number = -1;
    if (!str_to_int64(values->lump, &number)) {
        number = -1;
        for (int i = container->lump_count - 1; i >= 0; i--)
            if (str_equal_nocase(container_lump_name(container->kind, i), values->lump))
                number = i;
    }
    if (number < 0 || number >= container->lump_count || !*values->lump) {
        (void)diag_report(program->env->diag, DIAG_USAGE, &where,
                          "--lump: unknown lump '%s'; lumps have the numbers 0 to %d", values->lump,
                          container->lump_count - 1);
        return STATUS_USAGE;
    }
    return unpack_lump(program, archive, (int)number);
}

static enum status check_command(const struct program *program)
{
    const struct unpack_values *values = program->values;
    int commands = values->list + values->cubemaps + values->entities + values->lumps +
                   values->lightmaps + (values->file != NULL) + (values->lump != NULL);
    bool to_folder = !values->list && !values->entities && !values->file && !values->lump;
    const char *wrong = NULL;
    if (commands > 1)
        wrong =
            "--list, --file, --cubemaps, --entities, --lump, --lumps and --lightmaps are mutually "
            "exclusive";
    else if (to_folder && (!values->to || strcmp(values->to, "-") == 0))
        wrong = "--to is required, the folder for the files";
    if (!wrong)
        return STATUS_OK;
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "%s", wrong);
    return STATUS_USAGE;
}

static enum status prepare(const struct program *program)
{
    const struct unpack_values *values = program->values;
    const struct env *env = program->env;
    if (values->list)
        return STATUS_OK;
    if (values->file || values->entities || values->lump)
        return fs_prepare_output(env->fs, env->diag, values->to);
    return fs_prepare_folder(env->fs, env->diag, values->to);
}

/* --lumps and --lightmaps read the whole BSP, which must be sound. */
static enum status unpack_lump_files(const struct program *program)
{
    const struct unpack_values *values = program->values;
    const char *path = program_file(program, 0, ".bsp");
    struct bsp *bsp = NULL;
    size_t count;
    TRY(bsp_read_file(program->env, path, &bsp));
    enum status status =
        lump_files_write(program->env, bsp, values->lumps ? LUMP_FILES_JSON : LUMP_FILES_LIGHTMAPS,
                         path, values->to, values->force, &count);
    if (status == STATUS_OK)
        console_say(program->console, "wrote %zu file%s to %s", count, count == 1 ? "" : "s",
                    values->to);
    bsp_free(bsp);
    return status;
}

static enum status unpack(const struct program *program)
{
    const struct unpack_values *values = program->values;
    struct archive archive;
    TRY(check_command(program));
    TRY(prepare(program));
    if (values->lumps || values->lightmaps)
        return unpack_lump_files(program);
    enum status status =
        archive_open_damaged(program->env, program_file(program, 0, ".bsp"), &archive);
    if (status == STATUS_OK) {
        if (values->list)
            status = list(program, &archive);
        else if (values->file)
            status = unpack_file(program, &archive);
        else if (values->entities)
            status = unpack_lump(program, &archive, 0);
        else if (values->lump)
            status = unpack_named_lump(program, &archive);
        else
            status = unpack_all(program, &archive);
    }
    archive_close(&archive);
    return status;
}

int verb_unpack(int argc, char **argv)
{
    struct unpack_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("unpack")),
        .endings = "bsp",
        .details = details,
        .defs = unpack_options,
        .count = sizeof unpack_options / sizeof *unpack_options,
        .min_operands = 1,
        .max_operands = 1,
    };
    return program_run(&table, &values, &values.standard, argc, argv, unpack);
}
