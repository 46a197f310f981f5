#include "brushwork/build_checkpoint.h"

#include <string.h>

#include "common/core/array.h"

/* "BWBUICP1"; another number in the wrong byte order. */
#define MAGIC UINT64_C(0x3150434955425742)

void build_checkpoint_begin(struct build_checkpoint *checkpoint, const struct env *env,
                            const char *path)
{
    resume_file_begin(&checkpoint->stored, env, path, checkpoint->options.seconds);
    if (path)
        resume_key(checkpoint->job->program, checkpoint->key);
}

static struct resume_seal seal_of(const struct build_checkpoint *checkpoint)
{
    struct resume_seal seal = {.magic = MAGIC};
    memcpy(seal.key, checkpoint->key, sizeof seal.key);
    return seal;
}

/* ---- writing ---- */

static void append_path(const struct vec3 *points, struct bytes *out)
{
    bytes_u32(out, (uint32_t)arrlenu(points));
    bytes_append(out, points, arrlenu(points) * sizeof *points);
}

/* A BSP that cannot be encoded leaves no result: the end of the build reports it. */
static void append_output(const struct vbsp_job *job, struct bytes *out)
{
    const struct vbsp_output *output = &job->output;
    struct bytes bsp = {0}, prt = {0}, srf = {0};
    struct diag *diag = diag_new(NULL, NULL);
    if (bsp_encode(output->bsp, job->format, job->files.bsp, diag, &bsp) != STATUS_OK)
        bytes_free(&bsp);
    vbsp_format_portals(output, &prt);
    if (arrlen(output->notes.items))
        surface_notes_format(&output->notes, output->bsp, &srf);
    bytes_sized_block(out, &bsp);
    bytes_sized_block(out, &prt);
    bytes_sized_block(out, &srf);
    append_path(output->area_leak, out);
    bytes_free(&bsp);
    bytes_free(&prt);
    bytes_free(&srf);
    diag_free(diag);
}

static void encode(void *context, struct bytes *out)
{
    const struct build_checkpoint *checkpoint = context;
    const struct resume_seal seal = seal_of(checkpoint);
    resume_seal_begin(checkpoint->trace, out);
    bytes_u32(out, (uint32_t)checkpoint->stage);
    append_output(checkpoint->job, out);
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

static struct vec3 *read_path(struct byte_reader *from)
{
    struct vec3 *path = NULL;
    uint32_t count = read_u32(from);
    const unsigned char *data = read_block(from, (size_t)count * sizeof *path);
    if (data && count) {
        arrsetlen(path, count);
        memcpy(path, data, count * sizeof *path);
    }
    return path;
}

/* Fills an empty output. */
static bool read_output(struct byte_reader *from, const struct bsp_format *format,
                        struct vbsp_output *out)
{
    struct bytes bsp = {0}, prt = {0}, srf = {0};
    struct diag *diag = diag_new(NULL, NULL);
    bool fits = read_sized_block(from, &bsp) && read_sized_block(from, &prt) &&
                read_sized_block(from, &srf);
    out->area_leak = read_path(from);
    fits = fits && !from->failed && from->at == from->size &&
           bsp_decode_file(&bsp, "checkpoint", diag, &out->bsp) == STATUS_OK &&
           out->bsp->format == format &&
           prt_parse((const char *)prt.data, prt.size, "checkpoint", diag, &out->prt) == STATUS_OK;
    if (fits && srf.size)
        fits = surface_notes_parse((const char *)srf.data, srf.size, "checkpoint", out->bsp, diag,
                                   &out->notes) == STATUS_OK &&
               arrlen(out->notes.items);
    if (fits)
        limit_report_make(out->bsp, format, &out->limits);
    out->prt_text = prt; /* reading drops what vvis has no use for */
    bytes_free(&bsp);
    bytes_free(&srf);
    diag_free(diag);
    return fits;
}

static enum build_stage read_result(const struct build_checkpoint *checkpoint,
                                    struct byte_reader *from, struct vbsp_job *job)
{
    struct vbsp_output output = {0};
    uint32_t stage = read_u32(from);
    if ((stage == BUILD_COMPILED || stage == BUILD_SEEN) &&
        read_output(from, job->format, &output)) {
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
