#include "brushwork/shared/browser.h"
#include "common/diag/codes/surroundings.def"

#include <string.h>

enum status browser_open(const struct env *env, const char *page)
{
    struct arena arena = {0};
    const char *reason = browser_start(&arena, page);
    enum status status = STATUS_OK;
    if (reason)
        status =
            diag_report(env->diag, DIAG_BROWSER, &(struct diag_where){.file = page}, "%s", reason);
    arena_free(&arena);
    return status;
}

const char *browser_refusal(const struct standard_options *standard, const char *page)
{
    if (standard->sandbox)
        return "--open starts a browser, which --sandbox does not let it do";
    return strcmp(page, "-") == 0 ? "--open shows a file: name one with --out" : NULL;
}
