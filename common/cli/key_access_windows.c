#include "common/cli/key_access.h"

#include <stdio.h>
#include <windows.h>

#include <aclapi.h>

#include "common/core/memory.h"
#include "common/core/wide.h"

/* True if the list grants reading to all that belong to this well-known group. */
static bool grants(PACL list, WELL_KNOWN_SID_TYPE group)
{
    BYTE name[SECURITY_MAX_SID_SIZE];
    DWORD size = sizeof name;
    TRUSTEEW who;
    ACCESS_MASK rights = 0;
    if (!CreateWellKnownSid(group, NULL, name, &size))
        return false;
    BuildTrusteeWithSidW(&who, name);
    return GetEffectiveRightsFromAclW(list, &who, &rights) == ERROR_SUCCESS &&
           (rights & FILE_READ_DATA);
}

bool key_access_of_others(const char *path, char text[KEY_ACCESS_TEXT])
{
    PSECURITY_DESCRIPTOR all = NULL;
    PACL list = NULL;
    wchar_t *wide;
    bool may_read = false;
    if (wide_path(path, &wide) == 0 &&
        GetNamedSecurityInfoW(wide, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, NULL, NULL, &list,
                              NULL, &all) == ERROR_SUCCESS)
        may_read = !list || grants(list, WinWorldSid) || grants(list, WinBuiltinUsersSid) ||
                   grants(list, WinAuthenticatedUserSid);
    LocalFree(all);
    memory_free(wide);
    if (may_read)
        (void)snprintf(text, KEY_ACCESS_TEXT, "all users may read it");
    return may_read;
}
