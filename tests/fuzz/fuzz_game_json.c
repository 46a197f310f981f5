/* Any text as the description of a game: refused with a report, or a dialect whose flags are stored
 * as they were read. */
#include <stdint.h>

#include "common/bsp/engine.h"
#include "common/bsp/json/game_json.h"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct game_description game;
    struct bytes text = {0};
    bytes_append(&text, data, size);
    if (game_description_read(&text, "game", diag, &game) == STATUS_OK) {
        const struct dialect *dialect = game.format.engine->dialect;
        for (size_t i = 0; i < dialect->parm_count; i++) {
            check(dialect_parm_find(dialect, dialect->parms[i].name) != NULL);
            const struct dialect_flags flags = {0, dialect->parms[i].own_surface};
            check(dialect_store_surface(dialect, flags) == flags.own);
        }
    } else {
        check(diag_entries(diag) == 1);
    }
    game_description_free(&game);
    bytes_free(&text);
    diag_free(diag);
    return 0;
}
