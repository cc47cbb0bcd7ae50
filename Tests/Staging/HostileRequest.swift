import Foundation

/// A file of Tests/Corpus/Requests: the bytes of a request, and what a helper may do with it (see the README there).
package struct HostileRequest: Sendable {
    /// The reactions of a helper that a request allows.
    package enum Expectation: String {
        /// The helper must do nothing.
        case refuse
        /// The helper must answer nothing; a store may keep a credential for exactly the host named.
        case miss
        /// The helper may return the credential of `whose`.
        case answer
    }

    package let name: String
    package let expectation: Expectation
    /// The operations to test: some of get, store and erase.
    package let operations: [String]
    package let whose: String?
    /// Whether a sign-in would be the right reaction at a terminal, so that the test must not have one.
    package let wantsNoTerminal: Bool
    /// The most bytes that the program reads of a request.
    package static let mostRead = 1 << 20
    private let body: [Substring]

    /// Every file of the corpus, sorted by name.
    package static func all() throws -> [HostileRequest] {
        let folder = BuiltFiles.root + "Tests/Corpus/Requests"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".req") }.sorted()
            .map { try HostileRequest(name: $0, text: String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
    }

    private init(name: String, text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let header = lines.prefix { !$0.isEmpty }
        func value(_ key: String) -> String? {
            header.first { $0.hasPrefix(key + ": ") }.map { String($0.dropFirst(key.count + 2)) }
        }
        guard let expectation = value("expect").flatMap(Expectation.init), let operations = value("operations"),
            value("class") != nil, (expectation == .answer) == (value("whose") != nil)
        else { throw NeverHappened(description: "\(name) lacks a line of its header") }
        self.name = name
        self.expectation = expectation
        self.operations = operations.split(separator: " ").map(String.init)
        whose = value("whose")
        wantsNoTerminal = value("terminal") == "no"
        body = Array(lines.dropFirst(header.count + 1))
    }

    /// All of standard input; for `store`, `\c` becomes a credential, for the other operations nothing.
    package func bytes(for operation: String) throws -> [UInt8] {
        let credential = operation == "store" ? "username=monalisa\npassword=planted\n" : ""
        return try body.reduce(into: []) { bytes, line in
            bytes += try Self.decode(line.utf8, credential: Array(credential.utf8), in: name)
        }
    }

    private static func decode(_ text: Substring.UTF8View, credential: [UInt8], in name: String) throws -> [UInt8] {
        var rest = text[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): bytes.append(0x0a)
            case UInt8(ascii: "r"): bytes.append(0x0d)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "0"): bytes.append(0)
            case byte: bytes.append(byte)
            case UInt8(ascii: "c"): bytes += credential
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                    throw NeverHappened(description: "\(name): \\x without two digits")
                }
                rest = rest.dropFirst(2)
                bytes.append(value)
            case UInt8(ascii: "*"):
                guard let count = Int(braced(&rest)), case let unit = Substring(braced(&rest)) else {
                    throw NeverHappened(description: "\(name): \\* without a number")
                }
                let repeated = try decode(unit.utf8, credential: credential, in: name)
                for _ in 0..<count { bytes += repeated }
            default: throw NeverHappened(description: "\(name): an escape that is none")
            }
        }
        return bytes
    }

    /// Removes `{…}` from the beginning, and returns the text between the braces, which has no braces itself.
    private static func braced(_ text: inout Substring.UTF8View) -> String {
        guard text.popFirst() == UInt8(ascii: "{") else { return "" }
        let inner = text.prefix { $0 != UInt8(ascii: "}") }
        text = text.dropFirst(inner.count + 1)
        return String(decoding: inner, as: UTF8.self)
    }
}
