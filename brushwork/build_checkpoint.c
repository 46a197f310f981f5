#include "brushwork/build_checkpoint.h"

#include <string.h>

#include "common/diag/codes/checkpoints.def"
#include "vbsp/resume/output_bytes.h"

void build_checkpoint_begin(struct build_checkpoint *checkpoint)
{
    const struct stage_session *session = &checkpoint->session;
    const struct vbsp_job *job = checkpoint->job;
    struct resume_owner owner = {.kind = "build-checkpoint", .trace = session->trace};
    if (session->checkpoint)
        resume_key(job->program, job->files.level, owner.key);
    resume_file_begin(&checkpoint->stored, session->env, session->checkpoint,
                      session->resume.seconds, &owner);
}

/* ---- writing ---- */

static void encode(void *context, struct bytes *out)
{
    const struct build_checkpoint *checkpoint = context;
    bytes_u32(out, (uint32_t)checkpoint->stage);
    /* A BSP that cannot be encoded leaves no result: the end of the build reports it. */
    (void)vbsp_output_append(&checkpoint->job->output, checkpoint->job->format, out);
}

void build_checkpoint_keep(struct build_checkpoint *checkpoint, enum build_stage stage)
{
    if (!resume_file_is_worth(&checkpoint->stored))
        return;
    checkpoint->stage = stage;
    resume_file_write(&checkpoint->stored, encode, checkpoint);
    checkpoint->session.is_kept = checkpoint->stored.written;
}

/* ---- reading ---- */

static enum build_stage read_result(const struct build_checkpoint *checkpoint,
                                    struct byte_reader *from, struct vbsp_job *job)
{
    struct vbsp_output output = {0};
    uint32_t stage = read_u32(from);
    if ((stage == BUILD_COMPILED || stage == BUILD_SEEN) &&
        vbsp_output_read(from, job->format, &output)) {
        job->output = output;
        return (enum build_stage)stage;
    }
    vbsp_output_free(&output);
    resume_file_refuse(&checkpoint->stored, DIAG_CHECKPOINT_DAMAGED, "unexpected contents");
    return BUILD_NOTHING;
}

enum build_stage build_checkpoint_resume(struct build_checkpoint *checkpoint, struct vbsp_job *job)
{
    struct bytes bytes = {0};
    struct byte_reader from;
    enum build_stage stage = BUILD_NOTHING;
    if (!checkpoint->session.resume.resume)
        return stage;
    if (resume_file_open(&checkpoint->stored, &bytes, &from))
        stage = read_result(checkpoint, &from, job);
    bytes_free(&bytes);
    checkpoint->session.is_kept = stage != BUILD_NOTHING;
    return stage;
}
