#include "brushwork/render/leak_verb.h"

#include <string.h>

#include "brushwork/shared/leak_picture.h"
#include "brushwork/shared/picture.h"
#include "vbsp/files.h"
#include "vbsp/options.h"

static enum status draw(struct vbsp_job *job, const struct render_options *options, const char *out)
{
    const struct env *env = job->program->env;
    TRY(picture_prepare(job->program, out, job->files.level, PICTURE_ENDINGS));
    TRY(vbsp_job_read(job));
    enum status status = vbsp_job_compile(job);
    if (status == STATUS_OK)
        console_say(job->program->console, "  does not leak: no picture");
    if (status != STATUS_LEAK)
        return status;
    if (!out)
        out = path_beside(&job->arena, job->files.level, vbsp_level_extension(job->files.level),
                          "_leak.png");
    console_stage(job->program->console, "render", NULL);
    TRY(leak_picture_write(env, job->assets, job->output.bsp, options, out));
    return STATUS_LEAK;
}

enum status render_leak(const struct program *program, struct standard_options *standard,
                        const struct render_options *options, const char *out)
{
    struct vbsp_settings settings = vbsp_settings_defaults();
    const struct vbsp_check check = {.check = true};
    struct vbsp_job job = {
        .program = program, .standard = standard, .settings = &settings, .check = &check};
    if (!out && strcmp(program->result->operands[0], "-") == 0)
        out = "-";
    if (out && strcmp(out, "-") == 0)
        console_quiet(program->console);
    enum status status = vbsp_job_begin(&job);
    if (status == STATUS_OK)
        status = draw(&job, options, out);
    vbsp_job_free(&job);
    vbsp_settings_free(&settings);
    return status;
}
