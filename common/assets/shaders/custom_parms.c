#include "common/assets/shaders/custom_parms.h"

#include <stdlib.h>

#include "common/assets/shaders/shader_script.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/shaders.def"

enum { CONTENTS_BLOCK, SURFACE_BLOCK }; /* in the order of the file */

/* A hexadecimal number of 32 bits, with or without 0x. */
static bool read_flags(const char *text, int *out)
{
    char *end;
    uint64_t number = strtoull(text, &end, 16);
    if (*text == '-' || *text == '+' || end == text || *end || number > UINT32_MAX)
        return false;
    *out = (int)(uint32_t)number;
    return true;
}

void custom_parms_read(const char *text, size_t size, const char *file, struct arena *arena,
                       struct diag *diag, struct custom_parm **out)
{
    const struct shader_block whole = {.text = text, .size = size, .text_line = 1};
    struct shader_cursor cursor = shader_cursor(&whole);
    struct shader_directive line;
    while (size && shader_next_directive(&cursor, arena, &line)) {
        struct custom_parm parm = {.name = line.words[0]};
        int flags;
        bool known = line.depth == 1 && line.stage <= SURFACE_BLOCK;
        if (known && line.count == 2 && read_flags(line.words[1], &flags)) {
            *(line.stage == CONTENTS_BLOCK ? &parm.contents : &parm.surface) = flags;
            arrput(*out, parm);
            continue;
        }
        struct diag_where where = {.file = file, .line = line.line};
        (void)diag_report(diag, DIAG_CUSTOM_PARMS, &where,
                          known ? "\"%s\" needs a hexadecimal number" : "\"%s\" is in no block",
                          line.words[0]);
    }
}

const struct custom_parm *custom_parms_find(const struct custom_parm *parms, const char *name)
{
    for (size_t i = 0; i < arrlenu(parms); i++)
        if (str_equal_nocase(parms[i].name, name))
            return &parms[i];
    return NULL;
}
