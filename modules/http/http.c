/* GET and PUT with libcurl. Addresses and headers are not in any message: they may have passwords.
 */
#include <curl/curl.h>

#include <stdio.h>
#include <string.h>

#include "common/cache/http_module.h"
#include "common/core/module.h"

enum { OK = 200, BYTES_PER_SECOND = 1 << 20 };

struct transfer {
    CURL *curl;
    const struct http_request *request;
    uint64_t sent;
    int is_cut, is_late;
};

static size_t take_body(char *data, size_t unit, size_t count, void *context)
{
    struct transfer *transfer = context;
    long status = 0;
    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    /* Text beside an error, or in answer to a PUT, is of no use. */
    if (transfer->request->body || status != OK)
        return unit * count;
    if (transfer->request->take(transfer->request->context, data, unit * count))
        return unit * count;
    transfer->is_cut = 1;
    return 0;
}

static size_t give_body(char *out, size_t unit, size_t count, void *context)
{
    struct transfer *transfer = context;
    uint64_t left = transfer->request->body_size - transfer->sent;
    size_t size = left < unit * count ? (size_t)left : unit * count;
    memcpy(out, (const char *)transfer->request->body + transfer->sent, size);
    transfer->sent += size;
    return size;
}

/* A connection that is used again may be closed by the server, and the body is sent again. */
static int seek_body(void *context, curl_off_t offset, int origin)
{
    struct transfer *transfer = context;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > transfer->request->body_size)
        return CURL_SEEKFUNC_CANTSEEK;
    transfer->sent = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}

static int watch(void *context, curl_off_t all_down, curl_off_t down, curl_off_t all_up,
                 curl_off_t up)
{
    struct transfer *transfer = context;
    const struct http_request *request = transfer->request;
    curl_off_t microseconds = 0;
    (void)all_down;
    (void)all_up;
    curl_easy_getinfo(transfer->curl, CURLINFO_TOTAL_TIME_T, &microseconds);
    double allowed = request->timeout + (double)(down + up) / (double)BYTES_PER_SECOND;
    transfer->is_late = (double)microseconds * 1e-6 > allowed;
    if (!transfer->is_late && request->is_stopped(request->context))
        transfer->is_cut = 1;
    return transfer->is_late || transfer->is_cut;
}

static void set_put(struct transfer *transfer)
{
    CURL *curl = transfer->curl;
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->request->body_size);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_body);
    curl_easy_setopt(curl, CURLOPT_READDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, seek_body);
    curl_easy_setopt(curl, CURLOPT_SEEKDATA, transfer);
}

/* The user is given to libcurl only for the signature: it would send it as it is otherwise. */
static void set_signature(const struct transfer *transfer)
{
    const struct http_request *request = transfer->request;
    char method[96];
    (void)snprintf(method, sizeof method, "aws:amz:%s:s3", request->aws_region);
    curl_easy_setopt(transfer->curl, CURLOPT_AWS_SIGV4, method);
    curl_easy_setopt(transfer->curl, CURLOPT_USERPWD, request->user);
}

/* The connection stays open, its settings do not. */
static void set_up(struct transfer *transfer, struct curl_slist *headers, char *reason)
{
    CURL *curl = transfer->curl;
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, transfer->request->address);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "brushwork");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, (long)(transfer->request->timeout * 1000));
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transfer);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
    if (transfer->request->aws_region && transfer->request->user)
        set_signature(transfer);
    if (transfer->request->body)
        set_put(transfer);
}

/* Without asking first whether the body is welcome; but libcurl 7.88 signs the header that is left
 * out, too. */
static struct curl_slist *headers_of(const struct http_request *request)
{
    struct curl_slist *headers = request->aws_region ? NULL : curl_slist_append(NULL, "Expect:");
    for (size_t i = 0; request->headers && request->headers[i]; i++) {
        struct curl_slist *longer = curl_slist_append(headers, request->headers[i]);
        headers = longer ? longer : headers;
    }
    return headers;
}

static void send_request(void *connection, const struct http_request *request,
                         struct http_answer *answer)
{
    struct transfer transfer = {.curl = connection, .request = request};
    char reason[CURL_ERROR_SIZE] = "";
    long status = 0;
    struct curl_slist *headers = headers_of(request);
    *answer = (struct http_answer){0};
    set_up(&transfer, headers, reason);
    CURLcode code = curl_easy_perform(connection);
    curl_easy_getinfo(connection, CURLINFO_RESPONSE_CODE, &status);
    answer->status = (int)status;
    answer->is_cut = transfer.is_cut;
    if (transfer.is_late)
        (void)snprintf(answer->reason, sizeof answer->reason, "no whole answer within %g seconds",
                       request->timeout);
    else if (code != CURLE_OK)
        (void)snprintf(answer->reason, sizeof answer->reason, "%.*s",
                       (int)sizeof answer->reason - 1, *reason ? reason : curl_easy_strerror(code));
    curl_slist_free_all(headers);
}

static void *open_connection(void)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_easy_init() : NULL;
}

static void close_connection(void *connection)
{
    curl_easy_cleanup(connection);
    curl_global_cleanup();
}

static const struct http_functions functions = {open_connection, close_connection, send_request};

MODULE_EXPORT("http", HTTP_MODULE_ABI, &functions);
