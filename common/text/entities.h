/* Entities as ordered key-value pairs: parses and writes the text of the entity lump. */
#ifndef TEXT_ENTITIES_H
#define TEXT_ENTITIES_H

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

/* A quote inside of a value, in memory: only the files of some branches can have one
 * (bsp_format.escapes), as \". It is a character that no text has. */
#define ENTITY_QUOTE '\x02'
/* Makes \" in a text to such quotes, in place; returns its length. Other escapes stay as they are:
 * the files have them in this form, too. */
size_t entity_quotes_join(char *text, size_t length);

struct key_value {
    const char *key, *value;
};

struct entity_reads;

struct entity {
    struct key_value *pairs;    /* stb_ds array; keys may repeat (outputs do) */
    struct entity_reads *reads; /* notes what is asked of it; or NULL */
};

struct entity_list {
    struct entity *entities; /* stb_ds array; the first is worldspawn */
    struct arena arena;      /* the strings */
};

NODISCARD enum status entities_parse(const char *text, size_t size, const char *name,
                                     struct diag *diag, struct entity_list *out);
/* Those of the source of a map for Quake 3, without their brushes and patches. */
NODISCARD enum status entities_parse_map(const char *text, size_t size, const char *name,
                                         struct diag *diag, struct entity_list *out);
/* Writes "{\n"key" "value"\n}\n" for each; no final NUL. */
void entities_format(const struct entity_list *list, struct bytes *out);
void entities_free(struct entity_list *list);

/* Keys are compared without regard to case; "" when absent. */
const char *entity_value(const struct entity *entity, const char *key);
bool entity_has(const struct entity *entity, const char *key);
/* Larger numbers do not count as numbers: products of a few would be beyond single precision. */
#define ENTITY_NUMBER_MAX 1e15
double entity_number(const struct entity *entity, const char *key, double otherwise);
/* Parses three numbers; returns false (and leaves *out unchanged) when there are not three,
 * each at most ENTITY_NUMBER_MAX. */
bool entity_vector(const struct entity *entity, const char *key, struct vec3 *out);
bool entity_is(const struct entity *entity, const char *classname);
/* Replaces the first pair with that key, or appends one. Strings are copied to the arena. */
void entity_set(struct entity *entity, struct arena *arena, const char *key, const char *value);
void entity_remove(struct entity *entity, const char *key);
/* Removes all pairs with that key but the first. */
void entity_keep_first(struct entity *entity, const char *key);

#endif
