/* Views of a map: as text, and those that a map has for its players. */
#ifndef SCENE_VIEWS_SCENE_VIEW_H
#define SCENE_VIEWS_SCENE_VIEW_H

#include "scene/scene.h"

struct scene_view {
    struct vec3 eye, angles; /* pitch (down is positive), yaw, roll in degrees */
    double span;  /* > 0: a parallel projection, this many units wide, of what is before the eye */
    bool outside; /* the map is seen from outside: grey around it instead of sky */
};

/* Parses "x y z", with pitch and yaw, or with pitch, yaw and roll; also the output of the game's
 * getpos: "setpos x y z;setang pitch yaw roll". Returns false for anything else. */
bool scene_view_read(const char *text, struct scene_view *out);

/* The view that a map has for the end of a game (info_player_intermission); else that of a player
 * at the first spawn point that is in the open, turned to where it sees most if a wall is before
 * it. Without one the place and direction that see most. Returns false when nothing is seen from
 * anywhere. */
bool scene_start_view(const struct map_scene *scene, struct scene_view *out);

/* The views of all spawn points that are in the open, in the order of the map, turned in the same
 * way: an stb_ds array. */
struct scene_view *scene_spawn_views(const struct map_scene *scene);

/* True inside of walls, and outside of a sealed map. */
bool scene_is_solid_at(const struct map_scene *scene, struct vec3 point);

#endif
