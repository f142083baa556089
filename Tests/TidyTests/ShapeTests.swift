import Testing

@Suite("Files and functions keep a size that one can read")
struct ShapeTests {
    private static let fileLines = 400
    private static let functionLines = 70

    @Test("No file has more than 400 lines")
    func fileLength() {
        let long = (Repository.sources + Repository.tests)
            .filter { $0.lines.count - 1 > Self.fileLines }
            .map { "\($0.path): \($0.lines.count - 1) lines" }
        #expect(long.isEmpty)
        for file in Repository.sources where file.lines.count - 1 > Self.fileLines / 2 {
            print(
                "\(file.path) has \(file.lines.count - 1) lines; aim under \(Self.fileLines / 2).")
        }
    }

    @Test("No function has more than 70 lines")
    func functionLength() {
        var long: [String] = []
        var seen = 0
        for file in Repository.sources + Repository.tests {
            for function in Function.all(in: file) {
                seen += 1
                if function.length > Self.functionLines {
                    long.append(
                        "\(file.path):\(function.line + 1) \(function.name): \(function.length) lines"
                    )
                }
            }
        }
        #expect(long.isEmpty)
        #expect(seen > 500, "functions are not found any more")
    }

    @Test("A function's body ends where its brace does")
    func functionsAreMeasured() {
        let file = SourceFile(
            path: "Example.swift",
            text: """
                protocol P {
                    func required(_ a: Int)
                    func next() -> Int
                }
                func f(
                    _ g: () -> Void = { print("}") }
                ) throws(E) -> [Int]
                {
                    // }
                    return "\\(h { 1 })"
                }
                init(a: Int) { self.a = a }
                """)
        let functions = Function.all(in: file)
        #expect(functions.map(\.name) == ["required", "next", "f", "init"])
        #expect(functions.map(\.length) == [1, 1, 7, 1])
        #expect(functions.last?.body == ["self.a = a "])
    }
}
