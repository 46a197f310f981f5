/* The text of Quake 3's scripts/NAME.shader: which shaders it has, and their directives.
 *
 * A token is a run of characters above a blank, or what stands between quotes; `//` and slash-star
 * start comments where a token could start. A directive is a word and the rest of its line. */
#ifndef ASSETS_SHADERS_SHADER_SCRIPT_H
#define ASSETS_SHADERS_SHADER_SCRIPT_H

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* A shader's block in its script. */
struct shader_block {
    const char *file;
    int line;         /* of its name */
    const char *text; /* from behind its opening brace to before the closing one */
    size_t size;
    int text_line;        /* that the text starts on */
    bool listed;          /* its script stands in a shaderlist.txt, or there is none */
    const char *again_in; /* script that defines it anew, to no effect; or NULL */
};

struct shader_cell {
    char *key; /* the name: lower case, /, no extension */
    struct shader_block value;
};

/* Zero-initialise; free with shader_scripts_free. */
struct shader_scripts {
    struct shader_cell *blocks; /* stb_ds map */
    struct bytes *texts;        /* stb_ds array, owned */
    struct arena arena;
    size_t files, shaders, duplicates; /* shaders counts each name once */
};

/* Takes over the text of a script. A shader that is defined already stays as it is. What is broken
 * is reported (SHADER_SCRIPT) and skipped to the next shader. */
void shader_scripts_add(struct shader_scripts *scripts, struct bytes *text, const char *file,
                        bool listed, struct diag *diag);
const struct shader_block *shader_scripts_find(const struct shader_scripts *scripts,
                                               const char *clean_name);
void shader_scripts_free(struct shader_scripts *scripts);

/* A shader's name as look-ups compare it: lower case, `/`, without an image's extension; NULL when
 * it is none. In the arena. */
const char *shader_clean_name(struct arena *arena, const char *name);

enum { SHADER_MAX_WORDS = 32 };

struct shader_directive {
    int line, depth; /* depth 0: of the shader, 1: of a stage */
    int stage;       /* number of the stage, from 0; -1 before the first */
    size_t count;    /* of words, at least 1; further ones are dropped */
    const char *words[SHADER_MAX_WORDS];
    const char *rest; /* all words behind the first, with blanks between */
};

struct shader_cursor {
    const char *at, *end;
    int line, depth, stage;
};

struct shader_cursor shader_cursor(const struct shader_block *block);
/* False at the end. Texts are put into the arena. */
bool shader_next_directive(struct shader_cursor *cursor, struct arena *arena,
                           struct shader_directive *out);

#endif
