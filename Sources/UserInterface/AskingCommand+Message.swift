internal import Messages
internal import System

extension AskingCommand {
    /// `Asked by: git push, in ~/src/widgets`; nil if it cannot be found out.
    static var message: Message? {
        description(home: Environment["HOME"]).map { SignInWords.askedBy($0.command, in: $0.folder) }
    }
}
