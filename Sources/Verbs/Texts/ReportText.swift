internal import CredentialCore
internal import Helper
internal import Language
package import Messages

/// The text of a verb's report: lines for people, or JSON for programs.
package protocol ReportText {
    /// The lines for people, on standard output.
    var lines: [Message] { get }
    /// What to print on standard error instead, if the report is of a failure.
    var failure: ErrorText? { get }
    /// The same for programs: objects of JSON, a line each.
    var json: [String] { get }

    /// All that programs get.
    ///
    /// - Parameter objects: those of each report, in their order.
    /// - Returns: a text of JSON with a line end.
    static func document(_ objects: [String]) -> String
}

extension ReportText {
    package var failure: ErrorText? { nil }

    package var json: [String] { [] }

    package static func document(_ objects: [String]) -> String { JSONText.array(objects) }
}
