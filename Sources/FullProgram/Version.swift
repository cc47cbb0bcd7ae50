/// The version, as the changelog and the manual page have it.
enum Version {
    static let text = "0.1.0"
}
