#include "common/assets/shaders/shader_changes.h"

#include "common/core/strings.h"

/* Which keywords have the function. */
enum { TC_GEN = 1, TC_MOD = 2, ALPHA = 4, RGB = 8, COLOURS = ALPHA | RGB };

static const struct {
    const char *name;
    int on;
} keywords[] = {
    {"q3map_tcgen", TC_GEN},   {"q3map_tcmod", TC_MOD}, {"q3map_alphagen", ALPHA},
    {"q3map_alphamod", ALPHA}, {"q3map_rgbgen", RGB},   {"q3map_rgbmod", RGB},
    {"q3map_colorgen", RGB},   {"q3map_colormod", RGB},
};

static const struct function {
    const char *name;
    int on;
    enum shader_change_kind kind;
    size_t numbers;
} functions[] = {
    {"vector", TC_GEN, SHADER_TEXTURE_VECTORS, 6},
    {"ivector", TC_GEN, SHADER_TEXTURE_VECTORS, 6},
    {"rotate", TC_MOD, SHADER_TEXTURE_ROTATE, 1},
    {"scale", TC_MOD, SHADER_TEXTURE_SCALE, 2},
    {"translate", TC_MOD, SHADER_TEXTURE_MOVE, 2},
    {"move", TC_MOD, SHADER_TEXTURE_MOVE, 2},
    {"shift", TC_MOD, SHADER_TEXTURE_MOVE, 2},
    {"const", ALPHA, SHADER_COLOUR_SET, 1},
    {"set", ALPHA, SHADER_COLOUR_SET, 1},
    {"scale", ALPHA, SHADER_COLOUR_SCALE, 1},
    {"const", RGB, SHADER_COLOUR_SET, 3},
    {"set", RGB, SHADER_COLOUR_SET, 3},
    {"scale", RGB, SHADER_COLOUR_SCALE, 3},
    {"dotproduct", COLOURS, SHADER_COLOUR_DOT, 3},
    {"dotproduct2", COLOURS, SHADER_COLOUR_DOT_SQUARED, 3},
    {"dotproductscale", COLOURS, SHADER_COLOUR_DOT, 5},
    {"dotproduct2scale", COLOURS, SHADER_COLOUR_DOT_SQUARED, 5},
    {"volume", COLOURS, SHADER_COLOUR_VOLUME, 0},
};

size_t shader_numbers(const char *const *words, size_t count, double *out, size_t max)
{
    size_t found = 0;
    for (size_t i = 0; i < count && found < max; i++) {
        const char *word = words[i];
        while (*word == '(' || *word == '[')
            word++;
        if (!*word || *word == ')' || *word == ']')
            continue;
        if (str_to_doubles(word, &out[found], 1) != 1)
            break;
        found++;
    }
    return found;
}

static int keyword_of(const char *word)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (str_equal_nocase(keywords[i].name, word))
            return keywords[i].on;
    return 0;
}

static const struct function *function_of(const char *word, int keyword)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].on & keyword && str_equal_nocase(functions[i].name, word))
            return &functions[i];
    return NULL;
}

/* A vector of repeats per unit, from units per repeat. */
static void invert_vectors(double numbers[6])
{
    for (int i = 0; i < 6; i++)
        numbers[i] = fabs(numbers[i]) > 0 ? 1 / numbers[i] : 0;
}

bool shader_change_parse(const char *const *words, size_t count, struct shader_change *out)
{
    const int keyword = count > 1 ? keyword_of(words[0]) : 0;
    const struct function *function = keyword ? function_of(words[1], keyword) : NULL;
    if (!function)
        return false;
    *out =
        (struct shader_change){.kind = function->kind, .alpha = keyword == ALPHA, .range = {0, 1}};
    const size_t read = shader_numbers(words + 2, count - 2, out->numbers, function->numbers);
    if (read < function->numbers)
        return false;
    if (str_equal_nocase(function->name, "ivector"))
        invert_vectors(out->numbers);
    if (function->numbers == 5)
        for (int i = 0; i < 2; i++)
            out->range[i] = out->numbers[3 + i];
    return true;
}
