/// Why a request is not answered.
///
/// Nothing of the request itself is held: it may be hostile, or a secret.
package enum RequestError: Error, Equatable {
    /// A line has no `=`, or the input ended within a line, as it does when git dies while it writes.
    case malformedLine
    /// A line exceeds 65,535 bytes or the request its total.
    case tooLong
    /// A NUL or carriage return, or another control byte in an attribute that names something.
    case controlByte(attribute: Attribute)
    /// The same attribute twice, with two values: someone has injected a line (CVE-2020-5260).
    case contradiction(attribute: Attribute)
    /// An attribute without which nothing can be matched. It never means "any".
    case missing(attribute: Attribute)
    /// A host with bytes that belong to another part of an address, or with a port that is none.
    case malformedHost
}
