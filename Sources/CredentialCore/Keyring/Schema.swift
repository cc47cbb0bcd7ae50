/// The two schemas under which git's helper has filed its items.
package enum Schema: String {
    /// Since git 2.43; what we write.
    case gitPassword = "org.git.Password"
    /// From git 2.11 to 2.42; read, and removed once its successor is written.
    case networkPassword = "org.gnome.keyring.NetworkPassword"
}
