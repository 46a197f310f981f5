/* Any bytes as a map that becomes a level of Ballance: refused with a report, or a model without
 * errors that is written, read back and made a level of brushes again. */
#include <stdint.h>

#include "ballance/bmx/check.h"
#include "ballance/compile/ballance.h"
#include "ballance/level/bmx_level.h"
#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"
#include "vbsp/level/instances/instance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Larger inputs take long and find nothing more. */
enum { LARGEST = 40000 };

static const char table[] = "texture \"Grass\"\n  file \"grass.png\"\n  external 0\n"
                            "material \"Meadow\"\n  ambient 0 0 0\n  diffuse 1 1 1\n"
                            "  specular 0 0 0\n  emissive 0 0 0\n  power 0\n  alpha_test 0\n"
                            "  alpha_blend 0\n  z_buffer 1\n  two_sided 0\n  use_texture 1\n"
                            "  texture \"Grass\"\n  face \"grass\"\n";

static const char model[] = "v 0 0 0\nv 16 0 0\nv 16 16 0\nv 0 16 9\nvt 0 0\n"
                            "f 1/1 2/1 3/1 4/1\n";

static void follow(struct bmx *bmx, struct diag *diag)
{
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    struct bytes file = {0};
    struct level level;
    struct bmx_level_files files;
    bmx_check_model(bmx, &findings, &stats);
    check(findings.by_severity[DIAG_ERROR] == 0);
    check(bmx_encode(bmx, "fuzz.bmx", diag, &file) == STATUS_OK);
    const struct bmx_level_options options = {.name = "fuzz"};
    check(bmx_level_read(file.data, file.size, &options, "fuzz.bmx", diag, &level, &files) ==
          STATUS_OK);
    level_free(&level);
    bmx_level_files_free(&files);
    bytes_free(&file);
    bmx_findings_free(&findings);
}

static void make(const struct env *env, const struct level *level)
{
    struct bmx *bmx;
    struct level whole;
    const struct ballance_options options = {.materials = "maps/fuzz.materials"};
    if (level_complete(env, NULL, level, DIAG_WARNING, &whole) != STATUS_OK)
        return;
    if (ballance_make(env, &options, NULL, &whole, &bmx) == STATUS_OK)
        follow(bmx, env->diag);
    else
        check(diag_count(env->diag, DIAG_ERROR) > 0);
    bmx_free(bmx);
    level_free(&whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > LARGEST)
        return 0;
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    const struct env env = {.diag = diag, .fs = fs, .threads = 1};
    struct level level;
    const char *text = (const char *)data;
    check(fs->ops->write(fs, "maps/fuzz.materials", table, sizeof table - 1) == 0);
    check(fs->ops->write(fs, "maps/model.obj", model, sizeof model - 1) == 0);
    enum status status = map_is_map(text, size)
                             ? map_parse(text, size, "maps/fuzz.map", diag, &level)
                             : vmf_parse(text, size, "maps/fuzz.vmf", diag, &level);
    if (status == STATUS_OK) {
        make(&env, &level);
        level_free(&level);
    } else {
        check(diag_count(diag, DIAG_ERROR) > 0);
    }
    fs_memory_free(fs);
    diag_free(diag);
    return 0;
}
