import CredentialCore
import Testing

@testable import Share

@Suite("gateway: the host's report of a push")
struct PushReportTests {
    private func push(
        _ capabilities: String, of refs: [String] = ["refs/heads/a", "refs/heads/main", "refs/tags/v1", "refs/heads/b"]
    ) throws -> Push { try PushBytes.read(PushBytes.commands(refs.map(PushBytes.create), capabilities: capabilities)) }

    private static let lines = [
        "unpack ok\n", "ok refs/heads/a\n", "ng refs/heads/main protected branch\n", "ng refs/tags/v1 no\n",
    ]

    private static func banded(_ data: [UInt8], _ size: Int) -> [UInt8] {
        stride(from: 0, to: data.count, by: size).flatMap { start -> [UInt8] in
            PushBytes.packet([2] + Array("ng refs/heads/a progress\n".utf8))
                + PushBytes.packet([1] + data[start..<min(start + size, data.count)])
        }
    }

    @Test("reads accepted and refused refs, in pieces and bands of any size")
    func refs() throws {
        let plain = Self.lines.flatMap { PushBytes.packet($0) } + PushBytes.flush
        for (capabilities, bytes) in [
            (" report-status", plain), (" report-status side-band-64k", Self.banded(plain, 1_000)),
            (" report-status-v2 side-band", Self.banded(plain, 3)),
        ] {
            for step in [1, 5, 10_000] {
                var report = PushReport(for: try push(capabilities))
                for start in stride(from: 0, to: bytes.count, by: step) {
                    bytes[start..<min(start + step, bytes.count)].withUnsafeBytes { report.take($0) }
                }
                #expect(
                    report.result == PushResult([.accepted, .rejected, .rejected, .unknown]), "\(capabilities) \(step)")
            }
        }
    }

    @Test(
        "concludes nothing from text that is no report",
        arguments: ["", "<html>", "00", "0003", "fff", "zzzz", "0004", "0001000200030000ng x y"])
    func nonsense(text: String) throws {
        var report = PushReport(for: try push(" report-status"))
        Array(text.utf8).withUnsafeBytes { report.take($0) }
        #expect(report.result == nil)
    }

    @Test("compares whole names, and gives a repeated name one result")
    func names() throws {
        let long = "refs/heads/" + String(repeating: "x", count: 200)
        var report = PushReport(for: try push(" report-status", of: [long + "1", long + "2", long + "1"]))
        let bytes = ["unpack ok\n", "ng \(long)1 no\n", "ok \(long)2\n"].flatMap { PushBytes.packet($0) }
        bytes.withUnsafeBytes { report.take($0) }
        #expect(report.result == PushResult([.rejected, .accepted, .rejected]))
    }

    @Test("counts every ref as rejected if the objects could not be unpacked")
    func notUnpacked() throws {
        var report = PushReport(for: try push(" report-status"))
        PushBytes.packet("unpack index-pack abnormal exit\n").withUnsafeBytes { report.take($0) }
        #expect(report.result == PushResult(Array(repeating: .rejected, count: 4)))
    }
}
