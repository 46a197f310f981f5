/* brushwork bmx: BM files, the levels of Ballance mappers. */
#include "brushwork/bmx/bmx.h"

#include "brushwork/shared/verb_table.h"
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

static const struct verb verbs[] = {
    {"info", "FILE", "tell what a BM file holds", bmx_verb_info},
    {"check", "FILE...", "check every rule of the standard", bmx_verb_check},
    {"unpack", "FILE DIR", "write a BM file as text and textures", bmx_verb_unpack},
    {"pack", "DIR FILE", "make a BM file of what unpack wrote", bmx_verb_pack},
    {"diff", "A B", "compare two BM files by what they mean", bmx_verb_diff},
};

static const struct verb_table table = {
    .program = "brushwork bmx",
    .summary = "look into BM files, check, unpack, pack and compare them",
    .operands = "FILE...",
    .about = "BM files (.bmx, BM standard 1.4) hold levels of the game Ballance.",
    .see_also = "brushwork 1",
    .verbs = verbs,
    .count = sizeof verbs / sizeof *verbs,
};

int verb_bmx(int argc, char **argv)
{
    return verb_table_run(&table, argc, argv);
}
