package import OAuth

/// What a sign-in has brought, and what it takes to find out whose it is.
package struct CompletedSignIn {
    /// What the token endpoint has answered.
    package let response: TokenResponse
    /// The client that asked, with the server's endpoints.
    package let client: OAuthClient
    /// When the answer came, in seconds since 1970.
    package let now: Int64
    /// Checks what the server has signed.
    package let verifier: any SignatureVerifier

    package init(_ response: TokenResponse, to client: OAuthClient, at now: Int64, verifier: any SignatureVerifier) {
        self.response = response
        self.client = client
        self.now = now
        self.verifier = verifier
    }
}
