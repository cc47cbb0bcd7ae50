package import CredentialCore

/// A text for people, before it is put into their language.
///
/// The English text is the catalogue's key, so it is a literal: `Message("cannot reach %1$s", host)`. Placeholders are
/// numbered as in printf(3), since another language may need another order. `xgettext` finds the texts by this type's
/// name. A placeholder is filled with a message or a text that can be shown, never with raw text.
package struct Message: Equatable, Sendable {
    package enum Argument: Equatable, Sendable {
        /// A name, an address, a number: the same in each language.
        case verbatim(DisplayText)
        /// The same, and never broken between two lines: a command, an address, a line of a file.
        case whole(DisplayText)
        /// Text that is translated itself.
        indirect case message(Message)
    }

    /// With `%1$s` to `%9$s`.
    package let key: String
    /// `%1$s` first.
    package let arguments: [Argument]

    package init(_ key: StaticString, _ arguments: any MessageArgument...) {
        self.key = key.description
        self.arguments = arguments.map(\.argument)
    }

    package func with(_ arguments: [DisplayText]) -> Message { Self(key: key, arguments: arguments.map(\.argument)) }

    /// Wherever `message` fills a placeholder.
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

    /// The same in each language, and in one line: a command, an address.
    package init(verbatim text: DisplayText) { self.init("%1$s", Verbatim(text)) }

    /// No line is broken there; no other text contains it: `DisplayText` writes it as bytes.
    package static let firmSpace: Character = "\u{a0}"

    /// Between two blocks.
    package static let blank = Message(verbatim: "")

    /// An indented line of its own that can be pasted into a shell.
    package static func command(_ text: DisplayText) -> Message { Message(verbatim: "  \(text)") }

    package static func login(_ host: DisplayText, _ options: DisplayText...) -> Message {
        .command((["git credential-gitspace login \(word: host)"] + options).joined(separator: " "))
    }

    /// `xgettext` does not find this layout, since it does not begin with the type's name.
    package static func indented(_ message: Message) -> Message { Self("  %1$s", message) }

    /// A mark such as `[ OK ]`.
    package static func marked(_ mark: DisplayText, _ message: Message) -> Message {
        Self("%1$s %2$s", mark, message)
    }

    package var english: String { text { $0 } }

    /// A placeholder without a value stays as it is; `translate` gives the key back if there is no text for it.
    ///
    /// If `Wrapping` breaks the text into lines, it has to know what stays whole.
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

    /// As in `%1$s`, at the beginning.
    private static func place(_ text: Substring) -> Int? {
        let scalars = Array(text.unicodeScalars.prefix(4))
        guard scalars.count == 4, scalars[2] == "$", scalars[3] == "s", ("1"..."9").contains(scalars[1]) else {
            return nil
        }
        return Int(scalars[1].value - 48)
    }
}

extension Message: CustomStringConvertible {
    package var description: String { english }
}

extension Message.Argument {
    fileprivate func text(_ isWrapped: Bool, _ translate: (String) -> String) -> String {
        switch self {
        case .verbatim(let text): text.text
        case .whole(let text):
            isWrapped ? String(text.text.map { $0 == " " ? Message.firmSpace : $0 }) : text.text
        case .message(let message): message.text(toBeWrapped: isWrapped, translatedBy: translate)
        }
    }
}

/// Never a text of unknown origin.
package protocol MessageArgument {
    var argument: Message.Argument { get }
}

extension Message: MessageArgument {
    package var argument: Message.Argument { .message(self) }
}

extension DisplayText: MessageArgument {
    package var argument: Message.Argument { .verbatim(self) }
}

/// A command or the like inside a text: it can be copied whole, at any width of the terminal.
package struct Verbatim: MessageArgument {
    private let text: DisplayText

    package init(_ text: DisplayText) { self.text = text }

    package var argument: Message.Argument { .whole(text) }
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

extension Message {
    package static func kept(in storage: CredentialStorage) -> Message {
        switch storage {
        case .keyring: Message("Saved in the keyring.")
        case .memory: Message("No keyring here: git credential-cache keeps the token in memory.")
        }
    }

    /// In the largest unit of which there are two or more.
    package static func duration(_ seconds: Int64) -> Message {
        switch seconds {
        case ..<120: Message("%1$s seconds", seconds)
        case ..<7_200: Message("%1$s minutes", seconds / 60)
        case ..<172_800: Message("%1$s hours", seconds / 3_600)
        default: Message("%1$s days", seconds / 86_400)
        }
    }

    package static func signedIn(as account: DisplayText, _ storage: CredentialStorage) -> Message {
        switch storage {
        case .keyring: Message("✓ Signed in as %1$s. Saved in the keyring.", account)
        case .memory:
            Message("✓ Signed in as %1$s. No keyring here: git credential-cache keeps the token in memory.", account)
        }
    }

    /// What `logout` and `git credential reject` say.
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
