/* Shader scripts: each shader of any text can be evaluated, and its block lies within the text. The
 * same text as parameters of a game: those that are read have a name, and are found by it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/assets/shaders/shader_meaning.h"
#include "common/core/array.h"

static const struct shader_block *look_up(void *context, const char *name)
{
    return shader_scripts_find(context, name);
}

/* Directives have a first word. */
static void ignore(void *context, const struct shader_directive *directive, bool known)
{
    (void)context;
    (void)known;
    if (!directive->count || !directive->words[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_parms(const uint8_t *data, size_t size, struct diag *diag)
{
    struct arena arena = {0};
    struct custom_parm *parms = NULL;
    custom_parms_read((const char *)data, size, "fuzz", &arena, diag, &parms);
    for (size_t i = 0; i < arrlenu(parms); i++)
        if (!parms[i].name || !custom_parms_find(parms, parms[i].name))
            abort();
    arrfree(parms);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct shader_scripts scripts = {0};
    struct arena arena = {0};
    struct bytes text = {0};
    bytes_append(&text, data, size);
    read_parms(data, size, diag);
    shader_scripts_add(&scripts, &text, "fuzz", true, diag);
    for (ptrdiff_t i = 0; i < shlen(scripts.blocks); i++) {
        const struct shader_block *block = &scripts.blocks[i].value;
        const struct bytes *whole = &scripts.texts[0];
        const char *start = (const char *)whole->data;
        if (block->text < start || block->size > whole->size - (size_t)(block->text - start))
            abort();
        struct shader shader;
        struct shader_images images = {0};
        const struct shader_reader reader = {.arena = &arena,
                                             .ignored = ignore,
                                             .lookup = look_up,
                                             .context = &scripts,
                                             .dialect = size % 2 ? &dialect_raven : NULL};
        shader_defaults(&shader);
        shader_read_block(&reader, block, &shader, &images);
        shader_free_lists(&shader);
        arena_reset(&arena);
    }
    arena_free(&arena);
    shader_scripts_free(&scripts);
    diag_free(diag);
    return 0;
}
