internal import Helper
package import Messages

/// One line of what `doctor` has found.
package struct Diagnosis: Equatable {
    /// What was looked at, as programs read it.
    package enum Check: String {
        case user
        case interaction
        case locks
        case git
        case program
        case helpers
        case bus
        case provider
        case collection
        case roundTrip = "round_trip"
        case clientID = "client_id"
        case network
        case proxy
        case certificate
        case clock
        case account
    }

    /// How it is, as programs read it.
    package enum Result: String {
        case ok
        case fail
        case warn
        case skip
    }

    /// What was looked at.
    package let check: Check
    /// How it is.
    package let result: Result
    /// The sentence: lower case, no full stop.
    package let text: Message
    /// What to do, a line each; a command to paste comes last.
    package let hints: [Message]

    /// A line.
    package init(_ check: Check, _ result: Result, _ text: Message, _ hints: [Message] = []) {
        self.check = check
        self.result = result
        self.text = text
        self.hints = hints
    }
}
