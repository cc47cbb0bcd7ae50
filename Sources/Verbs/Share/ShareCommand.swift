internal import Helper
package import Messages

/// The verb `share` in all its forms, chosen by what was typed.
package enum ShareCommand: Command {
    case share(Share)
    case list(ShareList)
    case stop(ShareStop)

    /// What each of them reports.
    package enum Report {
        case share(Share.Report)
        case list(ShareList.Report)
        case stop(ShareStop.Report)
    }

    package func run(_ tell: @escaping (Report) -> Void) throws(UserFacingError) -> ExitStatus {
        switch self {
        case .share(let command): try command.run { tell(.share($0)) }
        case .list(let command): try command.run { tell(.list($0)) }
        case .stop(let command): try command.run { tell(.stop($0)) }
        }
    }
}
