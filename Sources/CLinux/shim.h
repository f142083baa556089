// What Linux offers to a server and Glibc's Swift overlay does not show: epoll, eventfd, timerfd,
// signalfd, accept4 and a few calls that are variadic in C. Declarations and inline shims only.
#ifndef TRANSFERD_CLINUX_H
#define TRANSFERD_CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <unistd.h>

// accept4 needs _GNU_SOURCE, which breaks debug builds when a module map header defines it.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pthread_setname_np(pthread_t, const char *);

static inline int cl_accept4(int fd) {
    return accept4(fd, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
static inline int cl_thread_name(pthread_t thread, const char *name) {
    return pthread_setname_np(thread, name);
}
static inline int cl_fcntl_getfl(int fd) { return fcntl(fd, F_GETFL); }
static inline int cl_fcntl_setfl(int fd, int flags) { return fcntl(fd, F_SETFL, flags); }
static inline int cl_open(const char *path, int flags, mode_t mode) {
    return open(path, flags | O_CLOEXEC, mode);
}
static inline uint32_t cl_epollin(void) { return EPOLLIN; }
static inline uint32_t cl_epollout(void) { return EPOLLOUT; }
static inline uint32_t cl_epollrdhup(void) { return EPOLLRDHUP; }
static inline uint32_t cl_epollhup(void) { return EPOLLHUP; }
static inline uint32_t cl_epollerr(void) { return EPOLLERR; }
static inline uint32_t cl_epollexclusive(void) { return EPOLLEXCLUSIVE; }
static inline int cl_epoll_add(int ep, int fd, uint32_t events, uint64_t tag) {
    struct epoll_event e;
    e.events = events;
    e.data.u64 = tag;
    return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
}
static inline int cl_epoll_modify(int ep, int fd, uint32_t events, uint64_t tag) {
    struct epoll_event e;
    e.events = events;
    e.data.u64 = tag;
    return epoll_ctl(ep, EPOLL_CTL_MOD, fd, &e);
}
static inline int cl_epoll_remove(int ep, int fd) {
    struct epoll_event e = {0};
    return epoll_ctl(ep, EPOLL_CTL_DEL, fd, &e);
}
static inline uint64_t cl_epoll_tag(const struct epoll_event *e) { return e->data.u64; }

#endif
