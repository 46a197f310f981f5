#include "common/usage/arena_block.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/lexer.h"

struct search {
    struct arena *arena;
    const char **names; /* stb_ds array */
};

/* An assets_visit. */
static void note_script(void *context, const char *name)
{
    struct search *search = context;
    if (str_ends_nocase(name, ".arena"))
        arrput(search->names, arena_printf(search->arena, "scripts/%s", name));
}

static bool says(const struct token *token, const char *word)
{
    return token->kind == TOKEN_TEXT && token->length == strlen(word) &&
           str_starts_nocase(token->text, word);
}

/* Reads on after an opening brace; returns true when the block is the map's. */
static bool read_arena_block(struct lexer *lexer, const char *map, const char **end)
{
    bool found = false;
    for (;;) {
        struct token key = lexer_next(lexer);
        if (key.kind == TOKEN_CLOSE) {
            *end = lexer->at;
            return found;
        }
        struct token value = key.kind == TOKEN_TEXT ? lexer_next(lexer) : key;
        if (value.kind != TOKEN_TEXT)
            return false;
        found |= says(&key, "map") && says(&value, map);
    }
}

/* Finds the map's block, from its opening to its closing brace, in the text of a
 * scripts/NAME.arena, which lists maps for menus with one block in braces per map. The block's
 * `map` is compared without regard to case. Returns false when there is none. */
static bool arena_script_block(const char *text, size_t size, const char *map, const char **block,
                               size_t *length)
{
    struct lexer lexer = lexer_new(text, size);
    for (;;) {
        struct token token = lexer_next(&lexer);
        const char *end = NULL;
        if (token.kind == TOKEN_END || token.kind == TOKEN_UNTERMINATED)
            return false;
        if (token.kind != TOKEN_OPEN || !read_arena_block(&lexer, map, &end))
            continue;
        *block = token.text;
        *length = (size_t)(end - token.text);
        return true;
    }
}

static bool take_block(const struct assets *assets, const char *script, const char *map,
                       struct bytes *out, size_t *mount)
{
    struct bytes text = {0};
    const char *block;
    size_t length;
    const bool is_found =
        assets_find(assets, script, &text, mount) &&
        arena_script_block((const char *)text.data, text.size, map, &block, &length);
    if (is_found)
        bytes_append(out, block, length);
    bytes_free(&text);
    return is_found;
}

const char *arena_block_find(const struct assets *assets, const char *map, struct arena *arena,
                             struct bytes *out, size_t *mount)
{
    struct search search = {.arena = arena};
    const char *found = NULL;
    assets_list(assets, "scripts", note_script, &search);
    if (search.names)
        qsort(search.names, arrlenu(search.names), sizeof *search.names, str_compare_items);
    for (size_t i = 0; i < arrlenu(search.names) && !found; i++)
        if (take_block(assets, search.names[i], map, out, mount))
            found = search.names[i];
    arrfree(search.names);
    return found;
}
