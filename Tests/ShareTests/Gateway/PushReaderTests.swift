import CredentialCore
import Testing

@testable import Share

@Suite("gateway: beginning of a push")
struct PushReaderTests {
    private func read(
        _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) -> Outcome<Push, HTTPRefusal> {
        Pieces.outcome(of: bytes, sourceLocation: sourceLocation, read)
    }

    /// Reads the pieces; the body ends with the last one.
    private func read(_ pieces: [ArraySlice<UInt8>]) -> Outcome<Push, HTTPRefusal> {
        var reader = PushReader()
        var outcome = Outcome(pieces) { (input: inout ArraySlice<UInt8>) throws(HTTPRefusal) in try reader.take(&input)
        }
        guard outcome.result == .success(nil) else { return outcome }
        do throws(HTTPRefusal) { outcome.result = .success(try reader.finish()) } catch {
            outcome.result = .failure(error)
        }
        return outcome
    }

    private static let pack = Array("PACK\u{0}\u{0}\u{0}\u{2}".utf8)

    @Test("reads new, changed and deleted branches, and leaves the rest")
    func commands() {
        let bytes = PushBytes.commands([
            PushBytes.create("refs/heads/agent/fix-login"), PushBytes.update("refs/heads/main"),
            PushBytes.delete("refs/tags/v1"),
        ])
        let outcome = read(bytes + Self.pack)
        #expect(outcome.value?.bytes == bytes && outcome.rest == Self.pack && outcome.value?.isSigned == false)
        #expect(outcome.value?.commands.map(\.change) == [.created, .updated, .deleted])
        #expect(outcome.value?.commands.map(\.displayName) == ["agent/fix-login", "main", "refs/tags/v1"])
        #expect(outcome.value?.commands.map(\.abbreviatedIDs) == ["3f2a1c9", "bbbbbbb..3f2a1c9", "3f2a1c9"])
        #expect(outcome.value?.capabilities == [.reportStatus, .sideBand64k])
    }

    @Test("reads names of SHA-256")
    func sha256() {
        let ids = "\(String(repeating: "0", count: 64)) 9f\(String(repeating: "1", count: 62))"
        let push = read(PushBytes.commands(["\(ids) refs/heads/x"])).value
        #expect(push?.commands.first?.change == .created && push?.commands.first?.abbreviatedIDs == "9f11111")
    }

    @Test("reads a probe and an empty push of a shallow repository only at the end of the body")
    func nothing() {
        let shallow = PushBytes.packet("shallow \(PushBytes.first)") + PushBytes.packet("shallow \(PushBytes.second)\n")
        for bytes in [PushBytes.flush, shallow + PushBytes.flush] {
            let push = read(bytes).value
            #expect(push?.bytes == bytes && push?.commands.isEmpty == true && push?.isSigned == false)
            // A second list, or bytes that another reader would take for one.
            #expect(read(bytes + PushBytes.commands([PushBytes.update("refs/heads/main")])).failure == .malformed)
            #expect(read(bytes + [0]).failure == .malformed)
        }
        #expect(read([]).failure == .malformed)
    }

    @Test("reads a push of a shallow repository, and lines with a line end")
    func shallow() {
        let lines =
            PushBytes.packet("shallow \(PushBytes.first)\n")
            + PushBytes.packet("\(PushBytes.create("refs/heads/x"))\u{0}report-status\n")
            + PushBytes.packet("\(PushBytes.update("refs/heads/y"))\n")
        let push = read(lines + PushBytes.flush).value
        #expect(push?.commands.map(\.displayName) == ["x", "y"] && push?.capabilities == [.reportStatus])
    }

    @Test(
        "reads capabilities as whole words, as git does",
        arguments: [
            ("report-status", [.reportStatus]), (" report-status-v2", [.reportStatus]),
            ("report-status-v3 xreport-status", []), ("side-band-64k side-band", [.sideBand64k, .sideBand]),
            ("push-options", [.pushOptions]), ("push-options=1", [.pushOptions]), ("push-options-x a=push-options", []),
            ("atomic quiet ofs-delta", []), ("", []), ("   ", []),
        ] as [(String, Set<Push.Capability>)])
    func capabilities(list: String, capabilities: Set<Push.Capability>) {
        let bytes = PushBytes.commands([PushBytes.create("refs/heads/x")], capabilities: list)
        let options = capabilities.contains(.pushOptions) ? PushBytes.packet("a=b\n") + PushBytes.flush : []
        let outcome = read(bytes + options + Self.pack)
        #expect(outcome.value?.capabilities == capabilities && outcome.rest == Self.pack)
        #expect(outcome.value?.options == (options.isEmpty ? [] : [Array("a=b".utf8)[...]]))
    }

    @Test("accepts a push without capabilities, and a ref with the name of a pack or of a list's end")
    func bare() {
        let push = read(PushBytes.packet(PushBytes.create("refs/heads/x")) + PushBytes.flush).value
        #expect(push?.capabilities == [] && push?.commands.count == 1)
        let bytes = PushBytes.commands([PushBytes.create("refs/heads/PACK"), PushBytes.update("refs/heads/0000")])
        #expect(read(bytes).value?.commands.map(\.displayName) == ["PACK", "0000"])
    }

    @Test("reads the commands of a signed push from its certificate only")
    func signed() {
        let bytes = PushBytes.signed([PushBytes.create("refs/heads/x"), PushBytes.delete("refs/heads/y")])
        let outcome = read(bytes + Self.pack)
        #expect(outcome.value?.isSigned == true && outcome.value?.bytes == bytes && outcome.rest == Self.pack)
        #expect(outcome.value?.commands.map(\.displayName) == ["x", "y"])
        #expect(outcome.value?.capabilities == [.reportStatus, .sideBand64k])
        let end = PushBytes.packet("push-cert-end\n")
        let command = PushBytes.packet(PushBytes.update("refs/heads/main"))
        let start = PushBytes.packet("push-cert\u{0}report-status")
        // git would take these lines for a command, and another reader would not: in capitals, behind another line, or
        // none.
        for commands in [
            [PushBytes.create("refs/heads/x"), PushBytes.create("refs/heads/y").uppercased()],
            ["\(PushBytes.create("refs/heads/x"))\n\(PushBytes.create("refs/heads/y"))"], [],
        ] { #expect(read(PushBytes.signed(commands)).failure == .malformed) }
        // A list beside the certificate, a certificate beside the list, and a certificate that does not end.
        #expect(read(start + end + command + PushBytes.flush).failure == .malformed)
        #expect(read(command + start + end + PushBytes.flush).failure == .malformed)
        #expect(read(command + PushBytes.packet("push-cert") + end + PushBytes.flush).failure == .malformed)
        #expect(read(start + command + PushBytes.flush).failure == .malformed)
        #expect(read(start + PushBytes.packet("push-cert-end") + PushBytes.flush).failure == .malformed)
        #expect(read(PushBytes.packet("push-cert") + end + PushBytes.flush).failure == .malformed)
    }

    private static let line = PushBytes.create("refs/heads/x")

    private static let malformed = [
        "", " ", "x", String(line.dropFirst()), " \(line)", line.replacing(" ", with: "  ", maxReplacements: 1),
        line.replacing(" ", with: "\t"), "\(line) y", "\(line)\n\n", "\(line)\r", "\(line)\ny", "\(line)\u{7f}",
        "\(PushBytes.zero) \(PushBytes.first) ", "\(PushBytes.zero) \(PushBytes.first)", line.uppercased(),
        "\(PushBytes.zero)00 \(PushBytes.first)00 refs/heads/x", "g\(line.dropFirst())",
        "\(PushBytes.zero)\(String(repeating: "0", count: 24)) \(PushBytes.first) refs/heads/x", "shallow x",
        "shallow \(PushBytes.first)x", "shallow \(PushBytes.first) ", "shallow  \(PushBytes.first)", "push-certificate",
        "push-cert-end", "\(PushBytes.zero) \(PushBytes.first) \(String(repeating: "r", count: 4_097))",
    ]

    @Test("refuses a line that is no command", arguments: malformed)
    func malformedLines(line: String) {
        #expect(read(PushBytes.packet(line) + PushBytes.flush).failure == .malformed)
        let before = PushBytes.packet(Self.line + "\u{0}report-status")
        #expect(read(before + PushBytes.packet(line) + PushBytes.flush).failure == .malformed)
    }

    @Test("refuses capabilities on another line, a shallow line after a command, and hidden words")
    func hidden() {
        let first = PushBytes.packet(Self.line + "\u{0}report-status")
        #expect(read(first + PushBytes.packet(Self.line + "\u{0}push-options") + PushBytes.flush).failure == .malformed)
        #expect(read(first + PushBytes.packet("shallow \(PushBytes.first)") + PushBytes.flush).failure == .malformed)
        for list in ["report-status\tpush-options", "report-status\npush-options", "a\u{0}push-options", "\u{e9}"] {
            #expect(read(PushBytes.commands([Self.line], capabilities: list)).failure == .malformed)
        }
    }

    @Test(
        "refuses a malformed length",
        arguments: [
            "0001", "0002", "0003", "0004", "000g", "+004", "-001", "    ", "0x10", "fff1", "ffff", "00 5", "PACK",
        ])
    func lengths(digits: String) {
        let start = Array(digits.utf8)
        #expect(read(start + [UInt8](repeating: 0x20, count: 16)).failure == .malformed)
        #expect(read(PushBytes.packet(Self.line) + start + PushBytes.flush).failure == .malformed)
    }

    @Test("accepts git's longest packet in either case of the digits, and refuses one byte more")
    func longestLine() {
        let payload = Array("\(Self.line)\u{0}".utf8)
        for (digits, length) in [("fff0", 65_520), ("FFF0", 65_520), ("fff1", 65_521)] {
            let filler = [UInt8](repeating: 0x20, count: length - 4 - payload.count)
            let push = read(Array(digits.utf8) + payload + filler + PushBytes.flush)
            #expect(length == 65_520 ? push.value?.commands.count == 1 : push.failure == .malformed, "\(digits)")
        }
    }

    @Test("reports a body as incomplete that ends before the flush")
    func truncated() {
        let bytes = PushBytes.commands([PushBytes.create("refs/heads/x"), PushBytes.update("refs/heads/y")])
        for count in bytes.indices { #expect(read(Array(bytes.prefix(count))).failure == .malformed) }
    }

    @Test("accepts 1 MiB of commands, and refuses one byte more")
    func size() {
        let most = 1 << 20
        var list = PushBytes.packet(Self.line)
        let line = PushBytes.packet(PushBytes.update("refs/heads/\(String(repeating: "y", count: 1_500))"))
        while list.count + 2 * line.count + 4 < most { list += line }
        // The last line makes the whole list exactly so long.
        func filled(_ total: Int) -> [UInt8] {
            let name = "refs/heads/" + String(repeating: "z", count: total - list.count - 4 - 4 - 82 - 11)
            return list + PushBytes.packet(PushBytes.update(name)) + PushBytes.flush
        }
        let (full, tooLong) = (filled(most), filled(most + 1))
        #expect(full.count == most)
        // The bytes come at once, in the pieces of a pipe, and with the last byte alone.
        for cuts in [[0], Array(stride(from: 0, to: most, by: 4_096)), [0, most - 1], [0, most]] {
            func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
                zip(cuts, cuts.dropFirst() + [bytes.count]).map { bytes[$0..<$1] }
            }
            let outcome = read(pieces(full + Self.pack))
            #expect(outcome.value?.bytes.count == most && outcome.rest == Self.pack)
            #expect(read(pieces(tooLong + Self.pack)).failure == .pushTooLarge)
            // No more than the limit is kept of an endless list.
            #expect(read(pieces(full.dropLast(4) + line + line)).failure == .pushTooLarge)
        }
    }
}
