#include "brushwork/build_checkpoint.h"

#include <string.h>

#include "vbsp/resume/output_bytes.h"

/* "BWBUICP1"; another number in the wrong byte order. */
#define MAGIC UINT64_C(0x3150434955425742)

void build_checkpoint_begin(struct build_checkpoint *checkpoint, const struct env *env,
                            const char *path)
{
    resume_file_begin(&checkpoint->stored, env, path, checkpoint->options.seconds);
    if (path)
        resume_key(checkpoint->job->program, checkpoint->job->files.level, checkpoint->key);
}

static struct resume_seal seal_of(const struct build_checkpoint *checkpoint)
{
    struct resume_seal seal = {.magic = MAGIC};
    memcpy(seal.key, checkpoint->key, sizeof seal.key);
    return seal;
}

/* ---- writing ---- */

static void encode(void *context, struct bytes *out)
{
    const struct build_checkpoint *checkpoint = context;
    const struct resume_seal seal = seal_of(checkpoint);
    resume_seal_begin(checkpoint->trace, out);
    bytes_u32(out, (uint32_t)checkpoint->stage);
    /* A BSP that cannot be encoded leaves no result: the end of the build reports it. */
    (void)vbsp_output_append(&checkpoint->job->output, checkpoint->job->format, out);
    resume_seal_end(&seal, out, 0);
}

void build_checkpoint_keep(struct build_checkpoint *checkpoint, enum build_stage stage)
{
    if (!resume_file_is_worth(&checkpoint->stored))
        return;
    checkpoint->stage = stage;
    resume_file_write(&checkpoint->stored, encode, checkpoint);
    checkpoint->is_kept = checkpoint->stored.written;
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
    const struct resume_seal seal = seal_of(checkpoint);
    struct bytes bytes = {0};
    struct byte_reader from;
    enum build_stage stage = BUILD_NOTHING;
    if (!checkpoint->options.resume || !resume_file_exists(&checkpoint->stored))
        return stage;
    if (resume_file_read(&checkpoint->stored, &bytes) &&
        resume_file_open(&checkpoint->stored, &seal, checkpoint->trace, &bytes, &from))
        stage = read_result(checkpoint, &from, job);
    bytes_free(&bytes);
    checkpoint->is_kept = stage != BUILD_NOTHING;
    return stage;
}
