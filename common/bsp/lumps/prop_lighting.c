#include "common/bsp/lumps/prop_lighting.h"

#include <stdio.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

/* A name is the prop's number between the two. */
static const struct {
    const char *prefix, *extension;
} kinds[] = {
    [PROP_LIGHTING_LDR] = {"sp_", ".vhv"},
    [PROP_LIGHTING_HDR] = {"sp_hdr_", ".vhv"},
    [PROP_LIGHTING_TEXELS] = {"texelslighting_", ".ppl"},
};

struct prop_lighting_name prop_lighting_name(enum prop_lighting kind, size_t prop)
{
    struct prop_lighting_name name;
    snprintf(name.text, sizeof name.text, "%s%zu%s", kinds[kind].prefix, prop,
             kinds[kind].extension);
    return name;
}

/* Reads the digits at *at and moves it behind them; false if there are none. A number that is too
 * large becomes SIZE_MAX. */
static bool take_number(const char **at, size_t *out)
{
    const char *first = *at;
    for (*out = 0; **at >= '0' && **at <= '9'; (*at)++) {
        size_t digit = (size_t)(**at - '0');
        *out = *out > (SIZE_MAX - digit) / 10 ? SIZE_MAX : *out * 10 + digit;
    }
    return *at > first;
}

bool prop_lighting_parse(const char *name, enum prop_lighting *kind, size_t *prop)
{
    if (strlen(name) >= sizeof(struct prop_lighting_name))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = name + strlen(kinds[i].prefix);
        *kind = (enum prop_lighting)i;
        if (str_starts_nocase(name, kinds[i].prefix) && take_number(&at, prop) &&
            str_equal_nocase(at, kinds[i].extension))
            return true;
    }
    return false;
}

bool prop_lighting_remove(struct pakfile *pakfile, prop_lighting_test *is_old, const void *context)
{
    enum prop_lighting kind;
    size_t prop;
    bool any = false;
    for (size_t i = arrlenu(pakfile->files); i-- > 0;) {
        struct prop_lighting_name name;
        if (i >= arrlenu(pakfile->files) ||
            !prop_lighting_parse(pakfile->files[i].name, &kind, &prop) ||
            !is_old(context, kind, prop))
            continue;
        snprintf(name.text, sizeof name.text, "%s", pakfile->files[i].name);
        any |= pakfile_remove(pakfile, name.text);
    }
    return any;
}
