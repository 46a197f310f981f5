/* Any bytes as a list of maps: lines are in order, and no word has what ends a line. */
#include <stdint.h>
#include <string.h>

#include "common/core/array.h"
#include "common/text/word_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct arena arena = {0};
    struct word_line *lines = NULL;
    enum status status = word_lines_parse((const char *)data, size, "list", &arena, diag, &lines);
    if ((status != STATUS_OK) != (diag_entries(diag) > 0))
        __builtin_trap();
    for (size_t i = 0; i < arrlenu(lines); i++) {
        if (!arrlenu(lines[i].words) || (i && lines[i].line <= lines[i - 1].line))
            __builtin_trap();
        for (size_t k = 0; k < arrlenu(lines[i].words); k++)
            if (lines[i].words[k][strcspn(lines[i].words[k], "\r\n")])
                __builtin_trap();
    }
    word_lines_free(lines);
    arena_free(&arena);
    diag_free(diag);
    return 0;
}
