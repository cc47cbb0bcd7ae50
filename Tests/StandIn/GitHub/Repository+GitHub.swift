extension Repository.Refusal {
    /// What git shows behind `remote:`.
    func gitHubMessage(owner: String) -> String {
        switch self {
        case .singleSignOn:
            """
            The '\(owner)' organization has enabled or enforced SAML SSO.
            To access this repository, you must re-authorize the OAuth Application 'gitspace'.

            """
        case .appRestriction:
            "The '\(owner)' organization has enabled OAuth App access restrictions.\n"
        case .notInstalled: "Resource not accessible by integration\n"
        case .networkAddress: "The '\(owner)' organization has an IP allow list enabled.\n"
        case .blocked: "Access to this repository has been disabled by GitHub staff.\n"
        }
    }
}
