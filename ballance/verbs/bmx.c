/* brushwork bmx: BM files, levels of the game Ballance. */
#include "ballance/verbs/bmx.h"

#include "brushwork/verbs.h"

enum status bmx_input_read(const struct env *env, const char *path, struct bmx_input *input)
{
    struct bytes file = {0};
    input->path = path;
    TRY(fs_load(env->fs, env->diag, path, &file));
    input->bytes = file.size;
    input->bmx = bmx_check(file.data, file.size, NULL, &input->findings, &input->stats);
    bytes_free(&file);
    return STATUS_OK;
}

enum status bmx_input_need(const struct env *env, const char *path, struct bmx_input *input)
{
    TRY(bmx_input_read(env, path, input));
    return input->bmx ? STATUS_OK : bmx_report(&input->findings, path, env->diag);
}

void bmx_input_free(struct bmx_input *input)
{
    bmx_free(input->bmx);
    bmx_findings_free(&input->findings);
}

json_t *bmx_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    struct arena arena = {0};
    struct bmx_text sound = bmx_text_make(text);
    value = json_string(bmx_text_utf8(&sound, &arena));
    bmx_text_free(&sound);
    arena_free(&arena);
    return value;
}

#define VERB(name, operands, summary) verb_function bmx_verb_##name;
#include "ballance/verbs/verbs.def"
#undef VERB

static const struct verb rows[] = {
#define VERB(name, operands, summary)                                                              \
    {"brushwork bmx " #name, #name, operands, summary, bmx_verb_##name},
#include "ballance/verbs/verbs.def"
#undef VERB
};

const struct verb *bmx_verb(const char *name)
{
    return verb_named(rows, sizeof rows / sizeof *rows, name);
}

int verb_bmx(int argc, char **argv)
{
    const struct verb_table table = {
        VERB_PAGE(brushwork_verb("bmx")),
        .about = "BM files (.bmx, BM standard 1.4) hold levels of the game Ballance.",
        .see_also = "brushwork 1",
        .verbs = rows,
        .count = sizeof rows / sizeof *rows,
    };
    return verb_table_run(&table, argc, argv);
}
