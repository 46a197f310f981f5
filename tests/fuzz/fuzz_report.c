/* Any bytes as a BSP that is reported on, against itself: refused with a report, or a page to its
 * end without a tag that it should not have. */
#include <stdint.h>
#include <string.h>

#include "report/report.h"
#include "tests/fuzz/fuzz_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_report(const struct env *env, const struct render *render, const struct bsp *bsp)
{
    const struct report_map map = {.render = render, .file = "fuzz", .name = "<script>"};
    const struct report_source source = {.map = map, .against = map};
    const struct report_settings settings = {.pictures = 1, .times = true};
    struct bytes html = {0};
    (void)bsp;
    if (report_write(env, &source, &settings, &html) == STATUS_OK) {
        bytes_append(&html, "", 1);
        const char *text = (const char *)html.data;
        if (strlen(text) + 1 != html.size || strstr(text, "<script") || !strstr(text, "</html>"))
            __builtin_trap();
    } else if (diag_count(env->diag, DIAG_ERROR) == 0) {
        __builtin_trap();
    }
    bytes_free(&html);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_scene(data, size, write_report);
    return 0;
}
