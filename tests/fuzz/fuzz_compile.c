/* Any bytes as a map through vbsp with the checks of lint, vvis and vrad: what vbsp ends with
 * success for can be written and read back, is valid, and the other stages accept it. Its replay
 * takes over 2 s: each of hundreds of inputs is compiled and lit. */
#include <stdint.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/face_records.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/diag/codes/internal.def"
#include "vbsp/vbsp.h"
#include "vrad/vrad.h"
#include "vvis/vvis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger inputs take long and find nothing more. */
enum { LARGEST = 40000 };

/* More are lit no differently, and take longer. */
enum { MOST_LUXELS = 1 << 16 };

static const char fgd_path[] = "fuzz.fgd";
static const char fgd[] = "@SolidClass = func_door : \"\" [ input Open(void) ]\n"
                          "@PointClass = info_target : \"\" [ input Kill(void) ]\n";

/* Writes the map, reads it back and verifies it. */
static void check_file(const struct env *env, const struct bsp *bsp)
{
    struct bytes file = {0};
    struct bsp *again = NULL;
    if (bsp_encode(bsp, NULL, "fuzz", env->diag, &file) == STATUS_OK) {
        if (bsp_decode(file.data, file.size, "fuzz", env->diag, &again) != STATUS_OK)
            __builtin_trap();
        if (bsp_verify(again, "fuzz", env->diag) != STATUS_OK)
            __builtin_trap();
        bsp_free(again);
    }
    bytes_free(&file);
}

static int64_t count_luxels(const struct bsp *bsp)
{
    int64_t luxels = 0;
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++) {
        const struct bsp_face *face = &bsp->faces[i];
        luxels += (int64_t)(face->lightmap_size[0] + 1) * (face->lightmap_size[1] + 1);
    }
    return luxels;
}

static void light(const struct env *env, struct assets *assets, struct bsp *bsp)
{
    struct vrad_options quick = vrad_defaults;
    quick.bounce = 1;
    if (count_luxels(bsp) > MOST_LUXELS)
        return;
    if (vrad_run(env, &quick, NULL, assets, bsp) != STATUS_OK)
        __builtin_trap();
    check_file(env, bsp);
}

/* A compiled map has been checked before it is given to the next stage. */
static void follow(const struct env *env, struct assets *assets, struct vbsp_output *output,
                   bool sealed)
{
    struct vvis_options quick = vvis_defaults;
    quick.fast = true;
    check_file(env, output->bsp);
    if (sealed) {
        if (vvis_run(env, &quick, NULL, &output->prt, output->bsp) != STATUS_OK)
            __builtin_trap();
        check_file(env, output->bsp);
    }
    light(env, assets, output->bsp);
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
    options.lint = options.lint_entities = options.limit_contributors = true;
    options.fgd = fgd_path;
    enum status status =
        diag_verdict(env->diag, vbsp_run(env, &options, assets, level, NULL, &output));
    if (status == STATUS_OK || status == STATUS_LEAK)
        follow(env, assets, &output, status == STATUS_OK);
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
    if (env.fs->ops->write(env.fs, fgd_path, fgd, sizeof fgd - 1) != 0)
        __builtin_trap();
    if (vmf_parse((const char *)data, size, "fuzz.vmf", env.diag, &level) == STATUS_OK) {
        compile(&env, &level);
        level_free(&level);
    }
    fs_memory_free(env.fs);
    diag_free(env.diag);
    return 0;
}
