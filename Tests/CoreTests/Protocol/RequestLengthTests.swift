import TestSupport
import Testing

/// git documents 65,535 bytes for a line, its LF included; a whole request is limited to 1 MiB.
@Suite("Length of a request")
struct RequestLengthTests {
    private let place = "protocol=https\nhost=github.com\n"

    /// Returns a line of so many bytes, LF included.
    private func line(_ key: String, bytes: Int) -> String {
        "\(key)=" + String(repeating: "x", count: bytes - key.utf8.count - 2) + "\n"
    }

    @Test("reads a line of 65,535 bytes whole, and refuses one more", arguments: ["password", "unknown", "wwwauth[]"])
    func longestLine(key: String) throws {
        let request = try Request(parsing: Secret((place + line(key, bytes: 65_535)).utf8))
        #expect(request.host == Array("github.com".utf8))
        if key == "password" { #expect(request.password?.count == 65_525) }
        #expect(throws: RequestError.tooLong) { try Request(parsing: Secret((place + line(key, bytes: 65_536)).utf8)) }
    }

    @Test("reports an endless line as too long, and a short one as incomplete")
    func endless() {
        let long = Array(repeating: UInt8(ascii: "x"), count: 65_535)
        #expect(throws: RequestError.tooLong) { try Request(parsing: Secret(long)) }
        #expect(throws: RequestError.malformedLine) { try Request(parsing: Secret(long.dropLast())) }
    }

    @Test("reads a request of 1 MiB, and refuses one byte more before parsing")
    func total() throws {
        let mebibyte = 1 << 20
        let filler = line("x", bytes: 1_000)
        var text = Array(place.utf8)
        while text.count + 2_000 < mebibyte { text += Array(filler.utf8) }
        text += Array(line("x", bytes: mebibyte - text.count).utf8)
        #expect(text.count == mebibyte)
        #expect(try Request(parsing: Secret(text)).host == Array("github.com".utf8))
        #expect(throws: RequestError.tooLong) { try Request(parsing: Secret(text + [0x0a])) }
    }
}
