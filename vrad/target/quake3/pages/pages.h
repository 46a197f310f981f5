/* Lightmap pages, in the file and external. */
#ifndef VRAD_QUAKE3_PAGES_PAGES_H
#define VRAD_QUAKE3_PAGES_PAGES_H

#include "vrad/target/quake3/receivers/receivers.h"

/* --- tone.c --- */

/* Conversion of light to bytes, from the options: in the order of the fields. */
struct tone {
    double scale, gamma;
    bool shaped;     /* by what follows */
    double exposure; /* as in struct quake3_options */
    double brightness, contrast, saturation;
    double share; /* that compensation leaves */
    bool srgb;
    double after; /* overbright factor; what is brighter than white then keeps its hue */
    double limit; /* as white, of 255 before that factor */
};
struct tone quake3_tone(const struct vrad_options *options);
/* Of vertices and the light grid, which -brightness does not change. */
struct tone quake3_tone_points(const struct quake3_light *q);
/* For external pages, which include the engine's overbright factor. */
struct tone quake3_tone_external(const struct vrad_options *options);
/* For the luxels of a receiver: with the brightness and gamma of its shader. */
struct tone quake3_tone_of(const struct quake3_light *q, const struct receiver *receiver,
                           const struct tone *tone);
/* Encodes light, 255 being white, as one byte per channel: brighter light keeps its hue. */
void quake3_bytes(const struct tone *tone, const float light[3], uint8_t out[3]);

/* --- pages.c --- */

/* Computes the colours of receivers, packs them into pages, and sets the lightmap coordinates of
 * the surfaces. */
void quake3_store_luxels(struct quake3_light *q);

/* The texels of a page in the file, which is added if needed: of light, and behind them those of
 * directions. */
uint8_t *quake3_page_in_file(struct quake3_light *q, int page);
/* Pages in the file per page of light. */
int quake3_pages_each(const struct quake3_light *q);

/* Blurs the colours of a receiver as far as its shader (q3map_lightmapFilterRadius) or the options
 * ask for it, and darkens its edges if these do. `colours`: 3 per luxel. */
void quake3_filter_luxels(const struct quake3_light *q, int receiver, float *colours);

/* --- external_pages.c: external lightmaps --- */

/* Checks the options, and decides whether pages are external and how large they are. */
NODISCARD enum status quake3_open_external(struct quake3_light *q);
enum { EXTERNAL_DIRECTIONS = -1 }; /* in the place of a style: a deluxemap */

/* The external page of a style; added if needed. Images are numbered in that order, and games that
 * know deluxemaps expect each behind its page of light. */
uint8_t *quake3_external_page(struct quake3_light *q, int page, int style);
/* Returns the number of a copy of shader `from` that shows `page` and styles (style_count without
 * style 0) from external pages, or -1 when `from` has no lightmap to replace. */
int quake3_external_shader(struct quake3_light *q, int from, int page, const uint8_t *styles,
                           int style_count);
/* Writes pages and script beside the map, if there are any. */
NODISCARD enum status quake3_write_external(struct quake3_light *q);
void quake3_free_external(struct quake3_light *q);

/* --- styles.c --- */

/* True when the BSP has light of styles in its own pages. */
bool quake3_has_styles(const struct quake3_light *q);

/* Lists the styles of a receiver's luxels, by index, that are visibly bright; returns the count. */
int quake3_styles_of(const struct quake3_light *q, int receiver, int numbers[BSP_FACE_STYLES]);
/* Stores them after packing, in pages of the file or external ones. */
void quake3_store_styles(struct quake3_light *q);
/* Sets a shader with external lightmaps, or the pages of styles, on a surface that has a page. */
void quake3_show_styles(struct quake3_light *q, int surface);
/* The colours of a style of a receiver's luxels, by its index; 3 floats per luxel; from
 * memory_alloc, owned by the caller. */
float *quake3_style_colours(const struct quake3_light *q, int receiver, int style);

/* --- deluxe.c --- */

/* Sets the worldspawn key for deluxemaps. */
void quake3_note_deluxe(struct quake3_light *q);
/* Light directions at the luxels of a bumped receiver, 3 bytes per luxel: 127.5 is 0, 255 is 1,
 * along the axes of the map or, with mode 1, along the texture's two axes and the normal. */
void quake3_directions(const struct quake3_light *q, int receiver, uint8_t *out);

#endif
