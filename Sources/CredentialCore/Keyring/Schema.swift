/// The two schemas that git's helper has used for its items.
package enum Schema: String {
    /// Since git 2.43; the one that is written.
    case gitPassword = "org.git.Password"
    /// From git 2.11 to 2.42; read, and removed after its successor is written.
    case networkPassword = "org.gnome.keyring.NetworkPassword"
}
