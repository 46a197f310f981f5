/* Variables of the environment. */
#ifndef CORE_ENVIRONMENT_H
#define CORE_ENVIRONMENT_H

struct arena;

/* Returns the value of a variable that is a path or a text for people, in UTF-8, or NULL. It lives
 * as long as the arena. To be called before there are threads. */
const char *environment_text(struct arena *arena, const char *name);

/* For programs that this one starts. To be called before there are threads. */
void environment_set(const char *name, const char *value);

#endif
