#include "vbsp/target/source/faces/vertex_grid.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/random.h"

/* Size of the cells that corners are hashed by, and their offset from the editor grid, so that
 * hardly any corner is close to two of them. */
#define CELL_SIZE  16.0
#define CELL_SHIFT 5.4

enum { FIRST_SLOTS = 16 }; /* a power of two, as are all later sizes */

static int64_t cell_of(double coordinate)
{
    return (int64_t)floor((coordinate + CELL_SHIFT) / CELL_SIZE);
}

/* 21 bits per coordinate: far more than the world has cells. */
static uint64_t cell_key(const int64_t cell[3])
{
    uint64_t key = 0;
    for (int i = 0; i < 3; i++)
        key = key << 21 | ((uint64_t)cell[i] & 0x1fffff);
    return key;
}

static int *slot_of(struct vertex_grid *index, uint64_t cell)
{
    return &index->slots[(size_t)hash_u64(cell) & (arrlenu(index->slots) - 1)];
}

static void link_corner(struct vertex_grid *index, int corner)
{
    int *slot = slot_of(index, index->cells[corner]);
    index->corners[corner].next = *slot;
    *slot = corner;
}

/* Keeps at least one slot per corner. */
static void grow(struct vertex_grid *index)
{
    size_t slots = arrlenu(index->slots) ? 2 * arrlenu(index->slots) : FIRST_SLOTS;
    arrsetlen(index->slots, slots);
    for (size_t i = 0; i < slots; i++)
        index->slots[i] = -1;
    for (int i = 0; i < (int)arrlen(index->corners); i++)
        if (!index->gone[index->corners[i].number])
            link_corner(index, i);
}

void vertex_grid_add(struct vertex_grid *index, const struct winding *winding)
{
    int number = (int)arrlen(index->gone);
    arrput(index->gone, false);
    for (int i = 0; i < winding->count; i++) {
        if (arrlenu(index->corners) >= arrlenu(index->slots))
            grow(index);
        int64_t cell[3];
        for (int k = 0; k < 3; k++)
            cell[k] = cell_of(winding->points[i].e[k]);
        struct indexed_corner corner = {number, -1};
        arrput(index->corners, corner);
        arrput(index->cells, cell_key(cell));
        link_corner(index, (int)arrlen(index->corners) - 1);
    }
}

void vertex_grid_remove(struct vertex_grid *index, int number)
{
    index->gone[number] = true;
}

/* Removes deleted corners from the chain: chains of merged faces would pile up at their first
 * corner. */
static void search_cell(struct vertex_grid *index, uint64_t cell)
{
    for (int *link = slot_of(index, cell); *link >= 0;) {
        const struct indexed_corner *corner = &index->corners[*link];
        if (index->gone[corner->number]) {
            *link = corner->next;
            continue;
        }
        if (index->cells[*link] == cell)
            arrput(index->near, corner->number);
        link = &index->corners[*link].next;
    }
}

static void search_around(struct vertex_grid *index, struct vec3 point, double reach)
{
    int64_t low[3], high[3], cell[3];
    for (int i = 0; i < 3; i++) {
        low[i] = cell_of(point.e[i] - reach);
        high[i] = cell_of(point.e[i] + reach);
    }
    for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
                search_cell(index, cell_key(cell));
}

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

const int *vertex_grid_near(struct vertex_grid *index, const struct winding *winding, double reach)
{
    arrsetlen(index->near, 0);
    if (!arrlenu(index->slots))
        return index->near;
    for (int i = 0; i < winding->count; i++)
        search_around(index, winding->points[i], reach);
    size_t count = arrlenu(index->near), kept = 0;
    if (count > 1)
        qsort(index->near, count, sizeof *index->near, compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (!i || index->near[i] != index->near[kept - 1])
            index->near[kept++] = index->near[i];
    arrsetlen(index->near, kept);
    return index->near;
}

void vertex_grid_free(struct vertex_grid *index)
{
    arrfree(index->corners);
    arrfree(index->cells);
    arrfree(index->slots);
    arrfree(index->gone);
    arrfree(index->near);
}
