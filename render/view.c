/* Viewpoints of pictures. */
#include <ctype.h>

#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "render/shade/render_map.h"

/* Eye height of a standing player; in Quake 3 the origin of an entity is 24 units above its
 * feet. */
#define EYE_HEIGHT        64
#define EYE_HEIGHT_QUAKE3 26

/* Replaces the commands and punctuation of getpos by blanks; returns false when other words are
 * left. */
static bool strip_commands(const char *text, char *out, size_t size)
{
    static const char *const words[] = {"setpos_exact", "setang_exact", "setpos", "setang"};
    size_t used = 0;
    while (*text) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words && !skip; i++)
            if (str_starts_nocase(text, words[i]))
                skip = strlen(words[i]);
        if (used + 1 >= size || (!skip && isalpha((unsigned char)*text) && *text != 'e'))
            return false;
        out[used++] = skip || *text == ';' || *text == ',' ? ' ' : *text;
        text += skip ? skip : 1;
    }
    out[used] = 0;
    return true;
}

/* Parses numbers separated by blanks. Returns their count, or -1 when there is anything else or
 * too many. */
static int only_numbers(const char *text, double *out, int max)
{
    int count = 0;
    for (;;) {
        text += strspn(text, " \t");
        if (!*text)
            return count;
        size_t length = strcspn(text, " \t");
        char word[64];
        if (count == max || length >= sizeof word)
            return -1;
        memcpy(word, text, length);
        word[length] = 0;
        if (!str_to_double(word, &out[count]) || !(fabs(out[count]) < 1e6))
            return -1;
        count++;
        text += length;
    }
}

bool render_read_view(const char *text, struct render_view *out)
{
    char stripped[256];
    double numbers[6] = {0};
    if (!strip_commands(text, stripped, sizeof stripped))
        return false;
    int count = only_numbers(stripped, numbers, 6);
    if (count != 3 && count != 5 && count != 6)
        return false;
    out->eye = vec3(numbers[0], numbers[1], numbers[2]);
    out->angles = vec3(numbers[3], numbers[4], numbers[5]);
    return true;
}

static const struct entity *find_entity(const struct entity_list *entities, const char *name)
{
    for (size_t i = 0; i < arrlenu(entities->entities); i++)
        if (entity_is(&entities->entities[i], name))
            return &entities->entities[i];
    return NULL;
}

bool render_start_view(const struct render *render, struct render_view *out)
{
    static const char *const names[] = {
        "info_player_start",     "info_player_deathmatch",       "info_player_teamspawn",
        "info_player_terrorist", "info_player_counterterrorist", "info_survivor_position"};
    const struct entity *entity = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !entity; i++)
        entity = find_entity(&render->entities, names[i]);
    struct render_view view = {0};
    if (!entity || !entity_vector(entity, "origin", &view.eye) || !vec3_is_finite(view.eye))
        return false;
    view.eye.z += arrlen(render->bsp->surfaces) > 0 ? EYE_HEIGHT_QUAKE3 : EYE_HEIGHT;
    if (!entity_vector(entity, "angles", &view.angles))
        view.angles.y = entity_number(entity, "angle", 0);
    if (!vec3_is_finite(view.angles))
        view.angles = vec3(0, 0, 0);
    *out = view;
    return true;
}
