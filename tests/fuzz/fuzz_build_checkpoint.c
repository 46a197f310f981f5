/* Any bytes as the contents of a build's checkpoint, behind its checksum: the questions about
 * files, the stage, and the results of the compile. */
#include <stdint.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/resume/fs_trace.h"
#include "common/resume/resume_file.h"
#include "tests/fuzz/fuzz_check.h"
#include "vbsp/resume/output_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char path[] = "map.buildcheckpoint";

/* An output that was read is the same after writing and reading it again. */
static void check_again(const struct vbsp_output *output, const struct bsp_format *format)
{
    struct bytes once = {0}, twice = {0};
    struct vbsp_output again = {0};
    if (vbsp_output_append(output, format, &once)) {
        struct byte_reader from = byte_reader(once.data, once.size);
        check(vbsp_output_read(&from, format, &again));
        check(vbsp_output_append(&again, format, &twice) && bytes_equal(&once, &twice));
    }
    vbsp_output_free(&again);
    bytes_free(&once);
    bytes_free(&twice);
}

static void read_output(struct byte_reader from, const struct bsp_format *format)
{
    struct vbsp_output output = {0};
    if (vbsp_output_read(&from, format, &output))
        check_again(&output, format);
    vbsp_output_free(&output);
}

/* The bytes of the file after its seal. */
struct contents {
    const uint8_t *data;
    size_t size;
};

static void encode(void *context, struct bytes *out)
{
    const struct contents *contents = context;
    bytes_append(out, contents->data, contents->size);
}

static void read_contents(struct resume_file *file)
{
    static const char *const formats[] = {"sdk2013", "quake3"};
    struct bytes bytes = {0};
    struct byte_reader from;
    if (resume_file_open(file, &bytes, &from)) {
        (void)read_u32(&from); /* the stage */
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            read_output(from, bsp_format_find(formats[i]));
    } else {
        check(diag_count(file->env->diag, DIAG_WARNING) > 0);
    }
    bytes_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    struct contents contents = {data, size};
    struct resume_owner owner = {.kind = "build-checkpoint"};
    struct resume_file file;
    (void)env.fs->ops->write(env.fs, "map.vmf", "a map", 5);
    resume_file_begin(&file, &env, path, 0, &owner);
    resume_file_write(&file, encode, &contents);
    owner.trace = fs_trace_new(env.fs); /* the bytes have their own questions */
    resume_file_begin(&file, &env, path, 0, &owner);
    read_contents(&file);
    fs_trace_free(owner.trace);
    fs_memory_free(env.fs);
    diag_free(env.diag);
    return 0;
}
