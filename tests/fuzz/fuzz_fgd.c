/* Any bytes as an FGD that includes itself; all its keys are looked up. */
#include <stdint.h>

#include "common/text/fgd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *data;
    size_t size;
    int budget; /* files may include each other very often */
};

static bool include(void *context, const char *from, const char *name, struct bytes *out)
{
    struct input *input = context;
    if (!from || input->budget-- <= 0)
        return false;
    bytes_append(out, input->data + input->size / 2, input->size - input->size / 2);
    return *name != 'x';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size, 20};
    struct diag *diag = diag_new(NULL, NULL);
    struct fgd *fgd = fgd_new();
    fgd_parse(fgd, (const char *)data, size, "fuzz", include, &input, diag);
    fgd_parse(fgd, (const char *)data, size / 3, "fuzz", NULL, NULL, diag);
    static const char *const classes[] = {"light", "a", "thing", ""};
    for (int i = 0; i < 4; i++) {
        bool has_parts = fgd_key_type(fgd, classes[i], "origin") != FGD_UNKNOWN ||
                         fgd_has_input(fgd, classes[i], "Use") ||
                         fgd_is_solid_class(fgd, classes[i]);
        if (has_parts && !fgd_has_class(fgd, classes[i]))
            __builtin_trap();
    }
    fgd_free(fgd);
    diag_free(diag);
    return 0;
}
