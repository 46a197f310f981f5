/* brushwork bmx unpack and pack: a BM file as a folder of text, and back. */
#include "brushwork/bmx/bmx.h"
#include "brushwork/shared/verb_options.h"
#include "common/bmx/dump.h"
#include "common/core/array.h"

static const char unpack_details[] =
    "Writes the parts of a BM file as text into the folder DIR, which is created if necessary: "
    "index.txt, objects.txt, meshes.txt, materials.txt and textures.txt, texture files into "
    "Texture, and any other archive members into members. The text preserves every bit, so two "
    "such folders can be compared with diff -r. If one of the files exists already, nothing is "
    "written without --force. Nothing is written outside DIR, whatever the names in the archive, "
    "and symbolic links in it are never followed. Errors in the file are reported as by check, but "
    "as warnings, unless "
    "the file cannot be read completely.";

static const char pack_details[] =
    "Packs a folder written by unpack, edited or not, into a BM file. Unedited parts keep their "
    "bytes. The new file is checked, and not written if it has errors; with --force these are "
    "warnings. "
    "FILE may be - for standard output.";

struct dump_values {
    struct standard_options standard;
    bool force;
};

static const struct option_def unpack_options[] = {
    VERB_FLAG(struct dump_values, "force", force, "replace existing files"),
};

static const struct option_def pack_options[] = {
    VERB_FLAG(struct dump_values, "force", force, "write the file even if it has errors"),
};

static enum status unpack_input(const struct env *env, const struct bmx_input *input,
                                const char *folder, bool replace)
{
    if (!input->bmx)
        return bmx_report(&input->findings, input->path, env->diag);
    bmx_report_tolerated(&input->findings, input->path, env->diag);
    return bmx_unpack(input->bmx, env->fs, folder, replace, env->diag, env->progress);
}

static enum status unpack(const struct program *program)
{
    const struct dump_values *values = program->values;
    const char *folder = program->result->operands[1];
    const struct env *env = program->env;
    struct bmx_input input = {0};
    console_quiet(program->console);
    TRY(fs_prepare_folder(env->fs, env->diag, folder));
    TRY(bmx_input_read(env, program_file(program, 0, ".bmx"), &input));
    enum status status = unpack_input(env, &input, folder, values->force);
    bmx_input_free(&input);
    return status;
}

/* Checks the new file like any other. */
static enum status check_packed(const struct env *env, const char *path, const struct bytes *file,
                                bool force)
{
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    bmx_free(bmx_check(file->data, file->size, NULL, &findings, &stats));
    enum status status = STATUS_OK;
    if (force)
        bmx_report_tolerated(&findings, path, env->diag);
    else
        status = bmx_report(&findings, path, env->diag);
    bmx_findings_free(&findings);
    return status;
}

static enum status pack(const struct program *program)
{
    const struct dump_values *values = program->values;
    const struct env *env = program->env;
    const char *path = program_file(program, 1, ".bmx");
    struct bmx *bmx;
    struct bytes file = {0};
    console_quiet(program->console);
    TRY(fs_prepare_output(env->fs, env->diag, path));
    TRY(bmx_pack(env->fs, program->result->operands[0], env->diag, &bmx));
    enum status status = bmx_encode(bmx, path, env->diag, &file);
    if (status == STATUS_OK) {
        status = check_packed(env, path, &file, values->force);
        if (status == STATUS_OK)
            status = env_store(env, path, file.data, file.size);
    }
    bytes_free(&file);
    bmx_free(bmx);
    return status;
}

int bmx_verb_unpack(int argc, char **argv)
{
    struct dump_values values = {0};
    const struct option_table table = {
        VERB_PAGE(bmx_verbs[BMX_VERB_unpack]),
        .endings = "bmx",
        .details = unpack_details,
        .defs = unpack_options,
        .count = sizeof unpack_options / sizeof *unpack_options,
        .min_operands = 2,
        .max_operands = 2,
    };
    return program_run(&table, &values, &values.standard, argc, argv, unpack);
}

int bmx_verb_pack(int argc, char **argv)
{
    struct dump_values values = {0};
    const struct option_table table = {
        VERB_PAGE(bmx_verbs[BMX_VERB_pack]),
        .endings = "bmx",
        .details = pack_details,
        .defs = pack_options,
        .count = sizeof pack_options / sizeof *pack_options,
        .min_operands = 2,
        .max_operands = 2,
    };
    return program_run(&table, &values, &values.standard, argc, argv, pack);
}
