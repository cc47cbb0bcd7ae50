import Foundation

/// A file of Tests/Corpus/Requests: a request to the byte, and what a helper may make of it (the README beside it).
package struct HostileRequest: Sendable {
    /// What a helper may do with a request.
    package enum Expectation: String {
        /// Nothing at all.
        case refuse
        /// Nothing, but for a plain store, which may keep a credential for exactly the place named.
        case miss
        /// Give the credential of `whose`.
        case answer
    }

    /// The file's name.
    package let name: String
    /// What the helper may do.
    package let expectation: Expectation
    /// Which of get, store and erase it is meant for.
    package let operations: [String]
    /// The host whose credential is the answer.
    package let whose: String?
    /// Whether a person at a terminal would rightly be asked to sign in, so that none may be there.
    package let wantsNoTerminal: Bool
    /// More than the program reads of a request, in bytes.
    package static let mostRead = 1 << 20
    private let body: [Substring]

    /// Every file of the corpus, by name.
    package static func all() throws -> [HostileRequest] {
        let folder = BuiltFiles.root + "Tests/Corpus/Requests"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".req") }.sorted()
            .map { try HostileRequest(name: $0, text: String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) }
    }

    /// Reads a file.
    ///
    /// - Throws: `NeverHappened` if it is not what the README describes.
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

    /// The request's bytes, as they go to the helper.
    ///
    /// - Parameter operation: `\c` is the credential that git would `store`, and nothing for the others.
    /// - Returns: all of standard input.
    /// - Throws: `NeverHappened` for an escape that is none.
    package func bytes(for operation: String) throws -> [UInt8] {
        let credential = operation == "store" ? "username=monalisa\npassword=planted\n" : ""
        return try body.reduce(into: []) { bytes, line in
            bytes += try Self.decode(line.utf8, credential: Array(credential.utf8), in: name)
        }
    }

    private static func decode(
        _ text: Substring.UTF8View, credential: [UInt8], in name: String
    ) throws -> [UInt8] {
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
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
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
                bytes += repeating(repeated, count)
            default: throw NeverHappened(description: "\(name): an escape that is none")
            }
        }
        return bytes
    }

    /// By doubling: ten million bytes one by one would take seconds in a debug build.
    private static func repeating(_ unit: [UInt8], _ count: Int) -> [UInt8] {
        guard count > 1 else { return count == 1 ? unit : [] }
        let half = repeating(unit, count / 2)
        return half + half + (count.isMultiple(of: 2) ? [] : unit)
    }

    /// Takes `{…}`; nothing in braces is a brace.
    private static func braced(_ text: inout Substring.UTF8View) -> String {
        guard text.popFirst() == UInt8(ascii: "{") else { return "" }
        let inner = text.prefix { $0 != UInt8(ascii: "}") }
        text = text.dropFirst(inner.count + 1)
        return String(decoding: inner, as: UTF8.self)
    }
}
