// load: a closed-loop HTTP/1.1 load generator for the transfer API (one thread, epoll, keep-alive).
//
//   cc -O2 -Wall -Wextra -o load load.c
//   load --port 8080 --customers customers.tsv --mode fresh --seconds 10 [--connections 64]
//        [--warmup 3] [--keys 5000]
//
// Modes:
//   fresh    a new key each request
//   replay   --keys keys are stored first, unmeasured, and then sent again at random
//   get      as replay, but GET /api/transfers/by-key/{key}
//   hot      fresh, all on one account
//
// Each connection has one request under way, so latencies are those at saturation. Every answer is
// read whole and checked: its status is the mode's own, a 201 holds the amount that was asked for,
// and every further 201 for a key is byte for byte the first. What is under way at the end is waited
// for. Loopback only. Prints one JSON line; exits 1 if anything was wrong.
//
// customers.tsv: customer, debtor IBAN, creditor IBAN, token; separated by tabs.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum Mode { FRESH, REPLAY, GET, HOT, MODES };
static const char *const mode_names[MODES] = {"fresh", "replay", "get", "hot"};

struct Customer {
    char debtor[40], creditor[40];
    char *token;
};

struct Connection {
    int fd;
    int busy;
    uint32_t intent;
    uint64_t sent_at;
    char *buffer;
    int capacity, length;
};

static struct Customer *customers;
static uint32_t customer_count;
static uint64_t *first_body;  // hash of each intent's first 201, or 0
static uint32_t intents, intent_capacity;
static uint64_t seed;
static enum Mode mode = FRESH;
static int port = 8080;

static uint64_t sent, answered, keys_executed, wrong_body, different_replay, unexpected, broken;
static uint64_t by_status[600];
static uint32_t *latencies;
static uint64_t latency_count, latency_capacity;

static void die(const char *what) {
    perror(what);
    exit(2);
}

static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000;
}

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t random_state;
static uint64_t random_word(void) { return mix(random_state++); }

static uint64_t hash(const char *bytes, int count) {
    uint64_t h = 1469598103934665603u;
    for (int i = 0; i < count; i++) h = (h ^ (uint8_t)bytes[i]) * 1099511628211u;
    return h | 1;
}

static int dial(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) die("socket");
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static uint32_t new_intent(void) {
    if (intents == intent_capacity) {
        intent_capacity = intent_capacity ? intent_capacity * 2 : 1 << 16;
        first_body = realloc(first_body, intent_capacity * sizeof *first_body);
        if (!first_body) die("realloc");
    }
    first_body[intents] = 0;
    return intents++;
}

static int cents(uint32_t intent) { return 100 + (int)(mix(intent) % 899); }

// The request follows from the intent's number alone, so a replay has the same content.
static void send_request(struct Connection *c, uint32_t intent, int look_up) {
    char request[3072], body[512], key[37];
    const struct Customer *u = &customers[mode == HOT ? 0 : mix(intent ^ 0x5151) % customer_count];
    uint64_t a = mix(seed ^ (2ull * intent + 1)), b = mix(a + intent);
    snprintf(key, sizeof key, "%08x-%04x-4%03x-a%03x-%012" PRIx64, (uint32_t)(a >> 32),
             (uint32_t)(a >> 16) & 0xffff, (uint32_t)a & 0xfff, (uint32_t)(b >> 48) & 0xfff,
             (uint64_t)(b & 0xffffffffffffull));
    int n;
    if (look_up) {
        n = snprintf(request, sizeof request,
                     "GET /api/transfers/by-key/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                     "Authorization: Bearer %s\r\n\r\n",
                     key, port, u->token);
    } else {
        int length = snprintf(
            body, sizeof body,
            "{\"debtorAccount\":{\"iban\":\"%s\"},\"instructedAmount\":{\"currency\":\"EUR\","
            "\"amount\":\"%d.%02d\"},\"creditorAccount\":{\"iban\":\"%s\"},\"creditorName\":"
            "\"Jansen Bouw BV\",\"remittanceInformationUnstructured\":\"invoice %u\"}",
            u->debtor, cents(intent) / 100, cents(intent) % 100, u->creditor, intent);
        n = snprintf(request, sizeof request,
                     "POST /api/transfers HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                     "Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
                     "Idempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s",
                     port, u->token, key, length, body);
    }
    c->intent = intent;
    c->length = 0;
    c->busy = 1;
    c->sent_at = now_us();
    sent++;
    if (write(c->fd, request, (size_t)n) != n) die("write a request");
}

static void check(struct Connection *c, int status, const char *body, int length) {
    if (status != 201 && status != 200) return;
    char amount[32];
    snprintf(amount, sizeof amount, "\"amount\":\"%d.%02d\"", cents(c->intent) / 100,
             cents(c->intent) % 100);
    if (!memmem(body, (size_t)length, amount, strlen(amount))) wrong_body++;
    if (status != 201) return;
    uint64_t h = hash(body, length);
    if (!first_body[c->intent]) {
        first_body[c->intent] = h;
        keys_executed++;
    } else if (first_body[c->intent] != h) {
        different_replay++;
    }
}

// 1: a whole answer was handled; 0: more bytes are needed; -1: the connection is of no more use.
static int receive(struct Connection *c, int *status) {
    if (c->capacity - c->length < 4096) {
        c->capacity += 16384;
        c->buffer = realloc(c->buffer, (size_t)c->capacity + 1);
        if (!c->buffer) die("realloc");
    }
    ssize_t r = recv(c->fd, c->buffer + c->length, (size_t)(c->capacity - c->length), MSG_DONTWAIT);
    if (r == 0) return -1;
    if (r < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    c->length += (int)r;
    c->buffer[c->length] = 0;
    char *end = strstr(c->buffer, "\r\n\r\n");
    if (!end) return 0;
    const char *field = strcasestr(c->buffer, "\r\ncontent-length:");
    *status = strncmp(c->buffer, "HTTP/1.1 ", 9) ? 0 : atoi(c->buffer + 9);
    if (!field || field > end || *status < 100 || *status > 599) return -1;
    int body_length = atoi(field + 17);
    const char *body = end + 4;
    int have = c->length - (int)(body - c->buffer);
    if (have < body_length) return 0;
    if (have > body_length) return -1;
    check(c, *status, body, body_length);
    return 1;
}

static int is_expected(int status) { return status == (mode == GET ? 200 : 201); }

static void record(uint64_t latency, int status) {
    by_status[status]++;
    if (latency_count == latency_capacity) {
        latency_capacity = latency_capacity ? latency_capacity * 2 : 1 << 20;
        latencies = realloc(latencies, latency_capacity * sizeof *latencies);
        if (!latencies) die("realloc");
    }
    latencies[latency_count++] = (uint32_t)latency;
}

static void next_request(struct Connection *c, uint32_t stored) {
    if (mode == REPLAY || mode == GET)
        send_request(c, (uint32_t)(random_word() % stored), mode == GET);
    else
        send_request(c, new_intent(), 0);
}

// Runs until `until`, or with `limit` until that many intents were sent; then waits for the rest.
static void run(struct Connection *cs, int count, int ep, uint64_t until, uint32_t limit,
                uint32_t stored, int measure) {
    int under_way = 0;
    for (int i = 0; i < count && (!limit || intents < limit); i++, under_way++) {
        if (limit) send_request(&cs[i], new_intent(), 0);
        else next_request(&cs[i], stored);
    }
    uint64_t give_up = (limit ? now_us() + 60000000u : until) + 10000000u;
    struct epoll_event events[256];
    while (under_way && now_us() < give_up) {
        int k = epoll_wait(ep, events, 256, 200);
        for (int i = 0; i < k; i++) {
            struct Connection *c = events[i].data.ptr;
            int status = 0, r = receive(c, &status);
            if (r == 0) continue;
            uint64_t t = now_us();
            if (r < 0) {
                fprintf(stderr, "a connection broke or its answer was not understood\n");
                broken++;
                exit(1);
            }
            answered++;
            if (limit ? status != 201 : !is_expected(status)) {
                if (!unexpected++) fprintf(stderr, "unexpected answer: %.600s\n", c->buffer);
            }
            if (measure && t <= until) record(t - c->sent_at, status);
            c->busy = 0;
            under_way--;
            if (limit ? intents < limit : t < until) {
                if (limit) send_request(c, new_intent(), 0);
                else next_request(c, stored);
                under_way++;
            }
        }
    }
    broken += (uint64_t)under_way;
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double milliseconds(double quantile) {
    if (!latency_count) return 0;
    return latencies[(uint64_t)(quantile * (double)(latency_count - 1))] / 1000.0;
}

static void read_customers(const char *file) {
    FILE *f = fopen(file, "r");
    if (!f) die(file);
    char line[4096], name[80], debtor[40], creditor[40], token[2048];
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%79s %39s %39s %2047s", name, debtor, creditor, token) != 4) continue;
        customers = realloc(customers, (customer_count + 1) * sizeof *customers);
        if (!customers) die("realloc");
        strcpy(customers[customer_count].debtor, debtor);
        strcpy(customers[customer_count].creditor, creditor);
        customers[customer_count++].token = strdup(token);
    }
    fclose(f);
    if (!customer_count) {
        fprintf(stderr, "%s holds no customers\n", file);
        exit(2);
    }
}

int main(int argc, char **argv) {
    int connections = 64;
    double seconds = 10, warmup = 3;
    uint32_t keys = 5000;
    const char *file = "customers.tsv";
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *k = argv[i], *v = argv[i + 1];
        if (!strcmp(k, "--port")) port = atoi(v);
        else if (!strcmp(k, "--customers")) file = v;
        else if (!strcmp(k, "--connections")) connections = atoi(v);
        else if (!strcmp(k, "--seconds")) seconds = atof(v);
        else if (!strcmp(k, "--warmup")) warmup = atof(v);
        else if (!strcmp(k, "--keys")) keys = (uint32_t)atoi(v);
        else if (!strcmp(k, "--mode")) {
            int m = 0;
            while (m < MODES && strcmp(v, mode_names[m])) m++;
            if (m == MODES) {
                fprintf(stderr, "no mode %s: fresh, replay, get, hot\n", v);
                return 2;
            }
            mode = (enum Mode)m;
        } else {
            fprintf(stderr, "no option %s\n", k);
            return 2;
        }
    }
    read_customers(file);
    seed = mix((uint64_t)time(NULL) * 1000003u + (uint64_t)getpid());
    random_state = seed;

    int ep = epoll_create1(EPOLL_CLOEXEC);
    struct Connection *cs = calloc((size_t)connections, sizeof *cs);
    if (ep < 0 || !cs) die("set-up");
    for (int i = 0; i < connections; i++) {
        cs[i].fd = dial();
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &cs[i]};
        if (epoll_ctl(ep, EPOLL_CTL_ADD, cs[i].fd, &e) < 0) die("epoll_ctl");
    }

    uint32_t stored = 0;
    if (mode == REPLAY || mode == GET) {
        run(cs, connections, ep, 0, keys, 0, 0);
        stored = intents;
    }
    if (warmup > 0) run(cs, connections, ep, now_us() + (uint64_t)(warmup * 1e6), 0, stored, 0);
    fprintf(stderr, "MEASURE\n");  // the driver reads the server's CPU clock at these two lines
    uint64_t before = answered;
    run(cs, connections, ep, now_us() + (uint64_t)(seconds * 1e6), 0, stored, 1);
    fprintf(stderr, "DONE\n");
    uint64_t measured = answered - before;

    qsort(latencies, latency_count, sizeof *latencies, compare);
    printf("{\"mode\":\"%s\",\"connections\":%d,\"seconds\":%g,\"per_second\":%.0f,"
           "\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"p999_ms\":%.2f,\"max_ms\":%.2f,\"measured\":%" PRIu64
           ",\"sent\":%" PRIu64 ",\"answered\":%" PRIu64 ",\"keys_executed\":%" PRIu64
           ",\"wrong_body\":%" PRIu64 ",\"different_replay\":%" PRIu64 ",\"unexpected\":%" PRIu64
           ",\"broken\":%" PRIu64 "}\n",
           mode_names[mode], connections, seconds, (double)latency_count / seconds,
           milliseconds(.5), milliseconds(.99), milliseconds(.999), milliseconds(1), measured, sent,
           answered, keys_executed, wrong_body, different_replay, unexpected, broken);
    return wrong_body || different_replay || unexpected || broken ? 1 : 0;
}
