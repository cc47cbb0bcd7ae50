internal import ArgumentParser
internal import CredentialCore
internal import Helper
internal import Language
internal import Messages
internal import Share

/// The verb `share stop NAME`.
struct StopShare: Verb {
    static let configuration = CommandConfiguration(
        "share stop", Message("Stop sharing."), examples: ["share stop box", "share stop box --refresh"],
        isListed: false)

    @Argument(help: ArgumentHelp(Message("The name that was shared."), valueName: "name"))
    var word: String

    @Flag(
        help: ArgumentHelp(
            Message("Refresh the tokens that were given away, so that every copy stops working.")))
    var refresh = false

    func run(with outside: VerbDependencies) throws(UserFacingError) -> ExitStatus {
        let refresh = { (request: Request) throws(UserFacingError) -> Bool in
            try Refresh.run(request, outside, outside.dependencies(nil)) == .done
        }
        let isDone = try ShareStop(outside.sharing).run(ShareName(typed: word), refresh: self.refresh ? refresh : nil)
        return isDone ? .done : .failed
    }
}
