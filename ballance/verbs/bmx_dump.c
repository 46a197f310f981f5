/* brushwork bmx unpack and pack: a BM file as a folder of text, and back. */
#include "ballance/bmx/dump.h"
#include "ballance/verbs/bmx.h"
#include "brushwork/shared/verb_options.h"
#include "common/core/array.h"

static const char unpack_details[] =
    "Writes the parts of a BM file as text into the folder DIR, which is created if necessary: "
    "index.txt, objects.txt, meshes.txt, materials.txt and textures.txt, texture files into "
    "Texture, and any other archive members into members. The text preserves every bit, so two "
    "such folders can be compared with diff -r. If one of the files exists already, nothing is "
    "written without --force, which also removes files that an earlier unpack has left there. The "
    "text is described in brushwork bmx pack. Nothing is written outside DIR, whatever the names "
    "in the archive, "
    "and symbolic links in it are never followed. Errors in the file are reported as by check, but "
    "as warnings, unless "
    "the file cannot be read completely.";

static const char pack_details[] =
    "Packs a folder written by unpack, edited or not, into a BM file. Unedited parts keep their "
    "bytes. The new file is checked, and not written if it has errors; with --force these are "
    "warnings. FILE may be - for standard output.\n"
    "\n"
    "A line has a word and its values; empty lines and those that begin with # are skipped. Text "
    "is "
    "in quotes, with \\\" \\\\ and \\u{HEX} as escapes. Files may be UTF-8 or UTF-16, with or "
    "without a "
    "byte order mark.\n"
    "\n"
    "objects.txt: object \"NAME\", then component and hidden (0 or 1), four lines matrix with a "
    "row "
    "each, group \"NAME\" for each group, and mesh \"NAME\", which names the kind of a component.\n"
    "\n"
    "meshes.txt: mesh \"NAME\", then all v (X Y Z), all vt (U V), all vn (X Y Z), and f P/T/N "
    "P/T/N "
    "P/T/N with indices from 0 for each face. A face has the material of the last usemtl \"NAME\" "
    "before it, or of two numbers at its end: 1 and the number of a material, or 0 0 for none.\n"
    "\n"
    "materials.txt: material \"NAME\", then ambient, diffuse, specular, emissive (R G B), power, "
    "alpha_test, alpha_blend, z_buffer, two_sided, use_texture (0 or 1), and texture \"NAME\".\n"
    "\n"
    "textures.txt: texture \"NAME\", then file \"NAME\" and external (0 or 1). The file of one "
    "that is "
    "not external is taken from Texture.\n"
    "\n"
    "index.txt: version and comment, part and file lines for the members of the archive in their "
    "order, and, only if it is not objects, meshes, materials, textures, the order of the index: a "
    "kind and a number of blocks, or without a number all that are left. Where a name stands for a "
    "block, its number, from 0, may stand too.";

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
        VERB_PAGE(bmx_verb("unpack")),
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
        VERB_PAGE(bmx_verb("pack")),
        .endings = "bmx",
        .details = pack_details,
        .defs = pack_options,
        .count = sizeof pack_options / sizeof *pack_options,
        .min_operands = 2,
        .max_operands = 2,
    };
    return program_run(&table, &values, &values.standard, argc, argv, pack);
}
