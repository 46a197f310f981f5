#include "brushwork/shared/browser.h"

#include <stdint.h>
#include <windows.h>

#include <shellapi.h>

#include "common/core/memory.h"
#include "common/core/wide.h"

enum { STARTED = 32 }; /* what ShellExecute returns is more than that */

/* The browser is what the user has chosen for such pages. */
const char *browser_start(struct arena *arena, const char *page)
{
    wchar_t *wide = wide_from_utf8(page);
    for (wchar_t *c = wide; *c && !strstr(page, "://"); c++)
        if (*c == L'/')
            *c = L'\\';
    const intptr_t result = (intptr_t)ShellExecuteW(NULL, L"open", wide, NULL, NULL, SW_SHOWNORMAL);
    memory_free(wide);
    if (result > STARTED)
        return NULL;
    if (result == SE_ERR_NOASSOC || result == SE_ERR_ASSOCINCOMPLETE)
        return "no program is set for pages";
    return arena_printf(arena, "the system refuses to open it (ShellExecute: %d)", (int)result);
}
