#include "common/cli/bar.h"

#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 20, BAR_WIDTH = 24, MIN_BAR_WIDTH = 8 };

void bar_line(char line[BAR_LINE + 1], int room, const char *name, double part, const char *left)
{
    const int indent = 2, number = (int)strlen(" 100 %"), frame = (int)strlen(" []");
    room = room > BAR_LINE ? BAR_LINE : room < 0 ? 0 : room;
    const size_t size = (size_t)room + 1;
    int fixed = indent + NAME_WIDTH + frame + number;
    if (part < 0) {
        snprintf(line, size, "  %s", name);
        return;
    }
    if (fixed + MIN_BAR_WIDTH > room) {
        int name_room = room - indent - number;
        name_room = name_room < 0 ? 0 : name_room > NAME_WIDTH ? NAME_WIDTH : name_room;
        snprintf(line, size, "  %-*.*s %3.0f %%", name_room, name_room, name, 100 * part);
        return;
    }
    if (fixed + MIN_BAR_WIDTH + (int)strlen(left) > room)
        left = "";
    int width = room - fixed - (int)strlen(left);
    width = width > BAR_WIDTH ? BAR_WIDTH : width;
    char bar[BAR_WIDTH + 1] = "";
    for (int i = 0; i < width; i++)
        bar[i] = i < (int)(part * (double)width) ? '#' : '.';
    snprintf(line, size, "  %-*.*s [%.*s] %3.0f %%%s", NAME_WIDTH, NAME_WIDTH, name, width, bar,
             100 * part, left);
}
