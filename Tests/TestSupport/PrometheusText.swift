/// The Prometheus text exposition format 0.0.4, read and checked.
package struct PrometheusText {
    /// Values by series as written, labels included.
    package private(set) var samples: [String: Double] = [:]
    /// What the format forbids.
    package private(set) var faults: [String] = []
    private var types: [String: Substring] = [:]

    package init(_ text: String) throws {
        if !text.hasSuffix("\n") { faults.append("no line feed at the end") }
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") { comment(line) } else { sample(line) }
        }
        for (name, type) in types where type == "histogram" { checkBuckets(of: name) }
    }

    private mutating func comment(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, words[1] == "HELP" || words[1] == "TYPE" else {
            return faults.append("comment: \(line)")
        }
        guard words[1] == "TYPE" else { return }
        if types.updateValue(words[3], forKey: String(words[2])) != nil {
            faults.append("two types: \(line)")
        }
        if !["counter", "gauge", "histogram"].contains(words[3]) { faults.append("type: \(line)") }
    }

    private mutating func sample(_ line: Substring) {
        guard let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...])
        else { return faults.append("value: \(line)") }
        let series = String(line[..<space])
        let name = series.prefix { $0 != "{" }
        guard let first = name.first, first.isLetter || first == "_",
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        else { return faults.append("name: \(line)") }
        let rest = series.dropFirst(name.count)
        if !rest.isEmpty, !rest.hasSuffix("\"}") || rest.contains("\\") {
            faults.append("labels: \(line)")
        }
        let suffixes = ["_bucket", "_sum", "_count"]
        let family =
            suffixes.first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
            .flatMap { types[$0] == "histogram" ? $0 : nil } ?? String(name)
        if types[family] == nil { faults.append("no type: \(line)") }
        if types[family] == "counter", !name.hasSuffix("_total") {
            faults.append("a counter's name: \(line)")
        }
        if samples.updateValue(value, forKey: series) != nil { faults.append("twice: \(line)") }
    }

    /// The last bucket holds what `_count` counts.
    private mutating func checkBuckets(of name: String) {
        for (series, value) in samples where series.hasPrefix(name + "_bucket{") {
            guard series.hasSuffix("le=\"+Inf\"}") else { continue }
            let labels = series.dropFirst(name.count + 7).replacing("le=\"+Inf\"", with: "")
                .replacing(",}", with: "}")
            let count = name + "_count" + (labels == "{}" ? "" : labels)
            if samples[count] != value { faults.append("\(count) is not \(value)") }
        }
    }
}
