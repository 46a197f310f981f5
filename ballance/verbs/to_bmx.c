#include "ballance/verbs/to_bmx.h"

#include <string.h>

#include "common/core/strings.h"
#include "vbsp/files.h"

bool is_bmx(const char *name)
{
    return str_ends_nocase(name, BALLANCE_ENDING) || str_equal_nocase(name, &BALLANCE_ENDING[1]);
}

enum status convert_to_bmx(const struct program *program, const struct standard_options *standard,
                           const struct ballance_options *options, const char *out)
{
    const struct env *env = program->env;
    struct level level;
    if (strcmp(out, "-") == 0)
        console_quiet(program->console);
    TRY(fs_prepare_output(env->fs, env->diag, out));
    TRY(vbsp_read_level(env, program->result->operands[0], &level));
    const struct ballance_job job = {.env = env,
                                     .standard = standard,
                                     .options = *options,
                                     .level = &level,
                                     .missing_instances = DIAG_ERROR,
                                     .path = out};
    enum status status = ballance_convert(&job);
    if (status == STATUS_OK)
        console_say(program->console, "wrote %s", out);
    level_free(&level);
    return status;
}
