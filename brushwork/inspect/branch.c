#include "brushwork/inspect/branch.h"
#include "common/diag/codes/bsp_targets.def"
#include "common/diag/codes/usage.def"

enum status branch_find(const char *target, const struct bsp *bsp, const char *path,
                        struct diag *diag, const struct bsp_format **out)
{
    const struct diag_where where = {.file = path};
    *out = target ? bsp_format_find(target) : bsp->format;
    if (!*out)
        return diag_report(diag, DIAG_USAGE, NULL, "unknown target '%s'", target);
    if (bsp_format_is_same_file(*out, bsp->format))
        return STATUS_OK;
    return diag_report(diag, DIAG_BSP_TARGET, &where, "the file is %s, but maps of %s are %s",
                       bsp->format->title, (*out)->target, (*out)->title);
}
