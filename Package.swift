// swift-tools-version: 6.0
import PackageDescription

/// Makes a warning an error, in `make lint` and in continuous integration, whose tests get no debug information: it would
/// take a tenth of the time of these builds.
///
/// Other builds may use a newer compiler, which may have more warnings. SwiftPM adds `-g` behind the flags of a target;
/// the frontend's own option outranks it.
let checked: [SwiftSetting] =
    Context.environment["GITSPACE_WARNINGS"] == "errors"
    ? [
        .unsafeFlags(["-warnings-as-errors"]),
        .unsafeFlags(["-Xfrontend", "-gnone"], .when(configuration: .debug)),
    ] : []

/// Puts each function into a section of its own, and exports none.
///
/// Then the linker drops every unused function, not only those that no module needs. Type metadata and the methods of
/// classes stay.
let sections: [SwiftSetting] = [
    .unsafeFlags(
        ["-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"], .when(configuration: .release))
]

/// The same rules for every target: Swift 6, nothing implicit.
let strict: [SwiftSetting] =
    checked + sections + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

/// Optimization for code that tests start or call thousands of times: without it, they take twice as long.
let optimized: [SwiftSetting] = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// Drops unused code, and adds the build ID by which debuggers find the symbols of packaging/symbols.sh.
///
/// For Swift's static libraries, the linker is told earlier to export all symbols, and would keep them.
let small = ["-Xlinker", "--gc-sections", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--build-id"]

/// Links the front door without shared libraries, not even the C library, which saves a third of its time.
///
/// An older compiler of Debian links a static program with libraries that it does not include.
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
        // Values that both programs share: secrets, requests and answers, hosts, items, git's configuration. Imports
        // the C library for wiping and locking memory, and nothing else.
        .target(name: "CredentialCore", swiftSettings: optimized),
        // Requests to servers and their responses, as values: RFC 8628, 6749, 7009, 8414, JSON and HTTP; signed tokens
        // (RFC 7515, 7517, 7519) without their signatures; a folder for each kind of host. Imports CredentialCore.
        .target(name: "Providers", dependencies: ["CredentialCore"], swiftSettings: optimized),
        // The operations for git: get, store, erase, refresh, sign in. Imports Providers.
        .target(
            name: "Helper", dependencies: ["CredentialCore", "Providers"], swiftSettings: optimized),
        // Turns messages into text: catalogues, wrapping.
        .target(
            name: "Language", dependencies: ["CredentialCore", "Helper", "System", "CLocale"],
            swiftSettings: optimized),
        // Sharing a sign-in with a container or an SSH host: the target's credentials, and the process that serves
        // them. Imports Helper, and System for the socket, its folder and lock, and ssh, so that all of sharing is in
        // one place. The values that parse a target's data know nothing of either.
        .target(
            name: "Share",
            dependencies: ["CredentialCore", "CurlTransport", "Helper", "Providers", "Sandbox", "System"],
            swiftSettings: optimized),
        // The verbs for people, one file each: arguments, work, words, JSON. Imports Helper, Share and Language.
        .target(
            name: "Verbs",
            dependencies: [
                "CredentialCore", "Helper", "Language", "Providers", "Share", "System",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: optimized),

        // System calls of all modules: files, processes, locks, clock, signals, Unix sockets, trace. The terminal and
        // the browser's socket are in UserInterface. Imports CredentialCore.
        .target(name: "System", dependencies: ["CredentialCore", "CProcess"], swiftSettings: optimized),

        // The confinement of a process that reads somebody else's bytes, with libseccomp; only in the full program.
        .target(name: "Sandbox", dependencies: ["System", "CLibseccomp"], swiftSettings: optimized),

        // Makes and verifies signatures with libcrypto; only in the full program. The contents of tokens and the rules
        // for accepting them are in Providers. Imports System, to read private key files.
        .target(
            name: "Cryptography", dependencies: ["CredentialCore", "Providers", "System", "CLibcrypto"],
            swiftSettings: optimized),

        // Adapters to the outside world: only one module imports each C library.
        // Calls with time limits, values and objects of GLib and GIO, for the keyring and the desktop.
        .target(
            name: "GLibSupport", dependencies: ["CredentialCore", "System", "CGLib"], swiftSettings: optimized),
        // The keyring through libsecret, and git's credential cache where there is none. libsecret's functions use
        // GLib's types, so its C module is built upon GLib's (see its shim.h); hence CGLib here, which is needed for
        // its module map and never imported.
        .target(
            name: "Keyrings", dependencies: ["CredentialCore", "GLibSupport", "System", "CGLib", "CLibsecret"],
            swiftSettings: optimized),
        .target(
            name: "CurlTransport", dependencies: ["CredentialCore", "Providers", "System", "CLibcurl"],
            swiftSettings: optimized),
        .target(
            name: "UserInterface",
            dependencies: [
                "CredentialCore", "Helper", "GLibSupport", "Language", "Providers", "Share", "System",
                "CQREncode",
            ],
            swiftSettings: optimized),
        .systemLibrary(
            name: "CLibsecret", path: "Sources/C/CLibsecret", pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(
            name: "CLibcurl", path: "Sources/C/CLibcurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        // OpenSSL 3, on which libcurl depends as well.
        .systemLibrary(
            name: "CLibcrypto", path: "Sources/C/CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CGLib", path: "Sources/C/CGLib", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CQREncode", path: "Sources/C/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(
            name: "CLibseccomp", path: "Sources/C/CLibseccomp", pkgConfig: "libseccomp",
            providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CProcess", path: "Sources/C/CProcess"),
        .systemLibrary(name: "CLocale", path: "Sources/C/CLocale"),

        // The program that git starts: small, static, with the C library alone. Everything else is in the full program.
        .target(
            name: "FrontDoor", dependencies: ["CredentialCore", "System"], swiftSettings: optimized),
        .executableTarget(
            name: "git-credential-gitspace", dependencies: ["CredentialCore", "FrontDoor", "System"],
            swiftSettings: optimized, linkerSettings: [.unsafeFlags(standalone)]),
        .executableTarget(
            name: "git-credential-gitspace-full",
            dependencies: [
                "CredentialCore", "Cryptography", "Providers", "Helper", "GLibSupport",
                "Language", "Sandbox", "Share", "Verbs", "System", "FrontDoor", "Keyrings",
                "CurlTransport",
                "UserInterface",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/FullProgram", swiftSettings: optimized,
            linkerSettings: [.unsafeFlags(small, .when(configuration: .release))]),

        // The doubles for everything outside, and the tests of core and operations.
        .target(
            name: "TestSupport",
            dependencies: [
                "CredentialCore", "Helper", "Language", "Providers", "Share", "Verbs",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/TestSupport", swiftSettings: optimized),
        .testTarget(
            name: "CoreTests",
            dependencies: [
                "CLibseccomp", "CredentialCore", "Language", "Helper", "Providers", "Sandbox", "Staging", "System",
                "TestSupport",
                "UserInterface",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HelperTests",
            dependencies: [
                "CredentialCore", "CurlTransport", "FrontDoor", "Helper", "Language", "Providers", "Share",
                "StandIn", "Staging", "TestSupport", "Verbs",
            ],
            swiftSettings: strict),

        .testTarget(name: "ShareTests", dependencies: ["CredentialCore", "Share"], swiftSettings: strict),

        // The stand-in for GitHub, and the tests of the adapters, which use real programs.
        .systemLibrary(
            name: "CStandIn", path: "Tests/C/CStandIn", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "StandIn", dependencies: ["CStandIn"], path: "Tests/StandIn", swiftSettings: optimized),
        .executableTarget(
            name: "stand-in", dependencies: ["StandIn"], path: "Tests/StandInServer", swiftSettings: strict),
        .testTarget(name: "StandInTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: ["CLibcurl", "CredentialCore", "CurlTransport", "Providers", "StandIn", "Staging", "System"],
            swiftSettings: strict),
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["CredentialCore", "Cryptography", "Providers", "Staging", "System"],
            swiftSettings: strict),
        .testTarget(
            name: "KeyringsTests", dependencies: ["CredentialCore", "Keyrings", "Staging"],
            swiftSettings: strict),
        .testTarget(
            name: "SessionBusTests", dependencies: ["CredentialCore", "FrontDoor", "Staging", "System"],
            swiftSettings: strict),
        .testTarget(
            name: "TerminalTests",
            dependencies: [
                "CredentialCore", "Helper", "Language", "Providers", "Staging", "System", "UserInterface",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FrontDoorTests", dependencies: ["CredentialCore", "FrontDoor", "Staging", "System"],
            swiftSettings: strict),
        // Compares programs by running them in turns; small, so that its own memory is not measured.
        .executableTarget(
            name: "measure", path: "Tests/Bench/Measure", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(standalone)]),
        // The common parts of tests with real programs: processes, private sessions, scripted services.
        .target(
            name: "Staging", dependencies: ["CredentialCore", "StandIn"], path: "Tests/Staging",
            swiftSettings: optimized),
        .testTarget(name: "EndToEndTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        // `make soak`: many accounts and operations with faults, and an oracle that knows each answer.
        .executableTarget(
            name: "soak", dependencies: ["StandIn", "Staging"], path: "Tests/Soak", swiftSettings: strict),
        // `make simulate`: thousands of schedules of several processes per second, each from a seed, in one thread.
        .systemLibrary(name: "CCoroutine", path: "Tests/C/CCoroutine"),
        .executableTarget(
            name: "simulate",
            dependencies: [
                "CCoroutine", "CredentialCore", "Helper", "Providers", "Share", "TestSupport", "Verbs",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Simulation", exclude: ["README.md"], swiftSettings: optimized),
        .testTarget(name: "FaultTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        // The tests with programs that people use; only `make test-world` runs them.
        .testTarget(name: "WorldTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        .testTarget(
            name: "NotificationTests",
            dependencies: [
                "CGLib", "CredentialCore", "GLibSupport", "Helper", "Providers", "Share", "StandIn",
                "Staging", "System", "TestSupport", "UserInterface",
            ], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// Since 6.3, Swift Testing runs the body of a test in its own process and passes values to it
// (`#expect(processExitsWith:)`; 6.2 passes none). An older compiler leaves out the files with such tests, and `make
// test` names them (Tests/Support/test.sh).
#if compiler(<6.3)
    let withExitTests = [
        "CoreTests": [
            "ChildProcessTests.swift", "ConfigurationFileTests.swift", "ConfinementTests.swift",
            "FileLocksTests+Hanging.swift", "GitConfigurationTests.swift",
            "PipedProcessTests.swift", "SignalWatchTests.swift", "StandardInputTests.swift",
            "Tracing/TraceTests.swift", "UnixSocketTests+Nobody.swift",
        ],
        "CurlTransportTests": ["EnvironmentTests.swift"],
        "TerminalTests": ["ClipboardTests.swift", "TerminalKeysTests+Secrets.swift"],
    ]
    package.targets.removeAll { $0.name == "KeyringsTests" }
    for target in package.targets { target.exclude += withExitTests[target.name] ?? [] }
#endif

// Only for `make fuzz` (Tests/Fuzz): libFuzzer has the main function, so these targets link only with its sanitizer.
if Context.environment["GITSPACE_FUZZ"] != nil {
    let targets: [(name: String, dependencies: [Target.Dependency])] = [
        ("Request", ["CredentialCore", "Helper", "Share"]), ("SecretText", ["CredentialCore"]),
        ("OAuth", ["CredentialCore", "CurlTransport", "Providers"]), ("Addresses", ["CredentialCore", "Providers"]),
        ("Configuration", ["CredentialCore", "Providers"]), ("SessionBus", ["FrontDoor", "System"]),
        ("JSONWebToken", ["CredentialCore", "Cryptography", "Providers"]), ("Gateway", ["CredentialCore", "Share"]),
        (
            "Files",
            [
                "CredentialCore", "Helper", "Keyrings", "Language", "Providers", "Share", "System",
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
    }
    package.products.append(.library(name: "fuzz", type: .static, targets: targets.map { "\($0.name)Target" }))
}
