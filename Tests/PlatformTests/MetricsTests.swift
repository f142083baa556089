import Platform
import Testing

@Suite("Metrics")
struct MetricsTests {
    @Test("Instruments of one name and labels are summed, others stand apart")
    func sums() {
        let registry = MetricsRegistry()
        let one = registry.counter("a_total", help: "As.", labels: [("kind", "x")])
        let two = registry.counter("a_total", help: "As.", labels: [("kind", "x")])
        let other = registry.counter("a_total", help: "As.", labels: [("kind", "y")])
        one.add(2)
        two.add()
        other.add(7)
        registry.gauge("b", help: "Bs.").set(-4)
        registry.sampled("c", help: "Cs.") { 9 }
        #expect(
            registry.render() == """
                # HELP a_total As.
                # TYPE a_total counter
                a_total{kind="x"} 3
                a_total{kind="y"} 7
                # HELP b Bs.
                # TYPE b gauge
                b -4
                # HELP c Cs.
                # TYPE c gauge
                c 9

                """)
    }

    @Test("A histogram's buckets are cumulative and include their bounds")
    func histogram() {
        let registry = MetricsRegistry()
        let one = registry.sizes("n", help: "Ns.", bounds: [1, 2, 4])
        let two = registry.sizes("n", help: "Ns.", bounds: [1, 2, 4])
        for value in [1, 2, 3] { one.observe(value) }
        for value in [4, 5] { two.observe(value) }
        #expect(
            registry.render() == """
                # HELP n Ns.
                # TYPE n histogram
                n_bucket{le="1"} 1
                n_bucket{le="2"} 2
                n_bucket{le="4"} 4
                n_bucket{le="+Inf"} 5
                n_sum 15
                n_count 5

                """)
    }

    @Test("Latencies are observed in nanoseconds and told in seconds")
    func latency() {
        let registry = MetricsRegistry()
        registry.latency("t_seconds", help: "Ts.").observe(1_500_000)
        let text = registry.render()
        #expect(text.contains("t_seconds_bucket{le=\"0.001\"} 0\n"))
        #expect(text.contains("t_seconds_bucket{le=\"0.0025\"} 1\n"))
        #expect(text.contains("t_seconds_sum 0.0015\n"))
    }
}
