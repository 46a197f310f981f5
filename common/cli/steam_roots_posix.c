#include "common/cli/steam_roots.h"

#include <stdlib.h>

#include "common/core/array.h"

void steam_roots(struct arena *arena, const char ***out)
{
    /* Steam's own installation, Flatpak, Snap, and where macOS has it. */
    static const char *const below_home[] = {
        ".steam/steam",
        ".local/share/Steam",
        ".var/app/com.valvesoftware.Steam/.local/share/Steam",
        "snap/steam/common/.local/share/Steam",
        "Library/Application Support/Steam",
    };
    const char *home = getenv("HOME");
    for (size_t i = 0; home && *home && i < sizeof below_home / sizeof *below_home; i++)
        arrput(*out, arena_printf(arena, "%s/%s", home, below_home[i]));
}
