#include "common/assets/materials/surface_guess.h"

#include <stddef.h>
#include <string.h>

#include "common/core/strings.h"

static const struct {
    const char *folder, *property;
} guesses[] = {
    {"brick", "brick"},  {"concrete", "concrete"}, {"dev", "concrete"}, {"glass", "glass"},
    {"lights", "glass"}, {"metal", "metal"},       {"nature", "dirt"},  {"plaster", "plaster"},
    {"tile", "tile"},    {"wood", "wood"},
};

const char *surface_guess(const char *material)
{
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
        size_t length = strlen(guesses[i].folder);
        if (str_starts_nocase(material, guesses[i].folder) &&
            (material[length] == '/' || material[length] == '\\'))
            return guesses[i].property;
    }
    return "default";
}
