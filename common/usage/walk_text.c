/* Scenes, response rules, scripts, console commands, overviews: text that names files. */
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/strings.h"
#include "common/text/keyvalues.h"
#include "common/usage/script_words.h"
#include "common/usage/walk.h"

struct text_walk {
    struct walk *walk;
    int64_t file;
    struct bytes text;
    struct arena arena;
};

static bool begin(struct text_walk *of, struct walk *walk, size_t file)
{
    *of = (struct text_walk){.walk = walk, .file = (int64_t)file};
    return walk_read(walk, file, &of->text);
}

static void end(struct text_walk *of)
{
    bytes_free(&of->text);
    arena_free(&of->arena);
}

static const char *text_of(const struct text_walk *of)
{
    return of->text.size ? (const char *)of->text.data : "";
}

/* "NAME" or "NAME.ending", below a folder if it is not there already. */
static const char *full_name(struct arena *arena, const char *folder, const char *name,
                             const char *ending)
{
    const char *clean = asset_name(arena, name);
    if (!clean)
        return NULL;
    return arena_printf(arena, "%s%s%s", str_starts_nocase(clean, folder) ? "" : folder, clean,
                        strchr(path_name(clean), '.') ? "" : ending);
}

/* ---- scenes and responses ---- */

void use_scene(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    const char *file = full_name(&walk->out->arena, "scenes/", name, ".vcd");
    if (file && str_ends_nocase(file, ".vcd"))
        walk_use(walk, USAGE_SCENE, file, "", edge);
}

static void use_of_scene(void *context, enum scene_use use, const char *value)
{
    const struct text_walk *of = context;
    static const char *const names[] = {"speak", "subscene", "expression"};
    struct walk_edge edge = walk_from(of->walk, of->file, "event %s", names[use]);
    if (use == SCENE_SOUND) {
        use_sound(of->walk, value, &edge);
    } else if (use == SCENE_SUBSCENE) {
        use_scene(of->walk, value, &edge);
    } else {
        struct walk_edge optional = walk_optional(edge);
        const char *file = full_name(&of->walk->out->arena, "expressions/", value, ".vfe");
        if (file)
            walk_use(of->walk, USAGE_OTHER, file, "", &optional);
    }
}

void walk_scene(struct walk *walk, size_t file, const char *detail)
{
    struct text_walk of;
    (void)detail;
    if (begin(&of, walk, file))
        scene_words(text_of(&of), of.text.size, &of.arena, use_of_scene, &of);
    end(&of);
}

static void use_of_responses(void *context, enum response_use use, const char *value)
{
    const struct text_walk *of = context;
    static const char *const names[] = {"include", "scene", "speak"};
    struct walk_edge edge = walk_from(of->walk, of->file, "%s", names[use]);
    const char *file = full_name(&of->walk->out->arena, "scripts/", value, ".txt");
    if (use == RESPONSE_SOUND)
        use_sound(of->walk, value, &edge);
    else if (use == RESPONSE_SCENE)
        use_scene(of->walk, value, &edge);
    else if (file)
        walk_use(of->walk, USAGE_RESPONSES, file, "", &edge);
}

void walk_responses(struct walk *walk, size_t file, const char *detail)
{
    struct text_walk of;
    (void)detail;
    if (begin(&of, walk, file))
        response_words(text_of(&of), of.text.size, &of.arena, use_of_responses, &of);
    end(&of);
}

/* ---- scripts ---- */

void use_scripts(struct walk *walk, const char *names, const struct walk_edge *edge)
{
    static const char between[] = " \t,;";
    struct arena scratch = {0};
    for (const char *at = names + strspn(names, between); *at; at += strspn(at, between)) {
        size_t length = strcspn(at, between);
        const char *name = arena_strndup(&scratch, at, length);
        const char *file = full_name(&scratch, "scripts/vscripts/", name, ".nut");
        if (file)
            walk_use(walk, USAGE_SCRIPT, file, "", edge);
        at += length;
    }
    arena_free(&scratch);
}

static void use_literal(void *context, const char *function, const char *value)
{
    const struct text_walk *of = context;
    static const char *const includes[] = {"IncludeScript", "DoIncludeScript"};
    static const char *const sounds[] = {"PrecacheSound", "PrecacheScriptSound", "EmitSound",
                                         "EmitSoundOn"};
    struct walk_edge edge = walk_from(of->walk, of->file, "%s", *function ? function : "text");
    if (!*value || strpbrk(value, "\n{}"))
        return;
    for (size_t i = 0; i < sizeof includes / sizeof *includes; i++)
        if (strcmp(function, includes[i]) == 0) {
            use_scripts(of->walk, value, &edge);
            return;
        }
    for (size_t i = 0; i < sizeof sounds / sizeof *sounds; i++)
        if (strcmp(function, sounds[i]) == 0) {
            use_sound(of->walk, value, &edge);
            return;
        }
    if (strcmp(function, "PrecacheModel") == 0 || strcmp(function, "SetModel") == 0)
        use_sprite(of->walk, value, -1, &edge);
    else if (strcmp(function, "DispatchParticleEffect") == 0)
        use_effect(of->walk, value, &edge);
    else
        use_by_ending(of->walk, value, &edge);
}

void use_script_text(struct walk *walk, const char *text, size_t size, int64_t from)
{
    struct text_walk of = {.walk = walk, .file = from};
    script_literals(text, size, &of.arena, use_literal, &of);
    arena_free(&of.arena);
}

void walk_script(struct walk *walk, size_t file, const char *detail)
{
    struct text_walk of;
    (void)detail;
    if (begin(&of, walk, file))
        use_script_text(walk, text_of(&of), of.text.size, of.file);
    end(&of);
}

/* ---- commands of the console ---- */

static void use_command(struct walk *walk, const char *command, const struct walk_edge *edge)
{
    struct arena scratch = {0};
    size_t length = strcspn(command, " \t");
    const char *word = arena_strndup(&scratch, command, length);
    const char *rest = command + length + strspn(command + length, " \t\"");
    const char *value = arena_strndup(&scratch, rest, strcspn(rest, " \t\""));
    struct walk_edge named = walk_from(walk, edge->from, "%s %s", edge->why, word);
    const char *config = full_name(&scratch, "cfg/", value, ".cfg");
    if (!*value)
        ; /* nothing is named */
    else if (str_equal_nocase(word, "exec") && config)
        walk_use(walk, USAGE_CONFIG, config, "", &named);
    else if (str_equal_nocase(word, "play") || str_equal_nocase(word, "playvol") ||
             str_equal_nocase(word, "playgamesound"))
        use_sound(walk, value, &named);
    else if (str_equal_nocase(word, "r_screenoverlay") && strcmp(value, "0") != 0)
        use_material(walk, value, &named);
    else if (str_equal_nocase(word, "script_execute"))
        use_scripts(walk, value, &named);
    arena_free(&scratch);
}

void use_commands(struct walk *walk, const char *commands, size_t length,
                  const struct walk_edge *edge)
{
    struct arena scratch = {0};
    const char *at = commands, *stop = commands + length;
    while (length && at < stop) {
        const char *end = at;
        bool is_quoted = false;
        while (end < stop && *end && (is_quoted || *end != ';')) {
            if (end[0] == '/' && end + 1 < stop && end[1] == '/' && !is_quoted)
                break;
            is_quoted ^= *end++ == '"';
        }
        while (at < end && (unsigned char)*at <= ' ')
            at++;
        use_command(walk, arena_strndup(&scratch, at, (size_t)(end - at)), edge);
        bool is_comment = end < stop && *end != ';';
        at = is_comment ? stop : end + 1;
    }
    arena_free(&scratch);
}

void walk_config(struct walk *walk, size_t file, const char *detail)
{
    struct text_walk of;
    struct walk_edge edge = walk_from(walk, (int64_t)file, "command");
    (void)detail;
    if (begin(&of, walk, file)) {
        const char *at = text_of(&of), *stop = at + of.text.size;
        while (at < stop) {
            const char *line = memchr(at, '\n', (size_t)(stop - at));
            const char *next = line ? line + 1 : stop;
            use_commands(walk, at, (size_t)((line ? line : stop) - at), &edge);
            at = next;
        }
    }
    end(&of);
}

/* ---- overviews ---- */

void walk_overview(struct walk *walk, size_t file, const char *detail)
{
    struct text_walk of;
    struct kv *root = NULL;
    (void)detail;
    if (begin(&of, walk, file) && kv_parse(text_of(&of), of.text.size, walk->out->files[file].name,
                                           KV_LENIENT, &of.arena, walk->diag, &root) == STATUS_OK)
        for (const struct kv *block = root->children; block; block = block->next) {
            const char *material = block->value ? NULL : kv_value(block, "material");
            struct walk_edge edge = walk_from(walk, (int64_t)file, "material");
            if (material)
                use_material(walk, material, &edge);
        }
    end(&of);
}
