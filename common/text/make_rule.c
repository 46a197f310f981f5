#include "common/text/make_rule.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"

enum place { IN_TARGETS, IN_INPUTS };

static void put(struct bytes *out, const char *text)
{
    bytes_append(out, text, strlen(text));
}

static bool has_control(const char *path)
{
    for (; *path; path++)
        if ((unsigned char)*path < ' ' || *path == 0x7f)
            return true;
    return false;
}

/* Make and Ninja count the backslashes in front of these differently. */
static bool has_backslash_before_mark(const char *path)
{
    for (; (path = strchr(path, '\\')); path++)
        if (path[1] == '#' || path[1] == ':')
            return true;
    return false;
}

/* "name(x)" is a member of an archive. */
static bool ends_badly(const char *path, size_t length)
{
    return strchr(" \\:&", path[length - 1]) ||
           (path[length - 1] == ')' && strchr(path, '(') != NULL);
}

/* Returns false for a path that GNU Make cannot read in any form: with control characters, ; or |,
 * with a backslash in front of # or :, or with certain characters at its end. */
static bool make_rule_takes(const char *path)
{
    size_t length = strlen(path);
    return length && !has_control(path) && !strpbrk(path, ";|") &&
           !has_backslash_before_mark(path) && !ends_badly(path, length);
}

/* Backslashes stand for themselves, except for those in front of a space: there two are one. */
static void put_path(struct bytes *out, const char *path, enum place place)
{
    size_t backslashes = 0;
    if (*path == '~') /* of a home */
        put(out, "./");
    for (; *path; path++) {
        if (*path == ' ')
            for (size_t i = 0; i < backslashes; i++)
                put(out, "\\");
        if (strchr(" #:*?", *path) || (*path == '%' && place == IN_TARGETS))
            put(out, "\\");
        if (*path == '$')
            put(out, "$");
        bytes_append(out, path, 1);
        backslashes = *path == '\\' ? backslashes + 1 : 0;
    }
}

static const char *find_refused(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!make_rule_takes(paths[i]))
            return paths[i];
    return NULL;
}

/* The first word behind the start of a line, or behind a colon, would be a variable to set. */
static const char *find_assignment(const struct make_rule *rule, size_t *first)
{
    if (strchr(rule->targets[0], '='))
        return rule->targets[0];
    for (*first = 0; *first < rule->input_count; ++*first)
        if (!strchr(rule->inputs[*first], '='))
            return NULL;
    return rule->inputs[0];
}

static void put_input(struct bytes *out, const char *path)
{
    put(out, " \\\n  ");
    put_path(out, path, IN_INPUTS);
}

const char *make_rule_format(const struct make_rule *rule, struct bytes *out)
{
    size_t first;
    const char *refused = find_refused(rule->targets, rule->target_count);
    if (!refused)
        refused = find_refused(rule->inputs, rule->input_count);
    if (!refused)
        refused = find_assignment(rule, &first);
    if (refused)
        return refused;
    for (size_t i = 0; i < rule->target_count; i++) {
        put(out, i ? " " : "");
        put_path(out, rule->targets[i], IN_TARGETS);
    }
    put(out, ":");
    put_input(out, rule->inputs[first]);
    for (size_t i = 0; i < rule->input_count; i++)
        if (i != first)
            put_input(out, rule->inputs[i]);
    put(out, "\n");
    for (size_t i = 0; i < rule->input_count; i++) {
        if (strpbrk(rule->inputs[i], "%="))
            continue;
        put(out, "\n");
        put_path(out, rule->inputs[i], IN_TARGETS);
        put(out, ":\n");
    }
    return NULL;
}

/* --- reading --- */

/* Takes a path off the text, in the form of put_path. */
static const char *take_path(struct arena *arena, const char **text)
{
    const char *at = *text;
    size_t length = 0;
    char *path = arena_alloc(arena, strlen(at) + 1, 1);
    while (*at && !strchr(" \n:", *at)) {
        const size_t backslashes = strspn(at, "\\");
        const char next = at[backslashes];
        /* Of those in front of a space, the last is for the space, and two are one. */
        size_t kept = backslashes;
        if (backslashes && next == ' ')
            kept = (backslashes - 1) / 2;
        else if (backslashes && next && strchr("#:*?", next))
            kept = backslashes - 1;
        memset(path + length, '\\', kept);
        length += kept;
        at += backslashes;
        if (!*at || (backslashes == kept && strchr(" \n:", *at)))
            break;
        at += at[0] == '$' && at[1] == '$';
        path[length++] = *at++;
    }
    path[length] = 0;
    *text = at;
    return path;
}

const char **make_rule_inputs(struct arena *arena, const char *text)
{
    const char **paths = NULL;
    while (*text && *text != ':') {
        text += strspn(text, " ");
        if (strncmp(text, "\\\n", 2) == 0)
            text += 2;
        else if (*text != ':')
            (void)take_path(arena, &text);
        if (*text == '\n')
            break;
    }
    text += *text == ':';
    for (;;) {
        text += strspn(text, " ");
        if (strncmp(text, "\\\n", 2) == 0) {
            text += 2;
            continue;
        }
        if (!*text || *text == '\n' || *text == ':')
            return paths;
        arrput(paths, take_path(arena, &text));
    }
}
