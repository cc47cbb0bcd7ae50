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
