/// ② Whose host is it? The question before any token is looked at.
package enum Whose: Equatable {
    /// One where we sign in.
    case known(KnownHost)
    /// Any other: we are a plain store, which looks up exactly that host.
    case foreign(HostName)
    /// A known name over another protocol or port: a downgrade, not a foreign host.
    case downgrade

    /// Decides by what is built in.
    ///
    /// - Parameters:
    ///   - protocol: as git sent it.
    ///   - host: as git sent it, split.
    package init(protocol: [UInt8], host: HostName) {
        let withoutPort = HostName(name: String(decoding: host.canonicalForHTTPS.name, as: UTF8.self))
        guard KnownHost(builtIn: withoutPort) != nil else {
            self = .foreign(host)
            return
        }
        if ASCII.equalsIgnoringCase(`protocol`, "https"), let known = KnownHost(builtIn: host) {
            self = .known(known)
        } else {
            self = .downgrade
        }
    }
}
