import CredentialCore
import Helper
import Language
import Testing

@Suite("Texts for people")
struct MessageTests {
    private let catalogue = [
        "%1$s refused the request (status %2$s)": "%2$s 상태로 거부했습니다. 호스트: %1$s", "it is full": "가득 찼습니다",
        "nothing was saved: %1$s": "저장하지 않았습니다: %1$s",
    ]

    private func korean(_ message: Message) -> String { message.text { catalogue[$0] ?? $0 } }

    @Test("fills in the values in the language's own order")
    func order() {
        let message = Message("%1$s refused the request (status %2$s)", "github.com" as DisplayText, 500)
        #expect(message.english == "github.com refused the request (status 500)")
        #expect(korean(message) == "500 상태로 거부했습니다. 호스트: github.com")
    }

    @Test("translates a message within a message, and no name")
    func nesting() {
        #expect(korean(Message("nothing was saved: %1$s", Message("it is full"))) == "저장하지 않았습니다: 가득 찼습니다")
        #expect(korean(Message("nothing was saved: %1$s", "it is full" as DisplayText)) == "저장하지 않았습니다: it is full")
        #expect(korean(.command("it is full")) == "  it is full")
    }

    @Test("fills in each place once, and keeps text that is no place")
    func places() {
        #expect(Message("%1$s", "%1$s 100%" as DisplayText).english == "%1$s 100%")
        #expect(Message("100% of %2$s, %", "a" as DisplayText).english == "100% of %2$s, %")
        #expect(Message("%0$s %1$d %1$", "a" as DisplayText).english == "%0$s %1$d %1$")
    }
}

@Suite("Catalogues")
struct CatalogueTests {
    /// Writes a catalogue in the form of GNU gettext's manual.
    private func file(_ texts: [String: String]) -> [UInt8] {
        let sorted = texts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let start = 28 + 16 * sorted.count
        var body: [UInt8] = []
        func table(_ texts: [String]) -> [UInt8] {
            texts.flatMap { text in
                defer { body += Array(text.utf8) + [0] }
                return number(text.utf8.count) + number(start + body.count)
            }
        }
        let tables = table(sorted.map(\.key)) + table(sorted.map(\.value))
        let header = [0x9504_12de, 0, sorted.count, 28, 28 + 8 * sorted.count, 0, 0]
        return header.flatMap(number) + tables + body
    }

    private func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    private let texts = [
        "": "Content-Type: text/plain; charset=UTF-8\n", "a": "가", "ab": "나", "b": "다", "it is full": "가득 찼습니다",
        "é": "라",
    ]

    @Test("finds every text of catalogues of any size, and returns a missing text unchanged")
    func found() throws {
        for count in 0...texts.count {
            let some = texts.filter { texts.keys.sorted().prefix(count).contains($0.key) }
            let catalogue = try #require(Catalogue(file(some)))
            for key in texts.keys { #expect(catalogue.text(for: key) == (key.isEmpty ? "" : some[key] ?? key)) }
            #expect(catalogue.text(for: "aa") == "aa" && catalogue.text(for: "zz") == "zz")
        }
    }

    @Test("accepts a file that is cut off, or whose offsets are wrong")
    func damaged() throws {
        let whole = file(texts)
        for length in whole.indices {
            guard let catalogue = Catalogue(Array(whole[..<length])) else { continue }
            for key in texts.keys { _ = catalogue.text(for: key) }
        }
        for position in whole.indices {
            var bytes = whole
            bytes[position] = 0xff
            guard let catalogue = Catalogue(bytes) else { continue }
            for key in texts.keys { _ = catalogue.text(for: key) }
        }
        #expect(Catalogue([]) == nil && Catalogue(Array("msgid".utf8)) == nil)
        #expect(Catalogue(whole.prefix(4).reversed() + whole.dropFirst(4)) == nil)
    }
}

@Suite("Preferred languages")
struct PreferredLanguagesTests {
    @Test(
        "prefers LANGUAGE to LC_ALL to LC_MESSAGES to LANG, except in the locale C",
        arguments: [
            ([:], []), (["LANG": "ko_KR.UTF-8"], ["ko_KR", "ko"]), (["LANG": "ko"], ["ko"]),
            (["LANG": "ko_KR.UTF-8", "LC_MESSAGES": "C"], []),
            (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "ko_KR"], ["ko_KR", "ko"]),
            (["LANG": "ko_KR.UTF-8", "LC_ALL": "C"], []),
            (["LANG": "ko_KR.UTF-8", "LC_ALL": "", "LC_MESSAGES": ""], ["ko_KR", "ko"]), (["LANGUAGE": "ko"], []),
            (["LANGUAGE": "ko", "LC_ALL": "POSIX"], []), (["LANGUAGE": "ko", "LC_ALL": "C.UTF-8"], ["ko"]),
            (["LC_ALL": "C.UTF-8"], []), (["LANGUAGE": "", "LANG": "ko_KR.UTF-8"], ["ko_KR", "ko"]),
            (["LANGUAGE": "de_AT@euro:ko", "LANG": "en_US.UTF-8"], ["de_AT", "de", "ko"]),
            // English in the first place is used, although no catalogue has that name.
            (["LANGUAGE": "en_US:ko", "LANG": "ko_KR.UTF-8"], []), (["LANGUAGE": "en:ko", "LANG": "ko_KR.UTF-8"], []),
            (["LANGUAGE": "fr:en:ko", "LANG": "ko_KR.UTF-8"], ["fr"]),
            (["LANGUAGE": "eng:ko", "LANG": "ko_KR.UTF-8"], ["eng", "ko"]),
        ] as [([String: String], [String])])
    func order(variables: [String: String], names: [String]) {
        #expect(PreferredLanguages.names { variables[$0] } == names)
    }

    @Test(
        "ignores values that are no plain name of a language",
        arguments: ["../../tmp/evil", "/tmp/evil", "..", "%L", "ko/../..", "ko%s", "", ":", "_", "_KR", "한국", "ko\n"])
    func hostile(name: String) {
        #expect(
            PreferredLanguages.names { ["LANGUAGE": name, "LANG": "xx_YY"][$0] ?? nil }.allSatisfy {
                ["xx_YY", "xx"].contains($0)
            })
        #expect(PreferredLanguages.names { $0 == "LANG" ? name : nil } == [])
    }
}
