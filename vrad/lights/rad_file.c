#include "vrad/lights/rad_file.h"

#include "common/bsp/catalogue/texdata_catalogue.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/rad_files.def"
#include "vrad/lights/light.h"

enum { LINE_SIZE = 1024 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The next word of the line, as a key. */
static bool take_word(const char **at, char key[MATERIAL_KEY_SIZE])
{
    while (is_blank(**at))
        (*at)++;
    const char *start = *at;
    while (**at && !is_blank(**at))
        (*at)++;
    return material_key(start, (size_t)(*at - start), key);
}

static void add_light(struct rad_file *rad, const char *key, bool ldr, bool hdr,
                      const struct vec3 colour[RAD_SIDES])
{
    if (!rad->lights)
        sh_new_strdup(rad->lights);
    ptrdiff_t at = shgeti(rad->lights, key);
    struct rad_light light = {0};
    if (at >= 0)
        light = rad->lights[at].value;
    bool set[RAD_SIDES] = {ldr, hdr};
    for (int i = 0; i < RAD_SIDES; i++) {
        if (set[i]) {
            light.has[i] = true;
            light.colour[i] = colour[i];
        }
    }
    shput(rad->lights, key, light);
}

/* Returns NULL, or a description of the error. */
static const char *parse_line(const char *line, struct rad_file *rad)
{
    char word[MATERIAL_KEY_SIZE];
    const char *at = line;
    if (!take_word(&at, word))
        return "name too long";
    bool no_shadow = strcmp(word, "noshadow") == 0;
    if (no_shadow || strcmp(word, "forcetextureshadow") == 0) {
        if (!take_word(&at, word))
            return "missing name";
        shadow_exceptions_add(no_shadow ? &rad->shadows.no_shadow : &rad->shadows.textured, word);
        return NULL;
    }
    bool ldr = strncmp(word, "hdr:", 4) != 0, hdr = strncmp(word, "ldr:", 4) != 0;
    const char *key = ldr && hdr ? word : word + 4;
    char next[MATERIAL_KEY_SIZE];
    if (!*key) {
        if (!take_word(&at, next))
            return "missing name";
        key = next;
    }
    struct vec3 colour[RAD_SIDES];
    for (int i = 0; i < RAD_SIDES; i++)
        if (!light_colour(at, i == RAD_HDR, &colour[i]))
            return "missing or invalid colour";
    add_light(rad, key, ldr, hdr, colour);
    return NULL;
}

static bool only_blanks(const char *line)
{
    while (is_blank(*line))
        line++;
    return !*line;
}

/* Copies a line without its comment; false when it is too long. */
static bool copy_line(const char *from, size_t length, char line[LINE_SIZE])
{
    for (size_t i = 0; i + 1 < length; i++)
        if (from[i] == '/' && from[i + 1] == '/')
            length = i;
    if (length >= LINE_SIZE)
        return false;
    for (size_t i = 0; i < length; i++)
        line[i] = from[i] ? from[i] : ' ';
    line[length] = 0;
    return true;
}

void rad_parse(const char *text, size_t size, const char *name, struct diag *diag,
               struct rad_file *rad)
{
    int number = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - (text + at)) : size - at;
        char line[LINE_SIZE];
        const char *wrong = "line too long";
        number++;
        if (copy_line(text + at, length, line))
            wrong = only_blanks(line) ? NULL : parse_line(line, rad);
        if (wrong) {
            struct diag_where where = {.file = name, .line = number};
            diag_report(diag, DIAG_RAD_LINE, &where, "%s; the line is ignored", wrong);
        }
        at += length + 1;
    }
}

/* Reads and parses a file if it exists. */
static bool load_path(const struct env *env, const char *path, struct rad_file *rad)
{
    struct bytes text = {0};
    bool found = fs_load_optional(env->fs, env->diag, path, &text);
    if (found)
        rad_parse((const char *)text.data, text.size, path, env->diag, rad);
    bytes_free(&text);
    return found;
}

static bool load_asset(const struct env *env, struct assets *assets, const char *name,
                       struct rad_file *rad)
{
    struct bytes text = {0};
    bool found = assets && assets_read(assets, name, &text);
    if (found)
        rad_parse((const char *)text.data, text.size, name, env->diag, rad);
    bytes_free(&text);
    return found;
}

void rad_load(const struct env *env, struct assets *assets, const char *lights_file,
              const char *map_rad, struct rad_file *out)
{
    *out = (struct rad_file){0};
    load_asset(env, assets, "lights.rad", out);
    if (lights_file && !load_path(env, lights_file, out) &&
        !load_asset(env, assets, lights_file, out))
        diag_report(env->diag, DIAG_RAD_MISSING, NULL, "%s", lights_file);
    if (map_rad)
        load_path(env, map_rad, out);
}

static bool find_exactly(const struct rad_file *rad, const char *material, bool hdr,
                         struct vec3 *out)
{
    char key[MATERIAL_KEY_SIZE];
    struct rad_light_entry *lights = rad->lights;
    if (!lights || !material_key(material, strlen(material), key))
        return false;
    ptrdiff_t at = shgeti(lights, key);
    int side = hdr ? RAD_HDR : RAD_LDR;
    if (at < 0 || !lights[at].value.has[side])
        return false;
    *out = lights[at].value.colour[side];
    return true;
}

bool rad_find(const struct rad_file *rad, const char *material, bool hdr, struct vec3 *out)
{
    if (find_exactly(rad, material, hdr, out))
        return true;
    struct arena arena = {0};
    bool envmap;
    const char *source = texdata_source_name(&arena, material, &envmap);
    bool found = source != material && find_exactly(rad, source, hdr, out);
    arena_free(&arena);
    return found;
}

void rad_free(struct rad_file *rad)
{
    shfree(rad->lights);
    shadow_exceptions_free(&rad->shadows);
    *rad = (struct rad_file){0};
}
