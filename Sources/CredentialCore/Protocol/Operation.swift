/// What git asks of its helper: the last argument on the command line (gitcredentials(7), "Custom Helpers").
package enum Operation: String {
    /// Return a matching credential, if any exists.
    case get
    /// Store the credential, if applicable to the helper.
    case store
    /// Remove matching credentials, if any, from the helper's storage.
    case erase
    /// Print the capabilities of the helper; reads no request.
    case capability
}
