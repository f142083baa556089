import Ledger

/// One thing that can be configured: its name, what it may be, what it means, and where it goes.
package struct Setting: Sendable {
    /// What values a setting takes.
    package enum Kind: Sendable {
        case integer(ClosedRange<Int64>)
        case boolean
        /// `form` says for people what the text is.
        case text(form: String)
        case choice([String])
        /// Any number of the names, at least one.
        case choices([String])
        /// Decimal amounts by ISO 4217 code.
        case amounts
    }

    /// "section.name"
    package let key: String
    package let kind: Kind
    /// Nil for what has no unit.
    package let unit: String?
    /// One or two sentences.
    package let doc: String
    /// The value that a configuration has.
    package let read: @Sendable (ServeConfiguration) -> SettingValue
    /// Puts a value in its place, or says what it must be.
    let write: @Sendable (inout ServeConfiguration, SettingValue) throws(SettingRefusal) -> Void

    /// The value where nothing is said.
    package var defaultValue: SettingValue { read(ServeConfiguration()) }

    /// The environment variable that overrides it: `server.headBytes` is
    /// `TRANSFERD_SERVER_HEAD_BYTES`.
    package var environmentName: String {
        if key == "database.path" { return "TRANSFERD_DATABASE" }
        var name = "TRANSFERD_"
        for character in key {
            if character == "." {
                name += "_"
            } else if character.isUppercase {
                name += "_" + String(character)
            } else {
                name += character.uppercased()
            }
        }
        return name
    }

    /// What a value must be, for people: "a whole number from 0 to 65535".
    package var demand: String {
        switch kind {
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "true or false"
        case .text(let form): form
        case .choice(let names): "one of " + names.joined(separator: ", ")
        case .choices(let names): "a list of some of " + names.joined(separator: ", ")
        case .amounts: "amounts as texts by currency, such as {\"EUR\": \"999999999.99\"}"
        }
    }
}

/// The value of a setting, before it has its place.
package enum SettingValue: Hashable, Sendable {
    case integer(Int64)
    case boolean(Bool)
    case text(String)
    case list([String])
    case map([String: String])

    /// As it stands in a configuration file.
    package var json5: String {
        switch self {
        case .integer(let number): String(number)
        case .boolean(let flag): String(flag)
        case .text(let text): Self.quoted(text)
        case .list(let list): "[" + list.map(Self.quoted).joined(separator: ", ") + "]"
        case .map(let map):
            "{"
                + map.sorted { $0.key < $1.key }
                .map { "\($0.key): \(Self.quoted($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    /// As it stands in an environment variable.
    package var environmentText: String {
        switch self {
        case .integer(let number): String(number)
        case .boolean(let flag): String(flag)
        case .text(let text): text
        case .list(let list): list.joined(separator: ",")
        case .map(let map):
            map.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text {
            if character == "\"" || character == "\\" { quoted += "\\" }
            quoted.append(character)
        }
        return quoted + "\""
    }
}

/// What is wrong with a value, to be read after the setting's name: "is out of range".
struct SettingRefusal: Error {
    let what: String

    init(_ what: String) { self.what = what }

    /// Where a value of another class is wanted.
    init(_ value: SettingValue) {
        what =
            switch value {
            case .integer: "is a number"
            case .boolean: "is a boolean"
            case .text: "is a text"
            case .list: "is a list"
            case .map: "is an object"
            }
    }
}

extension Setting {
    static func integer<Number: FixedWidthInteger & Sendable>(
        _ key: String, _ path: any WritableKeyPath<ServeConfiguration, Number> & Sendable,
        _ range: ClosedRange<Int64>, unit: String? = nil, _ doc: String
    ) -> Setting {
        Setting(key: key, kind: .integer(range), unit: unit, doc: doc) {
            .integer(Int64($0[keyPath: path]))
        } write: { (configuration, value) throws(SettingRefusal) in
            guard case .integer(let number) = value else { throw SettingRefusal(value) }
            guard range.contains(number), let fitting = Number(exactly: number) else {
                throw SettingRefusal("is out of range")
            }
            configuration[keyPath: path] = fitting
        }
    }

    static func boolean(
        _ key: String, _ path: any WritableKeyPath<ServeConfiguration, Bool> & Sendable,
        _ doc: String
    ) -> Setting {
        Setting(key: key, kind: .boolean, unit: nil, doc: doc) {
            .boolean($0[keyPath: path])
        } write: { (configuration, value) throws(SettingRefusal) in
            guard case .boolean(let flag) = value else { throw SettingRefusal(value) }
            configuration[keyPath: path] = flag
        }
    }

    static func text(
        _ key: String, _ path: any WritableKeyPath<ServeConfiguration, String> & Sendable,
        form: String, _ doc: String,
        isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Setting {
        Setting(key: key, kind: .text(form: form), unit: nil, doc: doc) {
            .text($0[keyPath: path])
        } write: { (configuration, value) throws(SettingRefusal) in
            guard case .text(let text) = value else { throw SettingRefusal(value) }
            guard isValid(text) else { throw SettingRefusal("has a value that does not fit") }
            configuration[keyPath: path] = text
        }
    }

    static func choice<Value: Sendable>(
        _ key: String, _ path: any WritableKeyPath<ServeConfiguration, Value> & Sendable,
        _ all: [Value], name: @escaping @Sendable (Value) -> String, _ doc: String
    ) -> Setting {
        Setting(key: key, kind: .choice(all.map(name)), unit: nil, doc: doc) {
            .text(name($0[keyPath: path]))
        } write: { (configuration, value) throws(SettingRefusal) in
            guard case .text(let text) = value else { throw SettingRefusal(value) }
            guard let chosen = all.first(where: { name($0) == text }) else {
                throw SettingRefusal("has a name that is not known")
            }
            configuration[keyPath: path] = chosen
        }
    }

    static func choices<Value: Sendable>(
        _ key: String, _ path: any WritableKeyPath<ServeConfiguration, [Value]> & Sendable,
        _ all: [Value], name: @escaping @Sendable (Value) -> String, _ doc: String
    ) -> Setting {
        Setting(key: key, kind: .choices(all.map(name)), unit: nil, doc: doc) {
            .list($0[keyPath: path].map(name))
        } write: { (configuration, value) throws(SettingRefusal) in
            guard case .list(let texts) = value else { throw SettingRefusal(value) }
            guard !texts.isEmpty else { throw SettingRefusal("is empty") }
            guard Set(texts).count == texts.count else { throw SettingRefusal("names one twice") }
            var chosen: [Value] = []
            for text in texts {
                guard let value = all.first(where: { name($0) == text }) else {
                    throw SettingRefusal("has a name that is not known")
                }
                chosen.append(value)
            }
            configuration[keyPath: path] = chosen
        }
    }

    static func amounts(
        _ key: String,
        _ path: any WritableKeyPath<ServeConfiguration, [Currency: Int64]> & Sendable,
        _ doc: String
    ) -> Setting {
        Setting(key: key, kind: .amounts, unit: "units of each currency", doc: doc) {
            configuration in
            .map(
                Dictionary(
                    uniqueKeysWithValues: configuration[keyPath: path].map {
                        ($0.key.description, Money(minorUnits: $0.value, currency: $0.key).decimal)
                    }))
        } write: { (configuration, value) throws(SettingRefusal) in
            guard case .map(let texts) = value else { throw SettingRefusal(value) }
            var amounts: [Currency: Int64] = [:]
            for (code, text) in texts {
                guard let currency = Currency(code) else {
                    throw SettingRefusal("names a currency that is not known")
                }
                do {
                    amounts[currency] = try Money(DecimalAmount(text), currency).minorUnits
                } catch {
                    throw SettingRefusal("has an amount that is none of \(currency)")
                }
            }
            configuration[keyPath: path] = amounts
        }
    }
}
