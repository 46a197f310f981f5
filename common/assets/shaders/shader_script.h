/* Parses Quake 3's scripts/NAME.shader: the shaders in it, and their directives.
 *
 * A token is a run of characters above the space, or text in quotes; `//` and slash-star start
 * comments where a token could start. A directive is a word and the rest of its line. */
#ifndef ASSETS_SHADERS_SHADER_SCRIPT_H
#define ASSETS_SHADERS_SHADER_SCRIPT_H

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

/* Surface parameters that a game adds to those of the compiler: scripts/custinfoparms.txt.
 *
 * The file has two blocks in braces, each with lines of a name and a hexadecimal number: content
 * flags, then surface flags. */

struct custom_parm {
    const char *name;
    int contents, surface; /* flags that it sets */
};

/* Appends the parameters of a file's text to *out (an stb_ds array), with names in the arena.
 * Invalid lines are reported (CUSTOM_PARMS) and skipped. */
void custom_parms_read(const char *text, size_t size, const char *file, struct arena *arena,
                       struct diag *diag, struct custom_parm **out);

/* The parameter of that name, without regard to case, or NULL. */
const struct custom_parm *custom_parms_find(const struct custom_parm *parms, const char *name);

/* A shader's block in its script. */
struct shader_block {
    const char *file;
    int line;         /* line of its name */
    const char *text; /* from after its opening brace to before the closing one */
    size_t size;
    int text_line;        /* line that the text starts on */
    bool listed;          /* listed in shaderlist.txt, or there is no such list */
    const char *again_in; /* script with a second definition, which is ignored; or NULL */
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

/* Adds a script and takes ownership of its text. A shader that is already defined stays as it is.
 * Syntax errors are reported (SHADER_SCRIPT) and skipped to the next shader. */
void shader_scripts_add(struct shader_scripts *scripts, struct bytes *text, const char *file,
                        bool listed, struct diag *diag);
const struct shader_block *shader_scripts_find(const struct shader_scripts *scripts,
                                               const char *clean_name);
void shader_scripts_free(struct shader_scripts *scripts);

/* Returns a shader's name in the form that look-ups compare: lower case, `/`, without an image's
 * extension; NULL when it is not a valid name. In the arena. */
const char *shader_clean_name(struct arena *arena, const char *name);

enum { SHADER_MAX_WORDS = 32 };

struct shader_directive {
    int line, depth; /* depth 0: of the shader, 1: of a stage */
    int stage;       /* number of the stage, from 0; -1 before the first */
    size_t count;    /* number of words, at least 1; surplus ones are dropped */
    const char *words[SHADER_MAX_WORDS];
    const char *rest; /* all words after the first, separated by spaces */
};

struct shader_cursor {
    const char *at, *end;
    int line, depth, stage;
};

struct shader_cursor shader_cursor(const struct shader_block *block);
/* Reads the next directive; returns false at the end. Texts are in the arena. */
bool shader_next_directive(struct shader_cursor *cursor, struct arena *arena,
                           struct shader_directive *out);

#endif
