internal import CredentialCore
internal import Glibc
package import Messages
internal import System

/// How texts reach a person who reads them now: at a terminal in lines that fit it, elsewhere as they are.
package enum TextOutput {
    /// A text in lines.
    ///
    /// - Parameters:
    ///   - message: what is said.
    ///   - descriptor: where it is going to be written.
    ///   - prefix: stands before the first line, in each language.
    ///   - hanging: the blanks that stand before the others instead.
    /// - Returns: one line where nobody has to see it fit: in a pipe, a file, and for a screen reader.
    package static func lines(
        _ message: Message, to descriptor: Int32, prefix: String = "", hanging: Int = 0
    ) -> [String] {
        let whole = Language.lines(message, columns: nil, prefix: prefix)
        guard let columns = width(of: descriptor), whole.contains(where: { Language.columns(of: $0) > columns }),
            !isAccessible
        else { return whole }
        return Language.lines(message, columns: columns, prefix: prefix, hanging: hanging)
    }

    /// The columns to which a text is broken that is written there; nil where it stays in one line.
    package static func width(of descriptor: Int32) -> Int? {
        isatty(descriptor) == 1 ? columns(of: descriptor) : nil
    }

    /// The width of a terminal at this moment: ioctl_tty(2), TIOCGWINSZ.
    ///
    /// A terminal that does not say, a serial line, has 80.
    static func columns(of terminal: Int32) -> Int {
        var size = winsize()
        return ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// Whether lines are read aloud; asked only when one is too long, since git's configuration has a say in it.
    private static let isAccessible: Bool = {
        guard let entries = try? GitConfiguration().entries() else { return ScreenSettings.quietest.isAccessible }
        let configuration = Configuration(entries, for: HostName(name: ""))
        return ScreenSettings(configuration, environment: { Environment[$0] }).isAccessible
    }()
}
