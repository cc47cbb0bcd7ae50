internal import Messages
internal import System

extension AskingCommand {
    /// `git push, in ~/src/widgets`; nil if it cannot be found out.
    static var message: Message? {
        description(home: Environment["HOME"]).map { Message("%1$s, in %2$s", $0.command, $0.folder) }
    }
}
