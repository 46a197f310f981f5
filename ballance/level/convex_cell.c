#include "ballance/level/convex_cell.h"

#include "common/core/array.h"

enum { LEAST_SIDES = 4 };

struct drawn_plane drawn_plane_flip(const struct drawn_plane *drawn)
{
    return (struct drawn_plane){.plane = plane_flip(&drawn->plane),
                                .points = {drawn->points[2], drawn->points[1], drawn->points[0]}};
}

static struct drawn_plane axial_plane(const struct bounds *bounds, int axis, bool up)
{
    struct drawn_plane drawn = {0};
    struct vec3 corner = up ? bounds->maxs : bounds->mins,
                size = vec3_sub(bounds->maxs, bounds->mins);
    int x = (axis + 1) % 3, y = (axis + 2) % 3;
    for (int i = 0; i < 3; i++)
        drawn.points[i] = corner;
    drawn.points[up ? 2 : 0].e[x] += size.e[x] + 1;
    drawn.points[up ? 0 : 2].e[y] += size.e[y] + 1;
    (void)plane_from_points(drawn.points[0], drawn.points[1], drawn.points[2], &drawn.plane);
    if ((drawn.plane.normal.e[axis] > 0) != up)
        drawn = drawn_plane_flip(&drawn);
    return drawn;
}

/* The sides of a box are cut out of each other's planes. */
void cell_box(const struct bounds *bounds, struct arena *arena, struct convex_cell *out)
{
    struct plane planes[6];
    struct cell_side sides[6];
    *out = (struct convex_cell){0};
    for (int i = 0; i < 6; i++) {
        sides[i].drawn = axial_plane(bounds, i / 2, i % 2 == 1);
        planes[i] = sides[i].drawn.plane;
    }
    for (size_t i = 0; i < 6; i++) {
        sides[i].winding = winding_of_side(arena, planes, 6, i, CELL_EPSILON);
        if (sides[i].winding)
            arrput(out->sides, sides[i]);
    }
}

void cell_free(struct convex_cell *cell)
{
    arrfree(cell->sides);
}

/* The new side of a part: the plane within the others. */
static void close_part(struct convex_cell *part, const struct drawn_plane *by, struct arena *arena)
{
    struct winding *winding = winding_from_plane(arena, &by->plane);
    for (size_t i = 0; i < arrlenu(part->sides) && winding; i++)
        winding = winding_clip_behind(arena, winding, &part->sides[i].drawn.plane, CELL_EPSILON);
    if (winding)
        arrput(part->sides, ((struct cell_side){*by, winding}));
    if (arrlen(part->sides) < LEAST_SIDES)
        arrsetlen(part->sides, 0);
}

static bool lies_on(const struct winding *winding, const struct plane *plane)
{
    return winding_classify(winding, plane, CELL_EPSILON) == WINDING_ON;
}

void cell_cut(const struct convex_cell *cell, const struct drawn_plane *by, struct arena *arena,
              struct convex_cell *front, struct convex_cell *back)
{
    struct convex_cell parts[2] = {{0}, {0}};
    for (size_t i = 0; i < arrlenu(cell->sides); i++) {
        struct cell_side side = cell->sides[i];
        struct winding *halves[2] = {NULL, NULL};
        if (lies_on(side.winding, &by->plane))
            halves[vec3_dot(side.drawn.plane.normal, by->plane.normal) > 0] = side.winding;
        else
            winding_clip(arena, side.winding, &by->plane, CELL_EPSILON, &halves[0], &halves[1]);
        for (int k = 0; k < 2; k++) {
            side.winding = halves[k];
            if (halves[k])
                arrput(parts[k].sides, side);
        }
    }
    /* A part that is the whole has its sides already. */
    const struct drawn_plane turned = drawn_plane_flip(by);
    bool cuts = arrlen(parts[0].sides) > 1 && arrlen(parts[1].sides) > 1;
    if (cuts) {
        close_part(&parts[0], &turned, arena);
        close_part(&parts[1], by, arena);
    }
    for (int k = 0; k < 2; k++)
        if (!cuts && arrlen(parts[k].sides) < LEAST_SIDES)
            arrsetlen(parts[k].sides, 0);
    struct convex_cell *outs[2] = {front, back};
    for (int k = 0; k < 2; k++)
        if (outs[k])
            *outs[k] = parts[k];
        else
            arrfree(parts[k].sides);
}

struct vec3 cell_middle(const struct convex_cell *cell)
{
    struct vec3 sum = vec3(0, 0, 0);
    double count = 0;
    for (size_t i = 0; i < arrlenu(cell->sides); i++)
        for (int k = 0; k < cell->sides[i].winding->count; k++) {
            sum = vec3_add(sum, cell->sides[i].winding->points[k]);
            count++;
        }
    return count > 0 ? vec3_scale(sum, 1 / count) : sum;
}

double cell_volume(const struct convex_cell *cell)
{
    struct vec3 middle = cell_middle(cell);
    double volume = 0;
    for (size_t i = 0; i < arrlenu(cell->sides); i++) {
        const struct cell_side *side = &cell->sides[i];
        volume += winding_area(side->winding) * -plane_distance(&side->drawn.plane, middle) / 3;
    }
    return volume;
}
