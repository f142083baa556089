#include "load.h"

struct Customer {
    char debtor[40], creditor[40];
    char *token;
};

struct Intent *intents;
uint32_t intent_count;
static uint32_t intent_capacity;
static struct Customer *customers;
static uint32_t customer_count;
static uint64_t run;  // keeps the keys of two runs on one database apart

void read_customers(const char *file) {
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
    run = random_word();
}

uint32_t new_intent(int refused) {
    if (intent_count == intent_capacity) {
        intent_capacity = intent_capacity ? intent_capacity * 2 : 1 << 16;
        intents = realloc(intents, intent_capacity * sizeof *intents);
        if (!intents) die("realloc");
    }
    intents[intent_count] = (struct Intent){0, (uint8_t)refused};
    return intent_count++;
}

void expected_key(uint32_t intent, char key[37]) {
    uint64_t a = mix(run ^ (2ull * intent + 1)), b = mix(a + intent);
    snprintf(key, 37, "%08x-%04x-4%03x-a%03x-%012" PRIx64, (uint32_t)(a >> 32),
             (uint32_t)(a >> 16) & 0xffff, (uint32_t)a & 0xfff, (uint32_t)(b >> 48) & 0xfff,
             (uint64_t)(b & 0xffffffffffffull));
}

// A few euros; of a refused one, twice of what an account of seed.py holds.
void expected_amount(uint32_t intent, char amount[32]) {
    int cents = 100 + (int)(mix(intent) % 899);
    snprintf(amount, 32, "%d.%02d", (intents[intent].refused ? 200000000 : 0) + cents / 100,
             cents % 100);
}

static int head(char *target, size_t capacity, const char *line, const char *argument,
                const char *token) {
    return snprintf(target, capacity,
                    "%s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n", line,
                    argument, options.port, token);
}

// Writes the request and returns its length.
int write_request(char *target, int capacity, enum Kind kind, uint32_t intent) {
    const struct Customer *u =
        &customers[options.mode == HOT ? 0 : mix(intent ^ 0x5151) % customer_count];
    size_t room = (size_t)capacity;
    char key[37], amount[32], body[512];
    if (kind == PLAIN && !strcmp(options.like, "plain"))
        return snprintf(target, room,
                        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Request-Id: load\r\n\r\n",
                        options.path, options.port);
    expected_key(intent, key);
    if (kind == LIST) {
        int n = head(target, room, "GET /api/transfers?limit=20", "", u->token);
        return n + snprintf(target + n, room - (size_t)n, "\r\n");
    }
    if (kind == LOOK_UP || (kind == PLAIN && !strcmp(options.like, "get"))) {
        int n = head(target, room, "GET /api/transfers/by-key/", key, u->token);
        return n + snprintf(target + n, room - (size_t)n, "\r\n");
    }
    expected_amount(intent, amount);
    if (kind == OTHER_CONTENT) amount[0] = amount[0] == '9' ? '1' : (char)(amount[0] + 1);
    int length = snprintf(
        body, sizeof body,
        "{\"debtorAccount\":{\"iban\":\"%s\"},\"instructedAmount\":{\"currency\":\"EUR\","
        "\"amount\":\"%s\"},\"creditorAccount\":{\"iban\":\"%s\"},\"creditorName\":"
        "\"Jansen Bouw BV\",\"remittanceInformationUnstructured\":\"invoice %u\"}",
        u->debtor, amount, u->creditor, intent);
    int n = head(target, room, "POST /api/transfers", "", u->token);
    return n + snprintf(target + n, room - (size_t)n,
                        "Content-Type: application/json\r\nIdempotency-Key: %s\r\n%s"
                        "Content-Length: %d\r\n\r\n%s",
                        key, kind == RESENT ? "Prefer: wait=10\r\n" : "", length, body);
}
