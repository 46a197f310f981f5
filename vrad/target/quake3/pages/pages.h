/* Luxels -> pages of light as bytes, in the file and as images beside it. */
#ifndef VRAD_QUAKE3_PAGES_PAGES_H
#define VRAD_QUAKE3_PAGES_PAGES_H

#include "vrad/target/quake3/receivers/receivers.h"

enum { PAGE_SIDE = 128 }; /* of pages in the file */

/* --- pages.c --- */

/* What of the bytes' tone the options say. */
struct tone {
    double scale, gamma, after;
};
struct tone quake3_tone(const struct vrad_options *options);
/* Of pages outside: as bright as the engine makes those in the file. */
struct tone quake3_tone_external(const struct vrad_options *options);
/* Light, 255 being white, as a byte per channel: what is brighter keeps its hue. */
void quake3_bytes(const struct tone *tone, const float light[3], uint8_t out[3]);

/* Colours of receivers, then pages, and where the surfaces have theirs. */
void quake3_store_luxels(struct quake3_light *q);

/* --- external_pages.c: pages outside of the file --- */

/* Finds out whether there are any, and how large pages are. */
NODISCARD enum status quake3_open_external(struct quake3_light *q);
/* The page that holds light of a style; made when it is not there. */
uint8_t *quake3_external_page(struct quake3_light *q, int page, int style);
/* The shader that shows what `from` does, with the light of `page` and styles (style_count without
 * style 0) from outside pages. -1 when `from` has no light to be put in the place of. */
int quake3_external_shader(struct quake3_light *q, int from, int page, const uint8_t *styles,
                           int style_count);
/* Writes pages and script beside the map, if there are any. */
NODISCARD enum status quake3_write_external(struct quake3_light *q);
void quake3_free_external(struct quake3_light *q);

/* external_shader.c: appends the text of a shader of the given name that shows what `from` does.
 * `light` NULL: the page is in the file; else its image. One image and `rgbGen` argument for each
 * style. False, and nothing is appended, when its script does not allow that. */
bool quake3_external_shader_text(struct quake3_light *q, const struct bsp_shader *from,
                                 const char *name, const char *light, const char *const *styles,
                                 const char *const *waves, int style_count, struct bytes *out);

/* --- styles.c --- */

/* Which of the styles of a receiver's luxels, by their place in its list, light it to be seen. */
int quake3_styles_of(const struct quake3_light *q, int receiver, int numbers[BSP_FACE_STYLES]);
/* Puts them into pages, once receivers have their places. */
void quake3_store_styles(struct quake3_light *q);
/* Gives a surface that has its page the shader that shows what of it lies outside of the file. */
void quake3_show_external(struct quake3_light *q, int surface);

/* --- deluxe.c --- */

/* Tells in the keys of the world whether there are pages of directions; rewrites the entities. */
void quake3_note_deluxe(struct quake3_light *q);
/* Where light comes from at each luxel of a receiver that is bumped, 3 bytes per luxel: 127.5 is 0,
 * 255 is 1, along the axes of the map. */
void quake3_directions(const struct quake3_light *q, int receiver, uint8_t *out);

#endif
