/* brushwork checksum: the checksum by which servers and clients compare maps. */
#include "brushwork/shared/archive.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/codec/container.h"
#include "common/bsp/sidecar/aas.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/md4.h"
#include "common/diag/codes/packed_files.def"
#include "common/diag/codes/sidecars.def"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"
#include "common/io/fs_hold.h"

static const char details[] =
    "Prints the checksum of each BSP by which the engine compares maps. In the Source engine it is "
    "the CRC-32 of all lumps except the entities, by which servers reject clients with a different "
    "map; it does not depend on the entities, the order of the lumps, or the bytes between them. "
    "In Quake 3 it is the MD4 of the whole file, folded to 32 bits, by which the game tells "
    "whether the file of bot navigation (.aas) belongs to the map. Each line has the checksum in "
    "hexadecimal and in decimal, and the file. FILE may be - for standard input.\n\n"
    "--aas writes the checksum of a Quake 3 BSP into its .aas file, so that bots still find their "
    "way after a change of the BSP that moves nothing: new light, other entities that are not "
    "solid.";

struct checksum_values {
    struct standard_options standard;
    const char *aas;
};

static const struct option_def checksum_options[] = {
    {.name = "aas",
     .argument = "FILE",
     .endings = "aas",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = offsetof(struct checksum_values, aas),
     .two_dashes = true,
     .help = "write the checksum into this .aas file of Quake 3, in place; with one BSP"},
};

struct checksum {
    uint32_t sum;
    bool is_of_file;
    char md4[2 * MD4_SIZE + 1];
};

static void set_of_file(const struct bytes *file, struct checksum *out)
{
    unsigned char hash[MD4_SIZE];
    md4_of(file->data, file->size, hash);
    for (size_t i = 0; i < MD4_SIZE; i++)
        snprintf(out->md4 + 2 * i, 3, "%02x", hash[i]);
    out->is_of_file = true;
    out->sum = ibsp_checksum(file->data, file->size);
}

static enum status set_sum(const struct env *env, const struct archive *archive,
                           struct checksum *out)
{
    const struct container *container = &archive->container;
    char title[128];
    switch (container_checksum_of(container)) {
    case CHECKSUM_LUMPS:
        out->sum = bsp_checksum(container);
        return STATUS_OK;
    case CHECKSUM_FILE:
        set_of_file(&archive->file, out);
        return STATUS_OK;
    case CHECKSUM_NONE:
        break;
    }
    container_title(container, title, sizeof title);
    return diag_report(env->diag, DIAG_CHECKSUM_NONE, &(struct diag_where){.file = archive->path},
                       "%s", title);
}

static enum status checksum_file(const struct env *env, const char *path, struct checksum *out)
{
    struct archive archive;
    enum status status = archive_open(env, path, &archive);
    *out = (struct checksum){0};
    if (status == STATUS_OK)
        status = set_sum(env, &archive, out);
    archive_close(&archive);
    return status;
}

static enum status store_in_aas(const struct env *env, const struct checksum *checksum,
                                const char *bsp, const char *path)
{
    const struct diag_where where = {.file = path};
    struct fs_hold *hold;
    struct bytes file = {0};
    if (!checksum->is_of_file)
        return diag_report(env->diag, DIAG_AAS_OTHER_MAP, &(struct diag_where){.file = bsp},
                           "it is not of Quake 3");
    TRY(env_hold(env, path, path, &hold));
    enum status status = fs_load(env->fs, env->diag, path, &file);
    if (status == STATUS_OK)
        status = aas_set_checksum(&file, checksum->sum, &where, env->diag);
    if (status == STATUS_OK)
        status = env_store(env, path, file.data, file.size);
    bytes_free(&file);
    fs_hold_end(hold);
    return status;
}

static void print_line(const char *path, uint32_t sum)
{
    printf("%08x  %10u  ", sum, sum);
    print_safely(path, stdout);
    putchar('\n');
}

static void add_json(const char *path, const struct checksum *checksum, json_t *files)
{
    char hexadecimal[9];
    snprintf(hexadecimal, sizeof hexadecimal, "%08x", checksum->sum);
    json_array_append_new(files, json_pack("{s:o,s:s,s:I}", "file", print_json_text(path),
                                           checksum->is_of_file ? "md4" : "crc32",
                                           checksum->is_of_file ? checksum->md4 : hexadecimal,
                                           "checksum", (json_int_t)checksum->sum));
}

static enum status check_command(const struct program *program)
{
    const struct checksum_values *values = program->values;
    if (!values->aas || arrlenu(program->result->operands) == 1)
        return STATUS_OK;
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "--aas requires one BSP");
    return STATUS_USAGE;
}

static enum status checksum_files(const struct program *program)
{
    const struct checksum_values *values = program->values;
    const struct env *env = program->env;
    enum status status = STATUS_OK;
    TRY(check_command(program));
    json_t *files = json_array();
    console_quiet(program->console);
    for (size_t i = 0; i < arrlenu(program->result->operands); i++) {
        const char *path = program_file(program, i, ".bsp");
        struct checksum checksum;
        if (checksum_file(env, path, &checksum) != STATUS_OK ||
            (values->aas && store_in_aas(env, &checksum, path, values->aas) != STATUS_OK))
            status = STATUS_FAILED;
        else if (values->standard.console.json)
            add_json(path, &checksum, files);
        else
            print_line(path, checksum.sum);
    }
    if (values->standard.console.json) {
        json_t *object = print_json_object();
        json_object_set(object, "files", files);
        print_json(object, stdout);
    }
    json_decref(files);
    TRY(print_flush(env->diag));
    return status;
}

int verb_checksum(int argc, char **argv)
{
    struct checksum_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("checksum")),
        .endings = "bsp",
        .details = details,
        .defs = checksum_options,
        .count = sizeof checksum_options / sizeof *checksum_options,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
    };
    return program_run(&table, &values, &values.standard, argc, argv, checksum_files);
}
