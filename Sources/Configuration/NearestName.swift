/// The one of `names` that takes the fewest changed, added, dropped or swapped characters to reach
/// from the beginning of `name`, in whatever letter case; the first of several. Nil only without
/// names.
package func nearestName(to name: String, among names: some Sequence<String>) -> String? {
    var best: (name: String, distance: Int)?
    // A name of a thousand characters is nobody's slip of the finger.
    let wanted = Array(name.lowercased().utf8.prefix(64))
    for candidate in names {
        let distance = editDistance(wanted, Array(candidate.lowercased().utf8))
        if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.name
}

/// Optimal string alignment: Levenshtein's distance with swaps of neighbours.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                cost = min(cost, beforeLast[j - 1] + 1)
            }
            row.append(cost)
        }
        (beforeLast, last) = (last, row)
    }
    return last[b.count]
}
