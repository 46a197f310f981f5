/* A child's output comes by named pipes, for anonymous ones cannot be waited for: reads complete in
 * calls of children_wait and child_read, by the thread that makes them. */
#include "brushwork/many/child.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/status.h"
#include "common/core/wide.h"

enum { PART = 1 << 16, PATH_LENGTH = 1 << 15, COMMAND_MAX = 32767, NAME = 64 };

struct child_pipe {
    OVERLAPPED overlapped; /* hEvent: this structure, as ReadFileEx leaves that to its caller */
    HANDLE handle;         /* NULL: at its end */
    int error;             /* errno, or 0 */
    struct bytes text;
    unsigned char part[PART];
};

struct child_process {
    PROCESS_INFORMATION info;
    struct child_pipe pipes[CHILD_STREAMS];
};

/* The child's ends of the pipes; it has no input. */
struct child_ends {
    HANDLE input, pipes[CHILD_STREAMS];
};

static volatile DWORD running[CHILDREN_MAX]; /* process ids */

static void replace_running(DWORD from, DWORD to)
{
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (running[i] == from) {
            running[i] = to;
            return;
        }
}

static void end_process(DWORD id)
{
    HANDLE process = OpenProcess(PROCESS_TERMINATE, FALSE, id);
    if (process)
        TerminateProcess(process, (UINT)STATUS_CONTROL_C_EXIT);
    if (process)
        CloseHandle(process);
}

/* Without a console there is nothing by which a process could be asked. */
void children_signal(int number)
{
    (void)number;
    for (int i = 0; i < CHILDREN_MAX; i++) {
        const DWORD id = running[i];
        if (id && !GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, id))
            end_process(id);
    }
}

/* --- the command line --- */

static void append(struct bytes *out, const char *text)
{
    bytes_append(out, text, strlen(text));
}

/* An argument between quotes, as CommandLineToArgvW and the C runtime read it: backslashes count
 * only before a quote. */
static void append_argument(struct bytes *out, const char *argument)
{
    size_t slashes = 0;
    append(out, "\"");
    for (const char *c = argument; *c; c++) {
        if (*c == '"')
            for (size_t i = 0; i <= slashes; i++)
                append(out, "\\");
        slashes = *c == '\\' ? slashes + 1 : 0;
        bytes_append(out, c, 1);
    }
    for (size_t i = 0; i < slashes; i++)
        append(out, "\\");
    append(out, "\"");
}

/* Returns the line in UTF-16, or NULL when it is longer than the system takes. Free with
 * memory_free. */
static wchar_t *command_line(char *const *argv)
{
    struct bytes line = {0};
    for (int i = 0; argv[i]; i++) {
        append(&line, i ? " " : "");
        append_argument(&line, argv[i]);
    }
    bytes_append(&line, "", 1);
    wchar_t *wide = wide_from_utf8((const char *)line.data);
    bytes_free(&line);
    if (wide && wcslen(wide) < COMMAND_MAX)
        return wide;
    memory_free(wide);
    return NULL;
}

/* --- pipes --- */

static SECURITY_ATTRIBUTES inherited(void)
{
    return (SECURITY_ATTRIBUTES){.nLength = sizeof(SECURITY_ATTRIBUTES), .bInheritHandle = TRUE};
}

/* Returns 0 or an errno value. */
static int open_pipe(struct child_pipe *pipe, HANDLE *child_end)
{
    static LONG count;
    wchar_t name[NAME];
    SECURITY_ATTRIBUTES security = inherited();
    (void)swprintf(name, NAME, L"\\\\.\\pipe\\brushwork-%lu-%ld", GetCurrentProcessId(),
                   InterlockedIncrement(&count));
    HANDLE handle = CreateNamedPipeW(
        name, PIPE_ACCESS_INBOUND | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
        PIPE_TYPE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, PART, PART, 0, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return windows_last_error();
    pipe->handle = handle;
    *child_end = CreateFileW(name, GENERIC_WRITE, 0, &security, OPEN_EXISTING, 0, NULL);
    if (*child_end != INVALID_HANDLE_VALUE)
        return 0;
    *child_end = NULL;
    return windows_last_error();
}

/* The end of standard error is that of standard output when both are joined. */
static int open_pipes(struct child_process *process, bool is_joined, struct child_ends *ends)
{
    SECURITY_ATTRIBUTES security = inherited();
    for (int i = 0; i < CHILD_STREAMS; i++) {
        int error =
            i == CHILD_ERR && is_joined ? 0 : open_pipe(&process->pipes[i], &ends->pipes[i]);
        if (error)
            return error;
    }
    HANDLE input = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &security,
                               OPEN_EXISTING, 0, NULL);
    ends->input = input == INVALID_HANDLE_VALUE ? NULL : input;
    return ends->input ? 0 : windows_last_error();
}

static void close_handle(HANDLE *handle)
{
    if (*handle)
        CloseHandle(*handle);
    *handle = NULL;
}

static void close_ends(struct child_ends *ends)
{
    close_handle(&ends->input);
    for (int i = 0; i < CHILD_STREAMS; i++)
        close_handle(&ends->pipes[i]);
}

static void free_process(struct child_process *process)
{
    close_handle(&process->info.hThread);
    close_handle(&process->info.hProcess);
    for (int i = 0; i < CHILD_STREAMS; i++) {
        close_handle(&process->pipes[i].handle);
        bytes_free(&process->pipes[i].text);
    }
    memory_free(process);
}

/* --- reading --- */

static void read_on(struct child_pipe *pipe);

static void end_pipe(struct child_pipe *pipe, DWORD error)
{
    pipe->error =
        error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF ? 0 : windows_error(error);
    close_handle(&pipe->handle);
}

static void CALLBACK on_read(DWORD error, DWORD count, OVERLAPPED *overlapped)
{
    struct child_pipe *pipe = overlapped->hEvent;
    if (error) {
        end_pipe(pipe, error);
        return;
    }
    bytes_append(&pipe->text, pipe->part, count);
    read_on(pipe);
}

static void read_on(struct child_pipe *pipe)
{
    pipe->overlapped = (OVERLAPPED){.hEvent = pipe};
    if (!ReadFileEx(pipe->handle, pipe->part, PART, &pipe->overlapped, on_read))
        end_pipe(pipe, GetLastError());
}

/* --- starting --- */

/* The job ends its processes when its last handle is closed: when this process ends, in whatever
 * way. NULL: then they go on. */
static HANDLE own_job(void)
{
    static HANDLE job;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (job)
        return job;
    job = CreateJobObjectW(NULL, NULL);
    if (job)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

/* Descriptors of the C runtime of the child, by the structure in which it takes them from its
 * parent: their number, a byte of flags for each, their handles. */
struct descriptors {
    unsigned char data[sizeof(int) + (CHILD_TOLD_STREAM + 1) * (1 + sizeof(HANDLE))];
};

static struct descriptors descriptors_of(const HANDLE *handles)
{
    enum { COUNT = CHILD_TOLD_STREAM + 1, IS_OPEN = 0x01, IS_PIPE = 0x08, IS_DEVICE = 0x40 };
    static const unsigned char flags[COUNT] = {IS_OPEN | IS_DEVICE, IS_OPEN | IS_PIPE,
                                               IS_OPEN | IS_PIPE, IS_OPEN | IS_PIPE};
    struct descriptors out;
    const int count = COUNT;
    memcpy(out.data, &count, sizeof count);
    memcpy(out.data + sizeof count, flags, COUNT);
    memcpy(out.data + sizeof count + COUNT, handles, COUNT * sizeof *handles);
    return out;
}

/* Starts it stopped, so that it is in the job before it can do anything. */
static int create(struct child_process *process, wchar_t *line, const struct child_ends *ends,
                  STARTUPINFOEXW *start, HANDLE shared)
{
    static wchar_t program[PATH_LENGTH];
    HANDLE error_end = ends->pipes[CHILD_ERR] ? ends->pipes[CHILD_ERR] : ends->pipes[CHILD_OUT];
    /* Those of the child's descriptors, in their order; each once, as the list needs it. */
    HANDLE handles[] = {ends->input, ends->pipes[CHILD_OUT], error_end, ends->pipes[CHILD_TOLD]};
    HANDLE listed[] = {ends->input, ends->pipes[CHILD_OUT], ends->pipes[CHILD_TOLD], NULL, NULL};
    size_t count = 3;
    if (ends->pipes[CHILD_ERR])
        listed[count++] = ends->pipes[CHILD_ERR];
    if (shared)
        listed[count++] = shared;
    struct descriptors descriptors = descriptors_of(handles);
    start->StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    start->StartupInfo.hStdInput = handles[0];
    start->StartupInfo.hStdOutput = handles[1];
    start->StartupInfo.hStdError = handles[2];
    start->StartupInfo.cbReserved2 = sizeof descriptors.data;
    start->StartupInfo.lpReserved2 = descriptors.data;
    const DWORD length = GetModuleFileNameW(NULL, program, PATH_LENGTH);
    if (!length || length == PATH_LENGTH ||
        !UpdateProcThreadAttribute(start->lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
                                   listed, count * sizeof *listed, NULL, NULL) ||
        !CreateProcessW(program, line, NULL, NULL, TRUE,
                        CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT,
                        NULL, NULL, &start->StartupInfo, &process->info))
        return windows_last_error();
    if (own_job())
        (void)AssignProcessToJobObject(own_job(), process->info.hProcess);
    replace_running(0, process->info.dwProcessId);
    ResumeThread(process->info.hThread);
    return 0;
}

static int start_process(struct child_process *process, char *const *argv,
                         const struct child_ends *ends, HANDLE shared)
{
    SIZE_T size = 0;
    wchar_t *line = command_line(argv);
    if (!line)
        return E2BIG;
    (void)InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    LPPROC_THREAD_ATTRIBUTE_LIST list = memory_alloc(size);
    STARTUPINFOEXW start = {.StartupInfo.cb = sizeof start, .lpAttributeList = list};
    int error = EIO;
    if (InitializeProcThreadAttributeList(list, 1, 0, &size)) {
        error = create(process, line, ends, &start, shared);
        DeleteProcThreadAttributeList(list);
    }
    memory_free(list);
    memory_free(line);
    return error;
}

int child_start(struct child *child, char *const *argv, bool is_joined, int shared)
{
    struct child_ends ends = {0};
    struct child_process *process = memory_zalloc(1, sizeof *process);
    HANDLE shared_handle = shared >= 0 ? (HANDLE)(intptr_t)shared : NULL;
    *child = (struct child){0};
    int error = open_pipes(process, is_joined, &ends);
    if (!error)
        error = start_process(process, argv, &ends, shared_handle);
    close_ends(&ends);
    if (error) {
        free_process(process);
        return error;
    }
    child->process = process;
    for (int i = 0; i < CHILD_STREAMS; i++)
        if (process->pipes[i].handle)
            read_on(&process->pipes[i]);
    return 0;
}

/* Handles that are inherited keep their value. */
int child_shared(int shared)
{
    return shared;
}

void child_free(struct child *child)
{
    for (int i = 0; i < CHILD_STREAMS; i++)
        bytes_free(&child->texts[i]);
}

/* --- the end --- */

void children_wait(const struct child *const *children, size_t count, int other, int milliseconds)
{
    (void)children;
    (void)count;
    (void)other;
    SleepEx((DWORD)milliseconds, TRUE);
}

static double seconds_of(FILETIME time)
{
    return 1e-7 * (double)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
}

/* An exception that nobody has handled is the status of the process, and stands for a signal. */
static const struct {
    DWORD status;
    int signal;
    const char *text;
} ends[] = {
    {(DWORD)STATUS_CONTROL_C_EXIT, SIGINT, "Interrupt"},
    {(DWORD)STATUS_ACCESS_VIOLATION, SIGSEGV, "Access violation"},
    {(DWORD)STATUS_STACK_OVERFLOW, SIGSEGV, "Access violation"},
    {(DWORD)STATUS_ILLEGAL_INSTRUCTION, SIGILL, "Illegal instruction"},
    {(DWORD)STATUS_INTEGER_DIVIDE_BY_ZERO, SIGFPE, "Arithmetic exception"},
    {(DWORD)STATUS_FLOAT_INVALID_OPERATION, SIGFPE, "Arithmetic exception"},
};

enum { ENDS = sizeof ends / sizeof *ends, EXCEPTIONS = 0xc0000000 };

static int signal_of(DWORD status)
{
    for (int i = 0; i < ENDS; i++)
        if (ends[i].status == status)
            return ends[i].signal;
    return status >= (DWORD)EXCEPTIONS ? SIGABRT : 0;
}

static void take_end(struct child *child)
{
    struct child_process *process = child->process;
    HANDLE handle = process->info.hProcess;
    FILETIME created, ended, kernel, user;
    PROCESS_MEMORY_COUNTERS memory = {.cb = sizeof memory};
    DWORD status = STATUS_INTERNAL;
    WaitForSingleObject(handle, INFINITE);
    replace_running(process->info.dwProcessId, 0);
    GetExitCodeProcess(handle, &status);
    child->signal = signal_of(status);
    child->status = child->signal ? 0 : (int)status;
    if (GetProcessTimes(handle, &created, &ended, &kernel, &user))
        child->cpu_seconds = seconds_of(kernel) + seconds_of(user);
    if (K32GetProcessMemoryInfo(handle, &memory, sizeof memory))
        child->peak_bytes = memory.PeakWorkingSetSize;
    for (int i = 0; i < CHILD_STREAMS; i++) {
        child->texts[i] = process->pipes[i].text;
        process->pipes[i].text = (struct bytes){0};
        child->error = child->error ? child->error : process->pipes[i].error;
    }
    free_process(process);
    child->process = NULL;
}

bool child_read(struct child *child)
{
    SleepEx(0, TRUE);
    for (int i = 0; i < CHILD_STREAMS; i++)
        if (child->process->pipes[i].handle)
            return false;
    take_end(child);
    return true;
}

bool child_has_status(const struct child *child)
{
    return !child->signal && child->status >= 0 && child->status <= STATUS_BOUND;
}

const char *child_signal_text(int signal)
{
    for (int i = 0; i < ENDS; i++)
        if (ends[i].signal == signal)
            return ends[i].text;
    return "Aborted";
}

/* Handles of one file are of the same file; those of a console are. */
bool child_outputs_are_joined(void)
{
    HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE), error = GetStdHandle(STD_ERROR_HANDLE);
    BY_HANDLE_FILE_INFORMATION first, second;
    DWORD mode;
    if (out == error)
        return true;
    if (GetConsoleMode(out, &mode) && GetConsoleMode(error, &mode))
        return true;
    return GetFileType(out) == FILE_TYPE_DISK && GetFileInformationByHandle(out, &first) &&
           GetFileInformationByHandle(error, &second) &&
           first.dwVolumeSerialNumber == second.dwVolumeSerialNumber &&
           first.nFileIndexHigh == second.nFileIndexHigh &&
           first.nFileIndexLow == second.nFileIndexLow;
}
