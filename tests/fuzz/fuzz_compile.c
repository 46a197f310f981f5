/* Any bytes as a map through all of vbsp and the fast vvis: a compiled map can be written and read
 * back, and is valid. */
#include <stdint.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "vbsp/vbsp.h"
#include "vvis/vvis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger inputs take long and find nothing more. */
enum { LARGEST = 40000 };

static void check_file(const struct env *env, struct bsp *bsp)
{
    struct bytes file = {0};
    struct bsp *again = NULL;
    if (bsp_encode(bsp, NULL, "fuzz", env->diag, &file) == STATUS_OK) {
        if (bsp_decode(file.data, file.size, "fuzz", env->diag, &again) != STATUS_OK)
            __builtin_trap();
        enum status sound = bsp_verify(again, "fuzz", env->diag);
        (void)sound;
        bsp_free(again);
    }
    bytes_free(&file);
}

static void compile(const struct env *env, const struct level *level)
{
    const struct assets_options no_game = {0};
    struct assets *assets;
    if (assets_open(env, &no_game, &assets) != STATUS_OK)
        return;
    struct vbsp_output output = {0};
    struct vbsp_options options = vbsp_defaults;
    options.format = bsp_format_find("sdk2013");
    options.lint = options.limit_contributors = true;
    enum status status = vbsp_run(env, &options, assets, level, &output);
    if (status == STATUS_OK) {
        struct vvis_options quick = vvis_defaults;
        quick.fast = true;
        status = vvis_run(env, &quick, &output.prt, output.bsp);
    }
    if (output.bsp)
        check_file(env, output.bsp);
    if (diag_count_code(env->diag, DIAG_INTERNAL))
        __builtin_trap();
    vbsp_output_free(&output);
    assets_free(assets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LARGEST)
        return 0;
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    struct level level;
    if (vmf_parse((const char *)data, size, "fuzz.vmf", env.diag, &level) == STATUS_OK) {
        compile(&env, &level);
        level_free(&level);
    }
    fs_memory_free(env.fs);
    diag_free(env.diag);
    return 0;
}
