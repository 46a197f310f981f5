/* Sentences about what has changed. */
#ifndef REPORT_SECTIONS_CHANGE_WORDS_H
#define REPORT_SECTIONS_CHANGE_WORDS_H

#include "report/sections/sections.h"

/* Appends a list: how many objects more or fewer there are, entities, materials, and light by its
 * places. */
void report_put_change_words(const struct report_page *page);

/* Appends "20 % darker", "1.5 times as bright" or the like, of a light that was `then`. */
void report_put_brightness(struct bytes *out, double then, double now);

#endif
