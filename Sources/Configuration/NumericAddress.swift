import Glibc

/// Whether `text` is an IPv4 or IPv6 address in digits, as inet_pton(3) reads it.
func isNumericAddress(_ text: String) -> Bool {
    var four = in_addr()
    var six = in6_addr()
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
}
