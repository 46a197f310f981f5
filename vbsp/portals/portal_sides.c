/* The sides of map brushes at a portal.
 *
 * A leaf holds several fragments when they overlap, when one is a sliver that no plane split off,
 * or when what separates them cannot be seen. Each has its own side on the portal's plane, and that
 * side may cover the portal, a part of it, or only touch it. */
#include <stdlib.h>

#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "vbsp/portals/portals.h"

/* A side on the portal's plane, with the sides of its fragment, whose planes bound it. */
struct cover {
    const struct brush_side *side; /* of the map brush */
    const struct brush_side *around;
    int count;
    double area; /* of the portal that it covers */
    int order;   /* in which it was found */
};

struct side_search {
    const struct plane *planes;
    const struct portal *portal;
    const struct node *leaf; /* the one with the contents that the other lacks; NULL: neither */
    int contents;            /* their visible bit */
    int plane;               /* of the sides that face the other leaf */
    struct arena scratch;
    struct cover *covers; /* stb_ds array */
};

static void search_begin(struct side_search *search, const struct compile *compile,
                         const struct portal *portal)
{
    *search = (struct side_search){.planes = compile->planes.planes, .portal = portal};
    int difference = portal->nodes[0]->contents ^ portal->nodes[1]->contents;
    search->contents = contents_visible(difference);
    for (int i = 0; i < 2; i++) {
        if (!(portal->nodes[i]->contents & search->contents))
            continue;
        search->leaf = portal->nodes[i];
        search->plane = portal->plane ^ (i == 0);
    }
}

static void search_end(struct side_search *search)
{
    arrfree(search->covers);
    arena_free(&search->scratch);
}

static const struct brush *next_fragment(const struct side_search *search,
                                         const struct brush *fragment)
{
    while (fragment && !(fragment->original->contents & search->contents))
        fragment = fragment->next;
    return fragment;
}

static const struct brush *first_fragment(const struct side_search *search)
{
    return search->leaf ? next_fragment(search, search->leaf->brushes) : NULL;
}

static bool may_be_drawn(const struct brush_side *side)
{
    return !side->bevel && side->texinfo != TEXINFO_NODE && side->winding;
}

static void list_covers(struct side_search *search, const struct brush_side *sides, int count)
{
    for (int i = 0; i < count; i++) {
        if (sides[i].plane != search->plane || !may_be_drawn(&sides[i]))
            continue;
        struct cover cover = {sides[i].original, sides, count, 0, (int)arrlen(search->covers)};
        arrput(search->covers, cover);
        return;
    }
}

/* The part of the winding behind all planes around the side. */
static struct winding *part_within(struct side_search *search, struct winding *winding,
                                   const struct cover *cover)
{
    for (int i = 0; i < cover->count && winding; i++) {
        const struct brush_side *side = &cover->around[i];
        if (!side->bevel && (side->plane | 1) != (search->plane | 1))
            winding = winding_clip_behind(&search->scratch, winding, &search->planes[side->plane],
                                          EPSILON_NOISE);
    }
    return winding;
}

static int compare_covers(const void *a, const void *b)
{
    const struct cover *x = a, *y = b;
    if (x->area < y->area || x->area > y->area)
        return x->area > y->area ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Sorts the covers by the area that they cover and removes those that only touch the portal. */
static void rank_covers(struct side_search *search)
{
    int kept = 0;
    for (int i = 0; i < (int)arrlen(search->covers); i++) {
        struct cover cover = search->covers[i];
        struct winding *part = part_within(search, search->portal->winding, &cover);
        if (!part)
            continue;
        cover.area = winding_area(part);
        search->covers[kept++] = cover;
    }
    arrsetlen(search->covers, (size_t)kept);
    if (kept > 1)
        qsort(search->covers, (size_t)kept, sizeof *search->covers, compare_covers);
}

/* A lone fragment needs no measuring. What is cut off of a fragment is lost where it is too small,
 * so that its whole brush may be needed. */
static void find_covers(struct side_search *search)
{
    for (int whole = 0; whole < 2 && !arrlenu(search->covers); whole++) {
        int fragments = 0;
        for (const struct brush *fragment = first_fragment(search); fragment;
             fragment = next_fragment(search, fragment->next)) {
            const struct map_brush *brush = fragment->original;
            if (whole)
                list_covers(search, brush->sides, brush->side_count);
            else
                list_covers(search, fragment->sides, fragment->side_count);
            fragments++;
        }
        if (fragments > 1)
            rank_covers(search);
    }
}

/* For a portal on the plane of a neighbouring brush. */
static const struct brush_side *closest_side(const struct side_search *search)
{
    const struct brush_side *found = NULL;
    struct vec3 normal = search->planes[search->plane].normal;
    double best = 0;
    for (const struct brush *fragment = first_fragment(search); fragment;
         fragment = next_fragment(search, fragment->next)) {
        const struct map_brush *brush = fragment->original;
        for (int i = 0; i < brush->side_count; i++) {
            const struct brush_side *side = &brush->sides[i];
            double alike = vec3_dot(search->planes[side->plane].normal, normal);
            if (!may_be_drawn(side) || !(alike > best))
                continue;
            best = alike;
            found = side;
        }
    }
    return found;
}

static void search_side(struct side_search *search, struct portal *portal)
{
    find_covers(search);
    portal->side_searched = true;
    portal->side = arrlenu(search->covers) ? search->covers[0].side : closest_side(search);
}

void portal_find_side(const struct compile *compile, struct portal *portal)
{
    struct side_search search;
    search_begin(&search, compile, portal);
    search_side(&search, portal);
    search_end(&search);
}

static bool drawn_alike(const struct brush_side *a, const struct brush_side *b)
{
    return a->texinfo == b->texinfo && a->flags == b->flags && a->overlays == b->overlays &&
           (!a->map_side || !b->map_side ||
            a->map_side->smoothing_groups == b->map_side->smoothing_groups);
}

static bool all_drawn_alike(const struct cover *covers)
{
    for (size_t i = 1; i < arrlenu(covers); i++)
        if (!drawn_alike(covers[0].side, covers[i].side))
            return false;
    return true;
}

static bool is_significant(const struct winding *winding)
{
    return winding && winding_count_edges(winding, EPSILON_WELD) >= 3;
}

/* Cuts the part of the winding that the side covers out of it. The parts around it are appended to
 * the array; a cut that leaves nothing significant on one side is not made. NULL: not covered. */
static struct winding *cut_out(const struct side_search *search, struct arena *arena,
                               struct winding *winding, const struct cover *cover,
                               struct winding ***around)
{
    for (int i = 0; i < cover->count; i++) {
        const struct brush_side *side = &cover->around[i];
        if (side->bevel || (side->plane | 1) == (search->plane | 1))
            continue;
        struct winding *front, *back;
        const struct plane *plane = &search->planes[side->plane];
        winding_clip(arena, winding, plane, EPSILON_SPLIT, &front, &back);
        if (!is_significant(front))
            continue;
        if (!is_significant(back))
            return NULL;
        arrput(*around, front);
        winding = back;
    }
    return winding;
}

static void divide(struct side_search *search, struct arena *arena, struct portal_part **parts)
{
    struct winding **left = NULL, **around = NULL;
    arrput(left, search->portal->winding);
    for (size_t i = 0; i < arrlenu(search->covers); i++) {
        const struct cover *cover = &search->covers[i];
        struct winding **rest = NULL;
        for (size_t k = 0; k < arrlenu(left); k++) {
            arrsetlen(around, 0);
            struct winding *covered = cut_out(search, arena, left[k], cover, &around);
            if (!covered) {
                arrput(rest, left[k]);
                continue;
            }
            struct portal_part part = {cover->side, covered};
            arrput(*parts, part);
            for (size_t n = 0; n < arrlenu(around); n++)
                arrput(rest, around[n]);
        }
        arrfree(left);
        left = rest;
    }
    for (size_t k = 0; k < arrlenu(left); k++) {
        struct portal_part part = {search->covers[0].side, left[k]};
        arrput(*parts, part);
    }
    arrfree(left);
    arrfree(around);
}

void portal_find_parts(const struct compile *compile, struct arena *arena, struct portal *portal,
                       struct portal_part **parts)
{
    struct side_search search;
    arrsetlen(*parts, 0);
    search_begin(&search, compile, portal);
    search_side(&search, portal);
    if (arrlenu(search.covers) > 1 && !all_drawn_alike(search.covers)) {
        divide(&search, arena, parts);
    } else if (portal->side) {
        struct portal_part whole = {portal->side, portal->winding};
        arrput(*parts, whole);
    }
    search_end(&search);
}
