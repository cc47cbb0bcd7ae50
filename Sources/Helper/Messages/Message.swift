package import CredentialCore
internal import Glibc

/// A text for people, before its translation.
///
/// The English text is the catalogue's key, so it is a literal: `Message("cannot reach %1$s", host)`. Placeholders are
/// numbered, since other languages may need another order. `xgettext` finds the texts by this type's name.
package struct Message: Equatable, Sendable {
    package enum Argument: Equatable, Sendable {
        /// A name, an address or a number: the same in every language.
        case verbatim(DisplayText)
        /// A command, an address or a line of a file: as `verbatim`, but never broken between two lines.
        case whole(DisplayText)
        indirect case message(Message)
    }

    /// The English text, with `%1$s` to `%9$s` as placeholders.
    package let key: String
    package let arguments: [Argument]

    package init(_ key: StaticString, _ arguments: any MessageArgument...) {
        self.key = key.description
        self.arguments = arguments.map(\.argument)
    }

    package func with(_ arguments: [DisplayText]) -> Message { Self(key: key, arguments: arguments.map(\.argument)) }

    package func replacing(_ message: Message, with other: Message) -> Message {
        guard self != message else { return other }
        return Self(
            key: key,
            arguments: arguments.map {
                if case .message(let inner) = $0 { .message(inner.replacing(message, with: other)) } else { $0 }
            })
    }

    private init(key: String, arguments: [Argument]) {
        self.key = key
        self.arguments = arguments
    }

    package init(verbatim text: DisplayText) { self.init("%1$s", Verbatim(text)) }

    /// A space at which no line is broken; it occurs in no other text, since `DisplayText` writes it as bytes.
    package static let firmSpace: Character = "\u{a0}"
    package static let blank = Message(verbatim: "")
    /// A command on an indented line of its own, which can be pasted into a shell.
    package static func command(_ text: DisplayText) -> Message { Message(verbatim: "  \(text)") }

    package static func login(_ host: DisplayText, _ options: DisplayText...) -> Message {
        .command((["git credential-gitspace login \(word: host)"] + options).joined(separator: " "))
    }

    /// An indented line; `xgettext` skips this layout, since it does not begin with the type's name.
    package static func indented(_ message: Message) -> Message { Self("  %1$s", message) }
    package static func marked(_ mark: DisplayText, _ message: Message) -> Message { Self("%1$s %2$s", mark, message) }
    package var english: String { text { $0 } }

    /// The translated text with its values; a placeholder without a value stays unchanged.
    ///
    /// `translate` returns the key if there is no translation. `toBeWrapped` marks what `Wrapping` keeps in one line.
    package func text(toBeWrapped isWrapped: Bool = false, translatedBy translate: (String) -> String) -> String {
        var text = ""
        var rest = Substring(translate(key))
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent]
            rest = rest[percent...]
            if let number = Self.place(rest), number <= arguments.count {
                text += arguments[number - 1].text(isWrapped, translate)
                rest = rest.dropFirst(4)
            } else {
                text += "%"
                rest = rest.dropFirst()
            }
        }
        return text + rest
    }

    private static func place(_ text: Substring) -> Int? {
        let scalars = Array(text.unicodeScalars.prefix(4))
        guard scalars.count == 4, scalars[2] == "$", scalars[3] == "s", ("1"..."9").contains(scalars[1]) else {
            return nil
        }
        return Int(scalars[1].value - 48)
    }

    package static func kept(in storage: CredentialStorage) -> Message {
        switch storage {
        case .keyring: Message("Saved in the keyring.")
        case .memory: Message("No keyring here: git credential-cache keeps the token in memory.")
        }
    }

    /// The duration in the largest unit that gives at least 2; a time to wait is rounded up.
    package static func duration(_ seconds: Int64, toWait: Bool = false) -> Message {
        let count = { (unit: Int64) -> Int64 in seconds / unit + (toWait && seconds % unit > 0 ? 1 : 0) }
        return switch seconds {
        case ..<120: Message("%1$s seconds", max(2, seconds))
        case ..<7_200: Message("%1$s minutes", count(60))
        case ..<172_800: Message("%1$s hours", count(3_600))
        default: Message("%1$s days", count(86_400))
        }
    }

    package static func signedIn(as account: DisplayText, _ storage: CredentialStorage) -> Message {
        switch storage {
        case .keyring: Message("✓ Signed in as %1$s. Saved in the keyring.", account)
        case .memory:
            Message("✓ Signed in as %1$s. No keyring here: git credential-cache keeps the token in memory.", account)
        }
    }

    /// The sentence of `logout` and `git credential reject`.
    package static func signedOut(of host: DisplayText, _ accounts: [DisplayText], _ storage: CredentialStorage)
        -> Message
    {
        let names = accounts.joined(separator: ", ")
        return switch storage {
        case .keyring: Message("Signed out of %1$s: removed %2$s from the keyring.", host, names)
        case .memory: Message("Signed out of %1$s: removed %2$s from memory.", host, names)
        }
    }
}

extension Message: CustomStringConvertible {
    package var description: String { english }
}

extension Message.Argument {
    fileprivate func text(_ isWrapped: Bool, _ translate: (String) -> String) -> String {
        switch self {
        case .verbatim(let text): text.text
        case .whole(let text): isWrapped ? String(text.text.map { $0 == " " ? Message.firmSpace : $0 }) : text.text
        case .message(let message): message.text(toBeWrapped: isWrapped, translatedBy: translate)
        }
    }
}

/// A value that is safe to show: never a text of unknown origin.
package protocol MessageArgument {
    var argument: Message.Argument { get }
}

extension Message: MessageArgument {
    package var argument: Message.Argument { .message(self) }
}

extension DisplayText: MessageArgument {
    package var argument: Message.Argument { self == .token ? .message(Message("(a token)")) : .verbatim(self) }
}

/// A command or the like within a text, which can be copied whole at any width of the terminal.
package struct Verbatim: MessageArgument {
    private let text: DisplayText
    package init(_ text: DisplayText) { self.text = text }
    package var argument: Message.Argument { text == .token ? text.argument : .whole(text) }
}

extension HTTPSAddress: MessageArgument {
    package var argument: Message.Argument { .verbatim("\(self)") }
}

extension Int: MessageArgument {
    package var argument: Message.Argument { .verbatim("\(self)") }
}

extension Int64: MessageArgument {
    package var argument: Message.Argument { .verbatim("\(self)") }
}

package enum LocalTime {
    /// Returns a time, in seconds since 1970, as `2026-11-21 23:40` in the machine's time zone.
    ///
    /// A time outside the calendar is the bare number.
    package static func text(_ seconds: Int64) -> DisplayText { text(seconds, as: "%Y-%m-%d %H:%M") }

    /// Returns the hour alone, as `23:40`, for a time in the next twelve hours; else the date as well.
    package static func soon(_ seconds: Int64, now: Int64) -> DisplayText {
        seconds - now < 43_200 ? text(seconds, as: "%H:%M") : text(seconds)
    }

    private static func text(_ seconds: Int64, as format: String) -> DisplayText {
        var time = time_t(seconds)
        var parts = tm()
        var buffer = [CChar](repeating: 0, count: 32)
        guard localtime_r(&time, &parts) != nil, strftime(&buffer, buffer.count, format, &parts) > 0 else {
            return "\(seconds)"
        }
        return DisplayText(untrusted: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) })
    }
}
