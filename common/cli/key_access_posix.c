#include "common/cli/key_access.h"

#include <stdio.h>
#include <sys/stat.h>

bool key_access_of_others(const char *path, char text[KEY_ACCESS_TEXT])
{
    struct stat info;
    if (stat(path, &info) != 0 || !(info.st_mode & (S_IRGRP | S_IROTH)))
        return false;
    (void)snprintf(text, KEY_ACCESS_TEXT, "mode %03o", (unsigned)info.st_mode & 0777);
    return true;
}
