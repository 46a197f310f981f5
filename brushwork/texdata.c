/* brushwork texdata: writes a material catalogue from compiled maps. */
#include "brushwork/shared/archive.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/catalogue/texdata_catalogue.h"
#include "common/bsp/codec/format.h"
#include "common/cli/program.h"
#include "common/core/array.h"

static const char details[] =
    "Prints what compiled maps store about their materials: size, reflectivity, the surface "
    "flags and contents that they set, whether they reflect a cubemap, and the bottom materials "
    "of water. vbsp --texdata uses such a catalogue instead of a game's materials. When several "
    "maps have a material, the first one wins and the others add what it lacks; -v shows where "
    "they differ. FILE may be - for standard input.";

struct texdata_values {
    struct standard_options standard;
    const char *out;
};

#define FIELD(name) offsetof(struct texdata_values, name)

static const struct option_def texdata_options[] = {
    VERB_OUT(struct texdata_values, "output file (default: standard output)"),
};

static enum status add_map(const struct env *env, const char *path,
                           struct texdata_catalogue *catalogue)
{
    struct bytes file = {0};
    struct bsp *bsp;
    TRY(fs_load(env->fs, env->diag, path, &file));
    TRY(bsp_decode_part(&file, texdata_catalogue_lumps, path, env->diag, &bsp));
    texdata_catalogue_add(catalogue, bsp, path, env->diag);
    bsp_free(bsp);
    return STATUS_OK;
}

static enum status make_catalogue(const struct program *program)
{
    const struct texdata_values *values = program->values;
    const struct env *env = program->env;
    struct texdata_catalogue catalogue = {0};
    struct bytes text = {0};
    enum status status = STATUS_OK;
    console_quiet(program->console);
    TRY(fs_prepare_output(env->fs, env->diag, values->out));
    for (size_t i = 0; i < arrlenu(program->result->operands); i++)
        if (add_map(env, program_file(program, i, ".bsp"), &catalogue) != STATUS_OK)
            status = STATUS_FAILED;
    if (status == STATUS_OK) {
        texdata_catalogue_write(&catalogue, &text);
        status = env_store(env, values->out ? values->out : "-", text.data, text.size);
    }
    bytes_free(&text);
    texdata_catalogue_free(&catalogue);
    return status;
}

int verb_texdata(int argc, char **argv)
{
    struct texdata_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("texdata")),
        .endings = "bsp",
        .details = details,
        .defs = texdata_options,
        .count = sizeof texdata_options / sizeof *texdata_options,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
    };
    return program_run(&table, &values, &values.standard, argc, argv, make_catalogue);
}
