#include "load.h"

#include <time.h>

void die(const char *what) {
    perror(what);
    exit(2);
}

uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000;
}

uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t random_state;
void seed_random(uint64_t seed) { random_state = seed; }
uint64_t random_word(void) { return mix(random_state++); }
double random_unit(void) { return (double)((random_word() >> 11) + 1) / 9007199254740992.0; }

uint64_t hash(const char *bytes, int count) {
    uint64_t h = mix((uint64_t)count), word;
    for (; count >= 8; bytes += 8, count -= 8) {
        memcpy(&word, bytes, 8);
        h = (h ^ word) * 0x9fb21c651e98df25u;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, bytes, (size_t)count);
    return mix(h ^ word) | 1;
}
