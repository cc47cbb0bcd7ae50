// swift-tools-version: 6.0
import PackageDescription

/// Makes a warning an error, in `make lint` and in continuous integration.
///
/// Not for whoever builds the program, perhaps with a compiler that came after it and knows more warnings.
let checked: [SwiftSetting] =
    Context.environment["GITSPACE_WARNINGS"] == "errors" ? [.unsafeFlags(["-warnings-as-errors"])] : []

/// Each function in a section of its own, and none kept for callers outside of the program.
///
/// Then the linker drops what nobody calls, and not only what no module needs. What describes a type stays, and of a
/// class its methods.
let sections: [SwiftSetting] = [
    .unsafeFlags(
        ["-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"], .when(configuration: .release))
]

/// One set of rules for every target: Swift 6, nothing implicit.
let strict: [SwiftSetting] =
    checked + sections + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

/// What tests start or ask thousands of times: without the optimizer, it takes twice as long.
let optimized: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Without what nobody calls, and with a name by which a debugger finds the symbols that packaging/symbols.sh puts aside.
///
/// For Swift's static libraries, the linker is told before to export all symbols, and would keep them.
let small = ["-Xlinker", "--gc-sections", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--build-id"]

/// The front door needs no shared library, not even the C library: that is a third of its time.
///
/// An older compiler of Debian's links a static program with libraries that it does not bring.
#if compiler(>=6.3)
    let standalone = ["-static-executable"] + small
#else
    let standalone = ["-static-stdlib", "-Xclang-linker", "-static"] + small
#endif

let package = Package(
    name: "git-credential-gitspace",
    products: [
        .executable(name: "git-credential-gitspace", targets: ["git-credential-gitspace"]),
        .executable(name: "git-credential-gitspace-full", targets: ["git-credential-gitspace-full"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    ],
    targets: [
        // What both programs share, as values: secrets, requests and answers, hosts, items, git's configuration.
        // Imports the C library for wiping and locking memory, and nothing else.
        .target(name: "CredentialCore", swiftSettings: optimized),
        // What servers are asked, as values: RFC 8628, 6749, 7009, 8414, JSON and HTTP; signed tokens (RFC 7515, 7517,
        // 7519) but for their signatures; each kind of host in a folder. Imports CredentialCore.
        .target(name: "Providers", dependencies: ["CredentialCore"], swiftSettings: optimized),
        // Texts for people and errors, as values that can be compared: the full program's alone.
        .target(name: "Messages", dependencies: ["CredentialCore"], swiftSettings: optimized),
        // The operations for git: get, store, erase, refresh, sign in. Imports Providers.
        .target(
            name: "Helper", dependencies: ["CredentialCore", "Messages", "Providers"], swiftSettings: optimized),
        // A message made into text: catalogues, wrapping.
        .target(
            name: "Language", dependencies: ["CredentialCore", "Messages", "System", "CLocale"],
            swiftSettings: optimized),
        // A sign-in that is shared with a container or an SSH host: what its target gets, and the process that gives it.
        // Imports Helper; and System as well, for the socket, its folder and lock, and ssh: what a share is has one place.
        // What a target sends is read by values that know nothing of either.
        .target(
            name: "Share",
            dependencies: ["CredentialCore", "CurlTransport", "Helper", "Messages", "Providers", "System"],
            swiftSettings: optimized),
        // The verbs for people, a file each: arguments, work, words, JSON. Imports Helper, Share and Language.
        .target(
            name: "Verbs",
            dependencies: [
                "CredentialCore", "Helper", "Language", "Messages", "Providers", "Share", "System",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: optimized),

        // Files, processes, locks, clock, signals, Unix sockets, trace: what all modules ask of the kernel. A terminal and
        // the socket for a browser are UserInterface's. Imports CredentialCore.
        .target(name: "System", dependencies: ["CredentialCore", "CProcess"], swiftSettings: optimized),

        // Signatures made and verified, over libcrypto; the full program's alone. What is signed, and by which rules a token
        // is believed, is Providers'. Imports System, to read the files of private keys.
        .target(
            name: "Cryptography", dependencies: ["CredentialCore", "Providers", "System", "CLibcrypto"],
            swiftSettings: optimized),

        // The outside world: each C library has one importer.
        // Calls that end in time, values and objects of GLib and GIO, for the keyring and the desktop.
        .target(
            name: "GLibSupport", dependencies: ["CredentialCore", "System", "CGLib"], swiftSettings: optimized),
        // The front door's own reader of the keyring.
        .target(name: "SessionBus", dependencies: ["CredentialCore", "System"], swiftSettings: optimized),
        // The keyring through libsecret, and git's cache where there is none.
        // libsecret's calls take and give GLib's own types, so its C module is built upon GLib's (its shim.h) and shows
        // them; hence CGLib here, for its module map and not to be imported.
        .target(
            name: "Keyrings", dependencies: ["CredentialCore", "GLibSupport", "System", "CGLib", "CLibsecret"],
            swiftSettings: optimized),
        .target(
            name: "CurlTransport", dependencies: ["CredentialCore", "Providers", "System", "CLibcurl"],
            swiftSettings: optimized),
        .target(
            name: "UserInterface",
            dependencies: [
                "CredentialCore", "Helper", "GLibSupport", "Language", "Messages", "Providers", "Share", "System",
                "CQREncode",
            ],
            swiftSettings: optimized),
        .systemLibrary(
            name: "CLibsecret", path: "Sources/C/CLibsecret", pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(
            name: "CLibcurl", path: "Sources/C/CLibcurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        // OpenSSL 3, which libcurl brings as well.
        .systemLibrary(
            name: "CLibcrypto", path: "Sources/C/CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CGLib", path: "Sources/C/CGLib", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CQREncode", path: "Sources/C/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CProcess", path: "Sources/C/CProcess"),
        .systemLibrary(name: "CLocale", path: "Sources/C/CLocale"),

        // What git spawns: small, static, over the C library alone. Everything else is the full program's.
        .target(
            name: "FrontDoor", dependencies: ["CredentialCore", "SessionBus", "System"], swiftSettings: optimized),
        .executableTarget(
            name: "git-credential-gitspace", dependencies: ["CredentialCore", "FrontDoor", "System"],
            swiftSettings: optimized, linkerSettings: [.unsafeFlags(standalone)]),
        .executableTarget(
            name: "git-credential-gitspace-full",
            dependencies: [
                "CredentialCore", "Cryptography", "Providers", "Helper", "GLibSupport",
                "Language", "Messages", "Share", "Verbs", "System", "SessionBus", "Keyrings",
                "CurlTransport",
                "UserInterface",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/FullProgram", swiftSettings: optimized,
            linkerSettings: [.unsafeFlags(small, .when(configuration: .release))]),

        // The doubles that stand for everything outside, and the tests of core and operations.
        .target(
            name: "TestSupport",
            dependencies: [
                "CredentialCore", "Helper", "Language", "Messages", "Providers", "Share", "Verbs",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/TestSupport", swiftSettings: optimized),
        .testTarget(
            name: "CoreTests",
            dependencies: [
                "CredentialCore", "Language", "Messages", "Providers", "Staging", "System",
                "TestSupport",
                "UserInterface",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HelperTests",
            dependencies: [
                "CredentialCore", "CurlTransport", "FrontDoor", "Helper", "Language", "Messages", "Providers", "Share",
                "StandIn", "Staging", "TestSupport", "Verbs",
            ],
            swiftSettings: strict),

        .testTarget(name: "ShareTests", dependencies: ["CredentialCore", "Share"], swiftSettings: strict),

        // The stand-in for GitHub, and the tests of the adapters, which meet the real thing.
        .systemLibrary(
            name: "CStandIn", path: "Tests/C/CStandIn", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "StandIn", dependencies: ["CStandIn"], path: "Tests/StandIn", swiftSettings: optimized),
        .executableTarget(
            name: "stand-in", dependencies: ["StandIn"], path: "Tests/StandInServer", swiftSettings: strict),
        .testTarget(name: "StandInTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: ["CredentialCore", "CurlTransport", "Providers", "StandIn", "Staging", "System"],
            swiftSettings: strict),
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["CredentialCore", "Cryptography", "Providers", "Staging", "System"],
            swiftSettings: strict),
        .testTarget(
            name: "KeyringsTests", dependencies: ["CredentialCore", "Keyrings", "Staging"],
            swiftSettings: strict),
        .testTarget(
            name: "SessionBusTests", dependencies: ["CredentialCore", "SessionBus", "Staging", "System"],
            swiftSettings: strict),
        .testTarget(
            name: "TerminalTests",
            dependencies: [
                "CredentialCore", "Helper", "Language", "Messages", "Providers", "Staging", "System", "UserInterface",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FrontDoorTests", dependencies: ["CredentialCore", "FrontDoor", "Staging", "System"],
            swiftSettings: strict),
        // Runs programs in turns and compares them; small, lest its own memory be taken for theirs.
        .executableTarget(
            name: "measure", path: "Tests/Bench/Measure", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(standalone)]),
        // What tests of the real thing have in common: programs that are run, private sessions, scripted services.
        .target(name: "Staging", dependencies: ["StandIn"], path: "Tests/Staging", swiftSettings: optimized),
        .testTarget(name: "EndToEndTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        // `make soak`: many accounts and operations, faults among them, and an oracle that knows each answer.
        .executableTarget(
            name: "soak", dependencies: ["StandIn", "Staging"], path: "Tests/Soak", swiftSettings: strict),
        // `make simulate`: thousands of schedules of several processes a second, each from a seed, in one thread.
        .systemLibrary(name: "CCoroutine", path: "Tests/C/CCoroutine"),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "CCoroutine", "CredentialCore", "Helper", "Messages", "Providers", "Share", "TestSupport", "Verbs",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Simulation", exclude: ["README.md"], swiftSettings: optimized),
        .testTarget(name: "FaultTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        // With the real programs that people use; `make test-world` alone runs them.
        .testTarget(name: "WorldTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        .testTarget(
            name: "NotificationTests",
            dependencies: [
                "CGLib", "CredentialCore", "GLibSupport", "Helper", "Messages", "Providers", "Share", "StandIn",
                "Staging", "System", "TestSupport", "UserInterface",
            ], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// Swift Testing runs the body of a test in a process of its own, and gives it values, since 6.3
// (`#expect(processExitsWith:)`; 6.2 gives none). An older compiler leaves out the files with such tests, and `make test`
// names them (Tests/Support/test.sh).
#if compiler(<6.3)
    let withExitTests = [
        "CoreTests": [
            "ChildProcessTests.swift", "ConfigurationFileTests.swift", "ConfinementTests.swift",
            "GitConfigurationTests.swift",
            "PipedProcessTests.swift", "SignalWatchTests.swift", "StandardInputTests.swift",
        ],
        "CurlTransportTests": ["EnvironmentTests.swift"],
        "TerminalTests": ["ClipboardTests.swift"],
    ]
    package.targets.removeAll { $0.name == "KeyringsTests" }
    for target in package.targets { target.exclude += withExitTests[target.name] ?? [] }
#endif

// `make fuzz` alone (Tests/Fuzz): libFuzzer brings the main function, so these link only with its sanitizer.
if Context.environment["GITSPACE_FUZZ"] != nil {
    let targets: [(name: String, dependencies: [Target.Dependency])] = [
        ("Request", ["CredentialCore", "Helper", "Share"]), ("SecretText", ["CredentialCore"]),
        ("OAuth", ["CredentialCore", "CurlTransport", "Providers"]), ("Addresses", ["CredentialCore", "Providers"]),
        ("Configuration", ["CredentialCore", "Providers"]), ("SessionBus", ["SessionBus", "System"]),
        ("JSONWebToken", ["CredentialCore", "Cryptography", "Providers"]), ("Gateway", ["CredentialCore", "Share"]),
        (
            "Files",
            [
                "CredentialCore", "Helper", "Keyrings", "Language", "Messages", "Providers", "Share", "System",
                "UserInterface", "Verbs",
            ]
        ),
    ]
    package.targets.append(.target(name: "FuzzSupport", path: "Tests/Fuzz/Support", swiftSettings: strict))
    for target in targets {
        let name = "\(target.name)Target"
        package.targets.append(
            .target(
                name: name, dependencies: target.dependencies + ["FuzzSupport"], path: "Tests/Fuzz/\(name)",
                swiftSettings: strict))
        package.products.append(.library(name: "fuzz-\(target.name)", type: .static, targets: [name]))
    }
}
