// What the parts of the load generator share. See load.c.
#ifndef LOAD_H
#define LOAD_H

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum Mode {
    FRESH, HOT, REPLAY, GET, CONFLICT, REUSE, REFUSAL, MIXED, STORM, FIXED, MODES
};
extern const char *const mode_names[MODES];

// What a request is. That says what its answer must be: see answer.c.
enum Kind {
    NEW,            // a new key
    AGAIN,          // a key whose answer is known
    LOOK_UP,        // GET by such a key
    LIST,           // a customer's newest transfers
    OTHER_CONTENT,  // a known key for another amount
    REFUSED,        // a new key for more than there is
    REFUSED_AGAIN,  // such a key once more
    RACE,           // a new key that other connections send at this moment
    RESENT,         // a key whose first attempt may still be running
    PLAIN,          // whatever it is, the same answer each time
    KINDS
};

// One decision to pay: everything else of it follows from its number.
struct Intent {
    uint64_t answer;  // hash of its stored answer's body; 0 as long as there is none
    uint8_t refused;  // asks for more than there is
    uint8_t sent;     // a connection waits for the answer of an attempt
};

struct Connection {
    int fd;
    int busy;
    enum Kind kind;
    uint32_t intent;
    uint64_t due;    // µs; latency counts from here: when it was sent, or, with a rate, should have been
    int executed;    // the answer was a 201 without the mark of a replay
    char *buffer;
    int capacity, length;
};

struct Options {
    enum Mode mode;
    int port, connections;
    double seconds, warmup, rate;  // rate: arrivals a second; 0: a closed loop
    uint32_t keys;
    const char *customers, *path, *like;
};
extern struct Options options;

struct Totals {
    uint64_t sent, answered, status[600], sent_bytes, answer_bytes;
};
extern struct Totals totals;

extern struct Intent *intents;
extern uint32_t intent_count;

// support.c
void die(const char *what);
uint64_t now_us(void);
uint64_t mix(uint64_t x);
uint64_t random_word(void);
double random_unit(void);  // above 0, at most 1
void seed_random(uint64_t seed);
uint64_t hash(const char *bytes, int count);

// request.c
void read_customers(const char *file);
uint32_t new_intent(int refused);
int write_request(char *target, int capacity, enum Kind kind, uint32_t intent);
void expected_key(uint32_t intent, char key[37]);
void expected_amount(uint32_t intent, char amount[32]);

// answer.c
int dial(void);
void send_request(struct Connection *c, enum Kind kind, uint32_t intent, uint64_t due);
int receive(struct Connection *c);  // the status of a whole and right answer, or 0: more is to come
void wrong(const struct Connection *c, const char *why);

// loops.c
void run_closed(struct Connection *cs, int ep, uint64_t until, int measure);
void run_open(struct Connection *cs, int ep, uint64_t from, uint64_t until, int measure);
void run_storm(struct Connection *cs, int ep, uint64_t until, int measure);
void store_keys(struct Connection *cs, int ep, uint32_t count);
void watch(int ep, struct Connection *c);

extern uint32_t *latencies;
extern uint64_t latency_count, waves;

#endif
