import Helper
import Language
import Testing

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
