// swift-tools-version: 6.2
import PackageDescription

/// Makes a warning an error, in `make lint` and in continuous integration.
///
/// Not for whoever builds the program, perhaps with a compiler that came after it and knows more warnings.
let warnings: [SwiftSetting] =
    Context.environment["GITSPACE_WARNINGS"] == "errors" ? [.treatAllWarnings(as: .error)] : []

/// One set of rules for every target: Swift 6, nothing implicit.
let strict: [SwiftSetting] =
    warnings + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

/// Without what nobody calls, and with a name by which a debugger finds the symbols that packaging/symbols.sh puts aside.
let small = ["-Xlinker", "--gc-sections", "-Xlinker", "--build-id"]

/// The front door needs no shared library, not even the C library: that is a third of its time.
let standalone = ["-static-executable"] + small

let package = Package(
    name: "git-credential-gitspace",
    products: [
        .executable(name: "git-credential-gitspace", targets: ["git-credential-gitspace"]),
        .executable(name: "git-credential-gitspace-full", targets: ["git-credential-gitspace-full"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Tests only.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        // The pure core: bytes and values, no C library, no input or output, no clock.
        .target(name: "Bytes", path: "Sources/Core/Bytes", swiftSettings: strict),
        .target(name: "Messages", path: "Sources/Core/Messages", swiftSettings: strict),
        .target(name: "Tracing", path: "Sources/Core/Tracing", swiftSettings: strict),
        .target(
            name: "CredentialProtocol", dependencies: ["Bytes"],
            path: "Sources/Core/CredentialProtocol", swiftSettings: strict),
        .target(name: "Hosts", dependencies: ["Bytes"], path: "Sources/Core/Hosts", swiftSettings: strict),
        .target(
            name: "Configuration", dependencies: ["Bytes", "Hosts"],
            path: "Sources/Core/Configuration", swiftSettings: strict),
        .target(
            name: "Keyring", dependencies: ["Bytes", "CredentialProtocol", "Hosts"],
            path: "Sources/Core/Keyring", swiftSettings: strict),
        // Apart from the keyring's own, since the front door has no use for it.
        .target(
            name: "ForeignItems", dependencies: ["Bytes", "Keyring"],
            path: "Sources/Core/ForeignItems", swiftSettings: strict),
        .target(
            name: "OAuth", dependencies: ["Bytes", "Hosts", "Messages"],
            path: "Sources/Core/OAuth", swiftSettings: strict),
        .target(
            name: "Repositories", dependencies: ["Bytes", "Hosts", "OAuth"],
            path: "Sources/Core/Repositories", swiftSettings: strict),

        // The story: find, refresh or sign in, save, answer.
        .target(
            name: "Helper",
            dependencies: [
                "Bytes", "Configuration", "CredentialProtocol", "ForeignItems", "Hosts", "Keyring", "Messages", "OAuth",
                "Repositories",
            ],
            path: "Sources/Helper", swiftSettings: strict),

        // Adapters: each the only importer of what it adapts.
        .target(
            name: "LibsecretKeyring", dependencies: ["Bytes", "ForeignItems", "Keyring", "CLibsecret"],
            path: "Sources/Adapters/LibsecretKeyring", swiftSettings: strict),
        .target(
            name: "CurlTransport", dependencies: ["Bytes", "Hosts", "Messages", "OAuth", "CLibcurl"],
            path: "Sources/Adapters/CurlTransport", swiftSettings: strict),
        .target(
            name: "GitCommands", dependencies: ["Bytes", "Configuration", "Hosts", "Keyring", "Machine"],
            path: "Sources/Adapters/GitCommands", swiftSettings: strict),
        .target(
            name: "Terminal",
            dependencies: [
                "Callers", "Configuration", "Desktop", "Helper", "Hosts", "Keyring", "Language", "Machine", "Messages",
                "OAuth", "QRCode",
            ],
            path: "Sources/Adapters/Terminal", swiftSettings: strict),
        .target(
            name: "Desktop",
            dependencies: [
                "Bytes", "Callers", "Configuration", "Helper", "Hosts", "Keyring", "Language", "Machine", "Messages",
                "OAuth", "CGio",
            ],
            path: "Sources/Adapters/Desktop", swiftSettings: strict),
        .target(
            name: "QRCode", dependencies: ["CQREncode"], path: "Sources/Adapters/QRCode", swiftSettings: strict),
        .target(
            name: "Callers", dependencies: ["Messages"], path: "Sources/Adapters/Callers", swiftSettings: strict),
        .target(
            name: "Language", dependencies: ["Messages", "CLocale"],
            path: "Sources/Adapters/Language", swiftSettings: strict),
        .target(
            name: "Machine", dependencies: ["Bytes", "CProcess", "Tracing"],
            path: "Sources/Adapters/Machine", swiftSettings: strict),
        .target(
            name: "MachineLock", dependencies: ["Helper", "Machine"],
            path: "Sources/Adapters/MachineLock", swiftSettings: strict),
        .target(
            name: "GitFiles", dependencies: ["Helper", "Machine"],
            path: "Sources/Adapters/GitFiles", swiftSettings: strict),
        .target(
            name: "SessionBus", dependencies: ["Bytes", "Hosts", "Keyring", "Machine"],
            path: "Sources/Adapters/SessionBus", swiftSettings: strict),
        .systemLibrary(
            name: "CLibsecret", path: "Sources/C/CLibsecret", pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(
            name: "CLibcurl", path: "Sources/C/CLibcurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CGio", path: "Sources/C/CGio", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CQREncode", path: "Sources/C/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CProcess", path: "Sources/C/CProcess"),
        .systemLibrary(name: "CLocale", path: "Sources/C/CLocale"),

        // What git spawns: small, static, over the C library alone. Everything else is the full program's.
        .target(
            name: "FrontDoor",
            dependencies: [
                "Bytes", "Configuration", "CredentialProtocol", "Hosts", "Keyring", "Machine", "SessionBus",
            ],
            path: "Sources/FrontDoor", swiftSettings: strict),
        .executableTarget(
            name: "git-credential-gitspace",
            dependencies: ["Bytes", "CredentialProtocol", "FrontDoor", "GitCommands", "Machine"],
            path: "Sources/git-credential-gitspace", swiftSettings: strict, linkerSettings: [.unsafeFlags(standalone)]),
        .executableTarget(
            name: "git-credential-gitspace-full",
            dependencies: [
                "Bytes", "Configuration", "CredentialProtocol", "ForeignItems", "Hosts", "Keyring", "OAuth",
                "Repositories", "Helper",
                "Messages", "Language", "LibsecretKeyring", "CurlTransport", "GitCommands", "GitFiles", "Terminal",
                "Desktop", "Callers", "Machine", "MachineLock",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Sources/FullProgram", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(small, .when(configuration: .release))]),

        // The doubles that stand for everything outside, and the tests of core and story.
        .target(
            name: "TestSupport",
            dependencies: [
                "Bytes", "Configuration", "CredentialProtocol", "ForeignItems", "Helper", "Hosts", "Keyring", "OAuth",
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "CoreTests",
            dependencies: [
                "Bytes", "Configuration", "CredentialProtocol", "Hosts", "Keyring", "Messages", "OAuth", "Machine",
                "Repositories", "TestSupport", "Tracing",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HelperTests",
            dependencies: [
                "Bytes", "Configuration", "CredentialProtocol", "Helper", "Hosts", "Keyring", "Messages", "OAuth",
                "Repositories", "TestSupport",
            ],
            swiftSettings: strict),

        // The stand-in for GitHub, and the tests of the adapters, which meet the real thing.
        .target(
            name: "StandIn",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/StandIn", swiftSettings: strict),
        .executableTarget(
            name: "stand-in", dependencies: ["StandIn"], path: "Tests/StandInServer", swiftSettings: strict),
        .testTarget(name: "StandInTests", dependencies: ["StandIn"], swiftSettings: strict),
        .testTarget(
            name: "CurlTransportTests", dependencies: ["Bytes", "Hosts", "Messages", "OAuth", "CurlTransport"],
            resources: [.copy("Support/scripted_server.py")], swiftSettings: strict),
        .testTarget(
            name: "LibsecretKeyringTests", dependencies: ["Bytes", "Hosts", "Keyring", "LibsecretKeyring"],
            swiftSettings: strict),
        .testTarget(
            name: "SessionBusTests", dependencies: ["Bytes", "Hosts", "Keyring", "Machine", "SessionBus"],
            swiftSettings: strict),
        .testTarget(
            name: "TerminalTests",
            dependencies: [
                "Configuration", "Desktop", "Helper", "Hosts", "Keyring", "Language", "Messages", "OAuth", "QRCode",
                "Terminal",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FrontDoorTests",
            dependencies: ["Bytes", "Configuration", "CredentialProtocol", "FrontDoor", "Hosts", "Keyring"],
            swiftSettings: strict),
        // Runs programs in turns and compares them; small, lest its own memory be taken for theirs.
        .executableTarget(
            name: "measure", path: "Tests/Bench/Measure", swiftSettings: strict,
            linkerSettings: [.unsafeFlags(standalone)]),
        // The stage of those tests that link nothing of the program: they run what was built, as git does.
        .target(name: "Staging", dependencies: ["StandIn"], path: "Tests/Staging", swiftSettings: strict),
        .testTarget(name: "EndToEndTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        .testTarget(name: "FaultTests", dependencies: ["StandIn", "Staging"], swiftSettings: strict),
        .testTarget(
            name: "NotificationTests",
            dependencies: [
                "CredentialProtocol", "Desktop", "Helper", "Hosts", "Machine", "MachineLock", "OAuth", "StandIn",
                "Staging",
                "TestSupport",
            ], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

// `make fuzz` alone (Tests/Fuzz): libFuzzer brings the main function, so these link only with its sanitizer.
if Context.environment["GITSPACE_FUZZ"] != nil {
    let targets: [(name: String, dependencies: [Target.Dependency])] = [
        ("Request", ["Bytes", "CredentialProtocol", "Keyring"]), ("SecretText", ["Bytes", "Keyring"]),
        ("OAuth", ["Bytes", "Hosts", "OAuth"]), ("Addresses", ["Bytes", "Configuration", "Hosts"]),
        ("Configuration", ["Bytes", "Configuration", "Hosts"]), ("SessionBus", ["SessionBus"]),
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
