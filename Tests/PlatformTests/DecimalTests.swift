import Platform
import Testing

@Suite("Decimal digits")
struct DecimalTests {
    @Test(
        "Numbers are written with as many decimals as asked for",
        arguments: [
            (0, 0, "0"), (7, 0, "7"), (10, 0, "10"), (12345, 0, "12345"),
            (0, 2, "0.00"), (5, 2, "0.05"), (50, 2, "0.50"), (100, 2, "1.00"),
            (123_456, 2, "1234.56"), (1, 3, "0.001"), (1000, 3, "1.000"),
            (UInt64.max, 0, "18446744073709551615"), (UInt64.max, 2, "184467440737095516.15"),
            (UInt64.max, 19, "1.8446744073709551615"), (1, 19, "0.0000000000000000001"),
        ] as [(UInt64, Int, String)])
    func decimals(units: UInt64, decimals: Int, text: String) {
        var bytes: [UInt8] = Array("x".utf8)
        bytes.append(decimal: units, decimals: decimals)
        #expect(String(decoding: bytes, as: UTF8.self) == "x" + text)
    }
}
