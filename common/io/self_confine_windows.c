/* A process gives up rights, as far as Windows lets it without an administrator. Nothing there
 * limits the files of a process that already runs: a low integrity level would keep it from its own
 * outputs, and an AppContainer is for a process that is started in it. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <windows.h>

#include "common/core/memory.h"
#include "common/core/wide.h"
#include "common/io/self_confine.h"

/* Of newer systems than the headers may be. */
enum {
    CHILD_PROCESS_POLICY = 13,
    DYNAMIC_CODE_POLICY = 2,
    EXTENSION_POLICY = 6,
    IMAGE_POLICY = 10
};

typedef BOOL WINAPI set_policy(int policy, void *flags, SIZE_T size);

/* Another process counts as one too many; nor can this one touch the clipboard, the desktop or
 * other programs' windows. */
static int enter_job(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
        .BasicLimitInformation = {.LimitFlags = JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
                                                JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
                                  .ActiveProcessLimit = 1}};
    JOBOBJECT_BASIC_UI_RESTRICTIONS windows = {
        JOB_OBJECT_UILIMIT_DESKTOP | JOB_OBJECT_UILIMIT_DISPLAYSETTINGS |
        JOB_OBJECT_UILIMIT_EXITWINDOWS | JOB_OBJECT_UILIMIT_GLOBALATOMS |
        JOB_OBJECT_UILIMIT_HANDLES | JOB_OBJECT_UILIMIT_READCLIPBOARD |
        JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS | JOB_OBJECT_UILIMIT_WRITECLIPBOARD};
    HANDLE job = CreateJobObjectW(NULL, NULL);
    if (!job)
        return windows_last_error();
    (void)SetInformationJobObject(job, JobObjectBasicUIRestrictions, &windows, sizeof windows);
    int error = 0;
    if (!SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) ||
        !AssignProcessToJobObject(job, GetCurrentProcess()))
        error = windows_last_error();
    CloseHandle(job);
    return error;
}

/* Those that the system does not know are left out, as long as it knows one. */
static bool set_policies(void)
{
    static const struct {
        int policy;
        DWORD flags;
    } all[] = {
        {CHILD_PROCESS_POLICY, 1}, /* no other programs */
        {DYNAMIC_CODE_POLICY, 1},  /* no code but that of files */
        {EXTENSION_POLICY, 1},     /* no libraries that others put into each process */
        {IMAGE_POLICY, 3},         /* none of other computers, or that low processes wrote */
    };
    HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    FARPROC found = kernel ? GetProcAddress(kernel, "SetProcessMitigationPolicy") : NULL;
    set_policy *set = (set_policy *)(void *)found;
    bool done = false;
    for (size_t i = 0; set && i < sizeof all / sizeof *all; i++) {
        DWORD flags = all[i].flags;
        done |= set(all[i].policy, &flags, sizeof flags) != 0;
    }
    return done;
}

/* A right that is removed cannot be taken again. */
static int drop_rights(void)
{
    HANDLE token;
    DWORD size = 0;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY | TOKEN_ADJUST_PRIVILEGES, &token))
        return windows_last_error();
    (void)GetTokenInformation(token, TokenPrivileges, NULL, 0, &size);
    TOKEN_PRIVILEGES *rights = memory_zalloc(1, size + sizeof *rights);
    int error = 0;
    if (GetTokenInformation(token, TokenPrivileges, rights, size, &size)) {
        for (DWORD i = 0; i < rights->PrivilegeCount; i++)
            rights->Privileges[i].Attributes = SE_PRIVILEGE_REMOVED;
        if (!AdjustTokenPrivileges(token, FALSE, rights, 0, NULL, NULL))
            error = windows_last_error();
    } else {
        error = windows_last_error();
    }
    memory_free(rights);
    CloseHandle(token);
    return error;
}

void self_confine(const struct fs_roots *roots, struct confine_layer out[CONFINE_LAYERS])
{
    (void)roots;
    out[0] = (struct confine_layer){.name = "limits of files",
                                    .error = ENOSYS,
                                    .loss = "only the program itself limits its files, and nothing "
                                            "keeps it from using the network"};
    int job = enter_job(), rights = drop_rights();
    bool has_policies = set_policies();
    out[1] = (struct confine_layer){.name = "job, no rights",
                                    .error = job ? job : rights,
                                    .loss = "the system does not keep it from starting programs"};
    if (has_policies)
        strcpy(out[1].name, "job, no rights, policies");
}
