/// Why a request is rejected.
///
/// The error contains nothing of the request itself, which may be hostile or secret.
package enum RequestError: Error, Equatable {
    /// A line has no `=`, or the input ended within a line, as when git dies while it writes.
    case malformedLine
    /// A line exceeds 65,535 bytes or the request its total.
    case tooLong
    /// A NUL, a carriage return, or another control byte in an attribute that names something.
    case controlByte(attribute: Attribute)
    /// The same attribute with two different values: a line was injected (CVE-2020-5260).
    case contradiction(attribute: Attribute)
    /// An attribute that is needed to match anything is missing.
    ///
    /// It never means "any".
    case missing(attribute: Attribute)
    /// A host with bytes of another part of a URL, or with an invalid port.
    case malformedHost
}
