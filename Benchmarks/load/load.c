// load: an HTTP/1.1 load generator for the transfer API (one thread, epoll, keep-alive).
//
//   cc -O2 -Wall -Wextra -o load Benchmarks/load/*.c -lm
//   load --port 8080 --customers customers.tsv --mode fresh --seconds 10 [--connections 64]
//        [--warmup 3] [--keys 5000] [--rate 0] [--path /nothing] [--like plain]
//
// Modes:
//   fresh     a new key each request
//   hot       fresh, all from one account
//   replay    --keys keys are stored first, unmeasured, and then sent again at random
//   get       as replay, but GET /api/transfers/by-key/{key}
//   reuse     as replay, but with another amount: 422
//   refusal   new keys for more than there is, each sent twice: 402 and its replay
//   conflict  four connections send the same new key at once, and then one of them once more
//   mixed     of 100 requests 40 new, 10 known, 30 look-ups, 15 lists, 5 refusals
//   storm     waves: every connection sends a new key, half of them lose the answer, all are closed,
//             opened again, and send the key again with Prefer: wait
//   fixed     GET --path of any server, which gives the same answer each time; --like replay and
//             --like get send what those modes send instead
//
// A closed loop without --rate: each connection has one request under way, so latencies are those at
// saturation. With --rate requests are due at random moments, so many a second on average, and
// latency counts from when a request was due, not from when a connection was free for it.
//
// Every answer is read whole and checked, see answer.c; the first wrong one ends the run with 1 and is
// shown. Loopback only. Prints one JSON line.
//
// customers.tsv: customer, debtor IBAN, creditor IBAN, token; separated by tabs.
#include "load.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

const char *const mode_names[MODES] = {
    "fresh", "hot", "replay", "get", "conflict", "reuse", "refusal", "mixed", "storm", "fixed",
};

struct Options options = {
    .mode = FRESH, .port = 8080, .connections = 64, .seconds = 10, .warmup = 3, .keys = 5000,
    .customers = "customers.tsv", .path = "/nothing", .like = "plain",
};

static void usage(const char *what) {
    fprintf(stderr, "%s is no option or mode; load.c begins with the list\n", what);
    exit(2);
}

static void read_options(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *k = argv[i], *v = argv[i + 1];
        if (!strcmp(k, "--port")) options.port = atoi(v);
        else if (!strcmp(k, "--customers")) options.customers = v;
        else if (!strcmp(k, "--connections")) options.connections = atoi(v);
        else if (!strcmp(k, "--seconds")) options.seconds = atof(v);
        else if (!strcmp(k, "--warmup")) options.warmup = atof(v);
        else if (!strcmp(k, "--rate")) options.rate = atof(v);
        else if (!strcmp(k, "--keys")) options.keys = (uint32_t)atoi(v);
        else if (!strcmp(k, "--path")) options.path = v;
        else if (!strcmp(k, "--like")) options.like = v;
        else if (!strcmp(k, "--mode")) {
            int m = 0;
            while (m < MODES && strcmp(v, mode_names[m])) m++;
            if (m == MODES) usage(v);
            options.mode = (enum Mode)m;
        } else {
            usage(k);
        }
    }
    if (argc % 2 == 0) usage(argv[argc - 1]);
    if (options.connections < 1 || options.connections % 4 || options.keys < 1)
        usage("such a number of connections (a multiple of 4) or keys");
    if (options.rate > 0 && (options.mode == CONFLICT || options.mode == STORM))
        usage("--rate with conflict or storm");
}

static void run(struct Connection *cs, int ep, double seconds, int measure) {
    uint64_t from = now_us(), until = from + (uint64_t)(seconds * 1e6);
    if (options.mode == STORM) run_storm(cs, ep, until, measure);
    else if (options.rate > 0) run_open(cs, ep, from, until, measure);
    else run_closed(cs, ep, until, measure);
}

static int compare(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double milliseconds(double quantile) {
    if (!latency_count) return 0;
    return latencies[(uint64_t)(quantile * (double)(latency_count - 1))] / 1000.0;
}

// `took`: seconds from the first to the last request of the measured part; what was under way at the
// end of a closed loop is not among the latencies.
static void report(const struct Totals *before, double took) {
    double seconds = options.rate > 0 || options.mode == STORM ? took : options.seconds;
    uint64_t measured = totals.answered - before->answered;
    qsort(latencies, latency_count, sizeof *latencies, compare);
    printf("{\"mode\":\"%s\",\"connections\":%d,\"seconds\":%g,\"rate\":%g,\"per_second\":%.0f,"
           "\"p50_ms\":%.3f,\"p90_ms\":%.3f,\"p99_ms\":%.3f,\"p999_ms\":%.3f,\"max_ms\":%.3f",
           mode_names[options.mode], options.connections, options.seconds, options.rate,
           (double)latency_count / seconds, milliseconds(.5), milliseconds(.9), milliseconds(.99),
           milliseconds(.999), milliseconds(1));
    printf(",\"measured\":%" PRIu64 ",\"request_bytes\":%.0f,\"answer_bytes\":%.0f,\"waves\":%" PRIu64,
           measured, (double)totals.sent_bytes / (double)(totals.sent ? totals.sent : 1),
           (double)(totals.answer_bytes - before->answer_bytes) / (double)(measured ? measured : 1),
           waves);
    const char *separator = ",\"status\":{";
    for (int s = 0; s < 600; s++) {
        if (totals.status[s] == before->status[s]) continue;
        printf("%s\"%d\":%" PRIu64, separator, s, totals.status[s] - before->status[s]);
        separator = ",";
    }
    uint64_t keys[2] = {0, 0};
    for (uint32_t i = 0; i < intent_count; i++) keys[intents[i].refused] += intents[i].answer != 0;
    printf("},\"keys_executed\":%" PRIu64 ",\"keys_refused\":%" PRIu64 "}\n", keys[0], keys[1]);
}

int main(int argc, char **argv) {
    read_options(argc, argv);
    seed_random(mix((uint64_t)time(NULL) * 1000003u + (uint64_t)getpid()));
    read_customers(options.customers);
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    int ep = epoll_create1(EPOLL_CLOEXEC);
    struct Connection *cs = calloc((size_t)options.connections, sizeof *cs);
    if (ep < 0 || !cs) die("set-up");
    for (int i = 0; i < options.connections; i++) {
        cs[i].fd = dial();
        watch(ep, &cs[i]);
    }
    if (options.mode == REPLAY || options.mode == GET || options.mode == REUSE)
        store_keys(cs, ep, options.keys);
    if (options.mode == FIXED)
        while (intent_count < options.keys) new_intent(0);
    if (options.warmup > 0) run(cs, ep, options.warmup, 0);
    fprintf(stderr, "MEASURE\n");  // the driver reads the server's CPU clock at these two lines
    struct Totals before = totals;
    uint64_t began = now_us();
    run(cs, ep, options.seconds, 1);
    double took = (double)(now_us() - began) / 1e6;
    fprintf(stderr, "DONE\n");
    report(&before, took);
    return 0;
}
