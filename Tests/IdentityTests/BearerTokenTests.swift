import Testing

@testable import Identity

@Suite("Authorization headers") struct BearerTokenTests {
    private static func token(_ value: String) -> String? {
        let bytes = Array(value.utf8)
        guard let range = BearerToken.credentials(in: bytes.span),
            BearerToken.isToken(bytes.span.extracting(range))
        else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    @Test(
        "The token is what follows the scheme",
        arguments: [
            ("Bearer abc", "abc"), ("bearer a.b.c", "a.b.c"), ("BEARER  x", "x"),
            ("Bearer azAZ09-._~+/==", "azAZ09-._~+/=="),
            ("BeArEr =".replacing("=", with: "a="), "a="),
        ])
    func found(value: String, token: String) { #expect(Self.token(value) == token) }

    @Test(
        "Other schemes and anything but one token are refused",
        arguments: [
            "", "Bearer", "Bearer ", "Bearer   ", "Bearerabc", "Basic abc", "Bearer\tabc",
            "Bearer abc def", "Bearer abc,", "Bearer abc ", " Bearer abc", "Bearer =", "Bearer ==a",
            "Bearer a=b", "Bearer \"abc\"", "Bearer abc\0", "Bearer é", "Token abc", "beare abc",
            "Bearer: abc", "\u{02}earer abc",
        ])
    func refused(value: String) { #expect(Self.token(value) == nil) }
}
