extension Forge {
    /// Answers the endpoints that issue codes and tokens.
    func answerOAuth(_ request: Request, at endpoint: Endpoint) -> Answer {
        let now = clock()
        let form = request.form
        let reply = withState { state in
            switch (endpoint, form["grant_type"]) {
            case (.deviceCode, _): state.server.deviceCode(form, host: request.host, now: now)
            case (.refresh, _): state.server.refresh(form, now: now)
            case (.exchange, _): state.server.exchange(form, now: now)
            case (_, "urn:ietf:params:oauth:grant-type:device_code"): state.server.poll(form, now: now)
            default: service.reply(.unsupportedGrantType)
            }
        }
        // GitHub answers with a form unless the client accepts JSON.
        guard service != .gitHub || request.headers["accept"]?.contains("application/json") == true else {
            let type = "application/x-www-form-urlencoded; charset=utf-8"
            return .text(reply.fields.form, status: reply.status, type: type)
        }
        return .json(reply.fields, status: reply.status)
    }

    /// Answers the page where a person types the code: `GET` returns the form, `POST` takes `user_code`, `login`,
    /// `action`.
    func answerVerification(_ request: Request) -> Answer {
        guard request.method == "POST" else {
            return .html(
                """
                <h1>Device activation</h1>
                <form method="post" action="\(service.verificationPath)">
                <input name="user_code" placeholder="Code"> <input name="login" placeholder="Sign in as">
                <button name="action" value="approve">Authorize</button>
                <button name="action" value="deny">Cancel</button>
                </form>
                """)
        }
        let form = request.form
        let decision: SignInOutcome = form["action"] == "approve" ? .approve(as: form["login"] ?? "monalisa") : .deny
        let now = clock()
        let known = withState { $0.server.decide(userCode: form["user_code"] ?? "", decision, now: now) }
        guard known else { return .html("<h1>The code is not valid or has expired</h1>", status: 404) }
        return .html("<h1>Congratulations, you're all set!</h1>")
    }
}
