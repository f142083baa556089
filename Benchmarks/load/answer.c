#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

struct Totals totals;
static uint64_t plain_answer;  // hash of the first; every other is the same

static const char *const kind_names[KINDS] = {
    "a new key", "a known key", "a look-up", "a list", "a known key with other content",
    "a new key for too much", "a refused key once more", "a key that races", "a key sent again",
    "a plain request",
};

struct Answer {
    int status, replayed, length;
    const char *body;
};

int dial(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)options.port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) die("socket");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

void send_request(struct Connection *c, enum Kind kind, uint32_t intent, uint64_t due) {
    char request[3072];
    int n = write_request(request, sizeof request, kind, intent);
    c->kind = kind;
    c->intent = intent;
    c->length = 0;
    c->busy = 1;
    c->executed = 0;
    c->due = due;
    if (kind != PLAIN) intents[intent].sent = 1;
    totals.sent++;
    totals.sent_bytes += (uint64_t)n;
    if (write(c->fd, request, (size_t)n) != n) die("write a request");
}

// Ends the run.
void wrong(const struct Connection *c, const char *why) {
    char key[37] = "";
    if (c->kind != PLAIN) expected_key(c->intent, key);
    fprintf(stderr, "mode %s, answer to %s %s: %s\n%.1500s\n", mode_names[options.mode],
            kind_names[c->kind], key, why, c->length ? c->buffer : "");
    exit(1);
}

static int holds(const struct Answer *a, const char *text) {
    return memmem(a->body, (size_t)a->length, text, strlen(text)) != NULL;
}

static void expect_status(const struct Connection *c, const struct Answer *a, int status) {
    char why[64];
    snprintf(why, sizeof why, "the status is not %d", status);
    if (a->status != status) wrong(c, why);
}

// The intent's own key and amount stand in the answer.
static void expect_content(const struct Connection *c, const struct Answer *a) {
    char key[37], member[64], amount[32];
    expected_key(c->intent, key);
    snprintf(member, sizeof member, "\"idempotencyKey\":\"%s\"", key);
    if (!holds(a, member)) wrong(c, "it is about another key");
    expected_amount(c->intent, amount);
    snprintf(member, sizeof member, "\"amount\":\"%s\"", amount);
    if (!holds(a, member)) wrong(c, "it is about another amount");
}

// Marked as a replay just when it is one, and then byte for byte what was answered first.
static void expect_stored(struct Connection *c, const struct Answer *a, int may_be_first,
                          int may_be_replay) {
    struct Intent *intent = &intents[c->intent];
    uint64_t h = hash(a->body, a->length);
    if (a->replayed && !may_be_replay) wrong(c, "it is marked as a replay");
    if (!a->replayed && !may_be_first) wrong(c, "it is not marked as a replay");
    if (intent->answer && intent->answer != h) wrong(c, "it differs from the first answer");
    intent->answer = h;
    c->executed = !a->replayed;
}

static void expect_transfer(struct Connection *c, const struct Answer *a, int may_be_first,
                            int may_be_replay) {
    expect_status(c, a, 201);
    expect_content(c, a);
    expect_stored(c, a, may_be_first, may_be_replay);
}

static void expect_refusal(struct Connection *c, const struct Answer *a, int again) {
    expect_status(c, a, 402);
    if (!holds(a, "\"code\":\"insufficient_funds\"")) wrong(c, "its code is another");
    expect_stored(c, a, !again, again);
}

static void check(struct Connection *c, const struct Answer *a) {
    switch (c->kind) {
    case NEW: expect_transfer(c, a, 1, 0); break;
    case AGAIN: expect_transfer(c, a, 0, 1); break;
    case RACE:
        if (a->status != 409) expect_transfer(c, a, 1, 1);
        else if (!holds(a, "\"code\":\"in_flight\"")) wrong(c, "its code is another");
        break;
    // First only if nothing is known of it: its attempt before the outage may not have got through.
    case RESENT: expect_transfer(c, a, !intents[c->intent].answer, 1); break;
    case REFUSED: expect_refusal(c, a, 0); break;
    case REFUSED_AGAIN: expect_refusal(c, a, 1); break;
    case OTHER_CONTENT:
        expect_status(c, a, 422);
        if (!holds(a, "\"code\":\"idempotency_key_reused\"")) wrong(c, "its code is another");
        if (!holds(a, "\"differs\":[\"/instructedAmount/amount\"]"))
            wrong(c, "it does not name the member that differs");
        break;
    case LOOK_UP:
        expect_status(c, a, 200);
        expect_content(c, a);
        break;
    case LIST:
        expect_status(c, a, 200);
        if (a->length < 15 || memcmp(a->body, "{\"transfers\":[", 14)) wrong(c, "it is no list");
        break;
    case PLAIN:
        if (!plain_answer) plain_answer = hash(a->body, a->length);
        if (plain_answer != hash(a->body, a->length)) wrong(c, "it differs from the first");
        break;
    case KINDS: break;
    }
}

int receive(struct Connection *c) {
    if (c->capacity - c->length < 16384) {
        c->capacity += 32768;
        c->buffer = realloc(c->buffer, (size_t)c->capacity + 1);
        if (!c->buffer) die("realloc");
    }
    ssize_t r = recv(c->fd, c->buffer + c->length, (size_t)(c->capacity - c->length), MSG_DONTWAIT);
    if (r < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (!c->busy) wrong(c, "nothing was asked");
    if (r < 0) wrong(c, strerror(errno));
    if (r == 0) wrong(c, "the connection was closed");
    c->length += (int)r;
    c->buffer[c->length] = 0;
    char *end = strstr(c->buffer, "\r\n\r\n");
    if (!end) return 0;
    const char *field = strcasestr(c->buffer, "\r\ncontent-length:");
    struct Answer a = {.body = end + 4};
    if (strncmp(c->buffer, "HTTP/1.1 ", 9) || !field || field > end) wrong(c, "it is not understood");
    a.status = atoi(c->buffer + 9);
    a.length = atoi(field + 17);
    if (a.status < 200 || a.status > 599) wrong(c, "it has no final status");
    int have = c->length - (int)(a.body - c->buffer);
    if (have < a.length) return 0;
    if (have > a.length) wrong(c, "bytes follow it");
    const char *mark = strcasestr(c->buffer, "\r\nidempotent-replayed: true\r\n");
    a.replayed = mark != NULL && mark < end;
    check(c, &a);
    if (c->kind != PLAIN) intents[c->intent].sent = 0;
    c->busy = 0;
    totals.answered++;
    totals.answer_bytes += (uint64_t)c->length;
    totals.status[a.status]++;
    return a.status;
}
