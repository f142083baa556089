// swift-tools-version: 6.2
import PackageDescription

// One language for every target: Swift 6 mode, explicit existentials, imports that do not leak,
// and warnings that stop the build.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    .define("FAILPOINTS", .when(traits: ["Failpoints"])),
]

/// A room of the server: a target whose arrows point downwards only.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one room.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// Every fuzz target in one program, which needs a fuzzer's `main` and is therefore declared for
/// `make fuzz` alone.
let fuzz: [Target] =
    Context.environment["TRANSFERD_FUZZ"] == nil
    ? []
    : [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "Platform", "Crypto", "JSON", "Ledger", "HTTPServer", "Identity", "API",
                "Configuration", "Bank",
            ], path: "Tests/Fuzz", exclude: ["Corpus"],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
    ]

/// The program whose instructions are counted, declared for `make instructions` alone: it needs
/// valgrind's headers.
let instructions: [Target] =
    Context.environment["TRANSFERD_INSTRUCTIONS"] == nil
    ? []
    : [
        .systemLibrary(name: "CValgrind", path: "Tests/CValgrind"),
        .executableTarget(
            name: "Instructions",
            dependencies: [
                "Platform", "Crypto", "Ledger", "Store", "SQLiteStore", "Identity", "HTTPServer",
                "API", "Bank", "CValgrind",
            ], path: "Tests/Instructions", swiftSettings: strict),
    ]

let package = Package(
    name: "transferd",
    products: [.executable(name: "transferd", targets: ["transferd"])],
    traits: [
        .trait(
            name: "Failpoints",
            description: "Compile the named points where tests kill, delay or fail the server.")
    ],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CPostgres"),
        .systemLibrary(name: "COpenSSL"),

        room("Platform", ["CLinux"]),
        room("Crypto", ["COpenSSL"]),
        room("JSON"),
        room("Ledger", ["Platform", "Crypto"]),
        // Lifetimes: accessors that return spans into a request's head.
        .target(
            name: "HTTPServer", dependencies: ["Platform", "CLinux"],
            swiftSettings: strict + [.enableExperimentalFeature("Lifetimes")]),
        room("Identity", ["Platform", "Crypto", "JSON"]),
        .target(
            name: "Migrations", path: "Migrations",
            resources: [
                .embedInCode("sqlite/0001_initial.sql"),
                .embedInCode("sqlite/0002_revocations.sql"),
                .embedInCode("postgres/0001_ledger.sql"),
                .embedInCode("postgres/grants.sql"),
                .embedInCode("sqlite/0003_plain_checks.sql"),
            ], swiftSettings: strict),
        room("Store", ["Platform", "Crypto", "Ledger", "Migrations"]),
        room("SQLiteStore", ["Platform", "Crypto", "Ledger", "Store", "Migrations", "CSQLite"]),
        room(
            "PostgresStore", ["Platform", "Crypto", "Ledger", "Store", "Migrations", "CPostgres"]),
        room("Settlement", ["Platform", "Ledger", "Store"]),
        .target(
            name: "Documents",
            resources: [.embedInCode("OpenAPI.json"), .embedInCode("Page.html")],
            swiftSettings: strict),
        room(
            "API",
            [
                "Platform", "JSON", "Crypto", "Ledger", "Store", "Identity", "HTTPServer",
                "Documents",
            ]),
        room(
            "Bank",
            [
                "Platform", "Crypto", "Ledger", "Store", "SQLiteStore", "PostgresStore",
                "Settlement", "Identity", "HTTPServer", "API",
            ]),
        room(
            "Configuration",
            ["Platform", "Ledger", "Store", "Identity", "HTTPServer", "API", "Bank"]),
        .executableTarget(
            name: "transferd",
            dependencies: [
                "Platform", "CLinux", "Crypto", "JSON", "Ledger", "Store", "SQLiteStore",
                "PostgresStore", "Identity", "HTTPServer", "API", "Bank", "Configuration",
            ], swiftSettings: strict),

        // Configuration: a page of the manual is made of its table.
        tests("TidyTests", ["Configuration"]),
        .target(
            name: "TestSupport", dependencies: ["Platform", "JSON", "Crypto", "CLinux", "CSQLite"],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests("PlatformTests", ["Platform", "TestSupport"]),
        tests("CryptoTests", ["Crypto", "TestSupport"]),
        tests("JSONTests", ["JSON", "TestSupport"]),
        tests("IdentityTests", ["Identity", "Crypto", "JSON", "Platform", "TestSupport"]),
        tests(
            "LedgerTests",
            ["Ledger", "Platform", "Crypto", "Store", "TestSupport", "StoreTestSupport"]),
        .target(
            name: "StoreTestSupport",
            dependencies: [
                "Platform", "Ledger", "Store", "SQLiteStore", "CSQLite", "PostgresStore",
                "CPostgres", "TestSupport",
            ],
            path: "Tests/StoreTestSupport", swiftSettings: strict),
        tests(
            "StoreTests", ["Store", "Ledger", "Platform", "TestSupport", "StoreTestSupport"]),
        tests(
            "StoreContractTests",
            [
                "Store", "SQLiteStore", "PostgresStore", "Ledger", "Platform", "TestSupport",
                "StoreTestSupport",
            ]),
        tests(
            "PostgresStoreTests",
            [
                "PostgresStore", "Store", "Ledger", "Platform", "Crypto", "Migrations", "CPostgres",
                "TestSupport", "StoreTestSupport",
            ]),
        tests(
            "SQLiteStoreTests",
            [
                "SQLiteStore", "Store", "Ledger", "Platform", "Crypto", "Migrations", "CSQLite",
                "CLinux", "TestSupport", "StoreTestSupport",
            ]),
        tests(
            "IntegrationTests",
            [
                "Platform", "Crypto", "JSON", "Ledger", "Store", "SQLiteStore", "PostgresStore",
                "Identity", "HTTPServer", "API", "Bank", "TestSupport", "StoreTestSupport",
            ]),
        tests(
            "APITests",
            [
                "API", "Documents", "Bank", "Platform", "Crypto", "JSON", "Ledger", "Store",
                "HTTPServer", "Identity", "TestSupport", "StoreTestSupport",
            ]),
        tests("HTTPServerTests", ["HTTPServer", "Platform", "CLinux", "TestSupport"]),
        tests("DifferentialTests", ["HTTPServer", "Ledger", "Platform", "TestSupport"]),
        // transferd: these tests run the program that was built.
        tests(
            "CommandTests",
            [
                "Configuration", "HTTPServer", "Bank", "Identity", "Ledger", "Platform", "CLinux",
                "CSQLite",
                "TestSupport", "transferd",
            ]),
    ] + fuzz + instructions
)
