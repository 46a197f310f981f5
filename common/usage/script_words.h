/* Words of scripts of the engine (scenes, response rules) and string literals of VScripts. */
#ifndef USAGE_SCRIPT_WORDS_H
#define USAGE_SCRIPT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/core/arena.h"

enum scene_use {
    SCENE_SOUND,      /* event speak: param */
    SCENE_SUBSCENE,   /* event subscene: param */
    SCENE_EXPRESSION, /* event expression: param, the name of a class of expressions */
};

typedef void scene_visit(void *context, enum scene_use use, const char *value);

/* Visits what the events of a choreographed scene (.vcd) name. Damaged text is read as far as it
 * makes sense. Strings are in the arena. */
void scene_words(const char *text, size_t size, struct arena *arena, scene_visit *visit,
                 void *context);

enum response_use {
    RESPONSE_INCLUDE, /* #include, #base: below scripts/ */
    RESPONSE_SCENE,
    RESPONSE_SOUND, /* speak */
};

typedef void response_visit(void *context, enum response_use use, const char *value);

/* The same of response rules. */
void response_words(const char *text, size_t size, struct arena *arena, response_visit *visit,
                    void *context);

/* Visits the string literals of a script, outside of comments, with the function whose first
 * argument it is, or "". Escapes stay as they are but for \" and \\. */
typedef void literal_visit(void *context, const char *function, const char *value);
void script_literals(const char *text, size_t size, struct arena *arena, literal_visit *visit,
                     void *context);

#endif
