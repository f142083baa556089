#include "load.h"

#include <math.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { COPIES = 4 };  // connections that send one key at once, in mode conflict

uint32_t *latencies;
uint64_t latency_count, waves;
static uint64_t latency_capacity;
static uint32_t stored;  // keys with a known answer, in modes that need them beforehand

static void record(uint64_t latency) {
    if (latency_count == latency_capacity) {
        latency_capacity = latency_capacity ? latency_capacity * 2 : 1 << 20;
        latencies = realloc(latencies, latency_capacity * sizeof *latencies);
        if (!latencies) die("realloc");
    }
    latencies[latency_count++] = (uint32_t)(latency < UINT32_MAX ? latency : UINT32_MAX);
}

void watch(int ep, struct Connection *c) {
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e) < 0) die("epoll_ctl");
}

static void give_up_after(uint64_t deadline) {
    if (now_us() < deadline) return;
    fprintf(stderr, "mode %s: answers are missing\n", mode_names[options.mode]);
    exit(1);
}

// A key whose answer is known, chosen at random; false while there are hardly any. None that another
// connection is sending: two attempts at once may be told 409.
static int known_intent(uint32_t *intent) {
    for (int tries = 0; tries < 32 && intent_count; tries++) {
        *intent = (uint32_t)(random_word() % intent_count);
        if (intents[*intent].answer && !intents[*intent].sent) return 1;
    }
    return 0;
}

// A day of a bank: of 100 requests 40 are new transfers, 10 are sent again, 30 look a transfer up by
// its key, 15 list, 5 ask for more than there is.
static void next_of_day(struct Connection *c, uint64_t due) {
    uint32_t intent, dice = (uint32_t)(random_word() % 100);
    if (dice < 45 || !known_intent(&intent)) {
        int refused = dice < 5;
        send_request(c, refused ? REFUSED : NEW, new_intent(refused), due);
    } else if (dice < 55) {
        send_request(c, intents[intent].refused ? REFUSED_AGAIN : AGAIN, intent, due);
    } else {
        send_request(c, dice < 85 ? LOOK_UP : LIST, intent, due);
    }
}

static void next_request(struct Connection *c, uint64_t due) {
    switch (options.mode) {
    case REPLAY: send_request(c, AGAIN, (uint32_t)(random_word() % stored), due); break;
    case GET: send_request(c, LOOK_UP, (uint32_t)(random_word() % stored), due); break;
    case REUSE: send_request(c, OTHER_CONTENT, (uint32_t)(random_word() % stored), due); break;
    case FIXED: send_request(c, PLAIN, (uint32_t)(random_word() % options.keys), due); break;
    case REFUSAL:
        // Every refusal is asked for twice.
        if (c->kind == REFUSED) send_request(c, REFUSED_AGAIN, c->intent, due);
        else send_request(c, REFUSED, new_intent(1), due);
        break;
    case MIXED: next_of_day(c, due); break;
    default: send_request(c, NEW, new_intent(0), due);
    }
}

// Mode conflict: the connections of a group send one new key at once. When all are answered, just one
// has executed it, and the first connection sends it once more and gets the replay.
static int continue_group(struct Connection *cs, struct Connection *c, int more) {
    struct Connection *group = cs + (c - cs) / COPIES * COPIES;
    int executed = 0;
    for (int i = 0; i < COPIES; i++) {
        if (group[i].busy) return 0;
        executed += group[i].executed;
    }
    uint64_t now = now_us();
    if (c->kind == RACE) {
        if (executed != 1) wrong(c, "not just one of the connections executed the key");
        send_request(&group[0], AGAIN, c->intent, now);
        return 1;
    }
    if (!more) return 0;
    uint32_t intent = new_intent(0);
    for (int i = 0; i < COPIES; i++) send_request(&group[i], RACE, intent, now);
    return COPIES;
}

// One request under way on each connection until `until`; then waits for the rest. A latency counts
// from the moment of sending.
void run_closed(struct Connection *cs, int ep, uint64_t until, int measure) {
    int under_way = 0;
    for (int i = 0; i < options.connections; i++) {
        if (options.mode != CONFLICT) {
            next_request(&cs[i], now_us());
            under_way++;
        } else if (i % COPIES == 0) {
            cs[i].kind = AGAIN;
            under_way += continue_group(cs, &cs[i], 1);
        }
    }
    struct epoll_event events[256];
    while (under_way) {
        give_up_after(until + 10000000u);
        int k = epoll_wait(ep, events, 256, 200);
        for (int i = 0; i < k; i++) {
            struct Connection *c = events[i].data.ptr;
            if (!receive(c)) continue;
            uint64_t now = now_us();
            under_way--;
            if (measure && now <= until) record(now - c->due);
            if (options.mode == CONFLICT) {
                under_way += continue_group(cs, c, now < until);
            } else if (now < until) {
                next_request(c, now);
                under_way++;
            }
        }
    }
}

// Stores `count` new keys, unmeasured, for the modes that send known keys.
void store_keys(struct Connection *cs, int ep, uint32_t count) {
    int under_way = 0;
    uint64_t give_up = now_us() + 60000000u;
    for (int i = 0; i < options.connections && intent_count < count; i++, under_way++)
        send_request(&cs[i], NEW, new_intent(0), now_us());
    struct epoll_event events[256];
    while (under_way) {
        give_up_after(give_up);
        int k = epoll_wait(ep, events, 256, 200);
        for (int i = 0; i < k; i++) {
            struct Connection *c = events[i].data.ptr;
            if (!receive(c)) continue;
            under_way--;
            if (intent_count == count) continue;
            send_request(c, NEW, new_intent(0), now_us());
            under_way++;
        }
    }
    stored = intent_count;
}

// Requests become due at random moments, `rate` a second on average, whatever the server does. One
// that finds no free connection waits for one, and its latency counts from when it was due, so a stall
// counts for everybody who would have come meanwhile. Whatever was due before `until` is sent.
void run_open(struct Connection *cs, int ep, uint64_t from, uint64_t until, int measure) {
    struct Connection **idle = malloc((size_t)options.connections * sizeof *idle);
    if (!idle) die("malloc");
    int idle_count = 0, under_way = 0;
    for (int i = 0; i < options.connections; i++) idle[idle_count++] = &cs[i];
    double due = (double)from;
    struct epoll_event events[256];
    while (under_way || due < (double)until) {
        give_up_after(until + 60000000u);
        uint64_t now = now_us();
        while (idle_count && due <= (double)now && due < (double)until) {
            next_request(idle[--idle_count], (uint64_t)due);
            under_way++;
            due += -log(random_unit()) * 1e6 / options.rate;
        }
        struct timespec pause = {0, 200000000};
        if (idle_count && due < (double)until && due < (double)now + 2e5)
            pause.tv_nsec = due > (double)now ? (long)((due - (double)now) * 1000) : 0;
        int k = epoll_pwait2(ep, events, 256, &pause, NULL);
        for (int i = 0; i < k; i++) {
            struct Connection *c = events[i].data.ptr;
            if (!receive(c)) continue;
            under_way--;
            if (measure) record(now_us() - c->due);
            idle[idle_count++] = c;
        }
    }
    free(idle);
}

// Takes every answer that is under way.
static void collect(int ep, int under_way, uint64_t began, int measure) {
    struct epoll_event events[256];
    while (under_way) {
        give_up_after(began + 30000000u);
        int k = epoll_wait(ep, events, 256, 200);
        for (int i = 0; i < k; i++) {
            if (!receive(events[i].data.ptr)) continue;
            if (measure) record(now_us() - began);
            under_way--;
        }
    }
}

// Waves like phones' after an outage: every connection sends a new key; half of them have their
// answers, the others' attempts are still running, when all are closed. At once all are opened again
// and send their keys again, willing to wait for the attempt that runs. A latency counts from the end
// of the outage to the answer, connecting included.
void run_storm(struct Connection *cs, int ep, uint64_t until, int measure) {
    while (now_us() < until) {
        int half = options.connections / 2;
        for (int i = 0; i < half; i++) send_request(&cs[i], NEW, new_intent(0), now_us());
        collect(ep, half, now_us(), 0);
        for (int i = half; i < options.connections; i++)
            send_request(&cs[i], NEW, new_intent(0), now_us());
        for (int i = 0; i < options.connections; i++) close(cs[i].fd);
        uint64_t began = now_us();
        for (int i = 0; i < options.connections; i++) {
            cs[i].fd = dial();
            watch(ep, &cs[i]);
            send_request(&cs[i], RESENT, cs[i].intent, began);
        }
        collect(ep, options.connections, began, measure);
        if (measure) waves++;
    }
}
