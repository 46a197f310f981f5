/* Any bytes as the list of Steam's folders: paths are not empty and have no backslash. */
#include <stdint.h>
#include <string.h>

#include "common/core/array.h"
#include "common/text/steam_libraries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    const char **folders = NULL;
    enum status status = steam_libraries_parse((const char *)data, size, "libraryfolders.vdf",
                                               &arena, diag, &folders);
    if (status != STATUS_OK && (!diag_entries(diag) || arrlenu(folders)))
        __builtin_trap();
    for (size_t i = 0; i < arrlenu(folders); i++)
        if (!*folders[i] || strchr(folders[i], '\\'))
            __builtin_trap();
    arrfree(folders);
    arena_free(&arena);
    diag_free(diag);
    return 0;
}
