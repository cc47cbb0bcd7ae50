/// What both sides must announce before they use certain attributes (git-credential(1), "INPUT/OUTPUT FORMAT").
package enum Capability: String, CaseIterable {
    /// Permits `authtype`, `credential` and `ephemeral`, for a host that wants Bearer; GitHub and GitLab use Basic.
    case authtype
    /// Permits `state[]` and `continue`.
    case state

    /// The answer to the operation `capability`: a version line, then the capabilities that we use.
    package static let announcement = Array("version 0\ncapability authtype\ncapability state\n".utf8)
}
