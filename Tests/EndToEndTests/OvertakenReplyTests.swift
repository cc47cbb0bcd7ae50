import Staging
import Testing

/// pass-secret-service and others may answer a later request before an earlier one.
@Suite("A keyring that answers out of order")
struct OvertakenReplyTests {
    @Test("both programs read the answers, and the front door needs no help", arguments: ["on", "off"])
    func both(door: String) async throws {
        let session = try await Session(.noProvider)
        let service = try await ScriptedBusService(.keyring, "overtaken", in: session)
        let trace = session.home + "/trace"
        let environment = ["GITSPACE_TRACE": trace, "GITSPACE_FRONT_DOOR": door]
        let request = "protocol=https\nhost=\(ScriptedBusService.host)\n"
        let answer = try await session.run([BuiltFiles.helper, "get"], environment: environment, input: request)
        #expect(answer.output == "username=octocat\npassword=token\n", "\(answer.errors)")
        try await session.run(
            [BuiltFiles.helper, "store"], environment: environment,
            input: request + "username=octocat\npassword=token\n"
        ).succeeded(silently: true)
        guard door == "on" else { return }
        // The full program would have traced lines of its own, and requested all properties at once.
        let text = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(text.contains("get answered") && text.contains("store answered"), "\(text)")
        #expect(text.split(separator: "\n").count == 2, "\(text)")
        #expect(!service.calls.contains("GetAll") && service.calls.contains("Get Attributes"))
    }
}
