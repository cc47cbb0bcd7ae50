/// The version, the same as in the changelog and the manual page.
enum Version {
    static let text = "0.1.0"
}
