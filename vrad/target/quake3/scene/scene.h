/* Lights and occluders of a Quake 3 map. */
#ifndef VRAD_QUAKE3_SCENE_SCENE_H
#define VRAD_QUAKE3_SCENE_SCENE_H

#include "vrad/target/quake3/receivers/receivers.h"

/* occluders.c: surfaces and brushes -> the scene for rays. */
NODISCARD enum status quake3_build_scene(struct quake3_light *q);

/* entity_lights.c: adds the lights of entities light and lightJunior, to the lists of luxels and of
 * the light grid, by their keys. */
void quake3_add_entity_lights(struct quake3_light *q);

/* skies.c: adds suns and skies of shaders. */
void quake3_add_skies(struct quake3_light *q);
/* Finds the clusters that suns of one sky alone reach; after lights_place. */
void quake3_place_suns(struct quake3_light *q);

/* sources.c: entities, emissive surfaces, suns and skies -> lights; after the layout of luxels. */
void quake3_find_lights(struct quake3_light *q);
/* The radiosity of an emissive surface, of 255. */
struct vec3 quake3_emission(const struct quake3_light *q, const struct quake3_material *material);
/* Replaces the lights of luxels and vertices by those of the light grid. */
void quake3_use_grid_lights(struct quake3_light *q);

/* emissive_pieces.c: the mean area, by light, of the pieces in which the light of emissive surfaces
 * of one shader ends: their triangles, cut by q3map_lightSubdivide. */
double quake3_cut_area(const struct quake3_light *q, const int *surfaces, int count);

/* --- emissive_pieces.c: cuts emissive surfaces into pieces --- */

struct emissive_piece {
    struct vec3 center;  /* on the surface */
    struct vec3 normal;  /* unit, the mean of its luxels' */
    struct vec3 side[2]; /* half the sides of its parallelogram; zeros: curved pieces, and those
                            with a hole in their middle */
    double area;         /* of the visible part, map units squared */
};

/* Cuts a lit face into even blocks of about `step` x `step` luxels, smaller where it is curved so
 * that their normals differ by less than 50 degrees. Hidden blocks are skipped. Appends to the
 * stb_ds array. */
void emissive_pieces(const struct face_light *face, int step, struct emissive_piece **out);

/* --- emissive_pieces.c: the same of triangles --- */

struct emissive_triangle {
    struct vec3 p[3], normal;
    double area;
};

/* Appends the triangles of a surface to the stb_ds array. Returns their area. */
double emissive_triangles(const struct quake3_light *q, int number, struct emissive_triangle **out);

/* Cuts flat surfaces into pieces of about that size; other triangles are a piece each. Appends to
 * the stb_ds array. */
void emissive_mesh_pieces(const struct emissive_triangle *triangles, double size,
                          struct emissive_piece **out);

#endif
