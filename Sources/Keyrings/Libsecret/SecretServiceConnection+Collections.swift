internal import CLibsecret
internal import CredentialCore
internal import GLibSupport

extension SecretServiceConnection {
    struct Collection {
        let path: String
        let label: String
        let isLocked: Bool
    }

    /// `nil` if no collection is at `path`: an alias of gnome-keyring may point to a missing one.
    func collection(at path: String) throws(KeyringError) -> Collection? {
        guard g_variant_is_object_path(path) != 0, path != Name.noPath else { return nil }
        do {
            let properties = try properties(of: path, interface: Name.collection)
            return Collection(
                path: path, label: properties["Label"]?.string ?? "", isLocked: properties["Locked"]?.boolean ?? true)
        } catch .noSuchObject {
            return nil
        }
    }

    /// `nil` if the alias points to none.
    func path(ofAlias alias: String) throws(KeyringError) -> String? {
        CStrings.take(
            try call(
                { secret_service_read_alias_dbus_path(service, alias, $0, $1, $2) },
                finish: { secret_service_read_alias_dbus_path_finish(service, $0, $1) }))
    }

    func collectionPaths() throws(KeyringError) -> [String] {
        try properties(of: Name.servicePath, interface: Name.service)["Collections"]?.objectPaths ?? []
    }

    /// Creates a collection by the service's own prompt for a password; `nil` if the prompt was closed.
    func createCollection(label: String, alias: String) throws(KeyringError) -> String? {
        let properties = StringTable(properties: [(Name.collection + ".Label", .string(label))])
        let path = try call(
            prompting: .announced(afterMilliseconds: 0),
            {
                secret_service_create_collection_dbus_path(
                    service, properties.pointer, alias, SECRET_COLLECTION_CREATE_NONE, $0, $1, $2)
            }, finish: { secret_service_create_collection_dbus_path_finish(service, $0, $1) })
        return CStrings.take(path).flatMap { $0 == Name.noPath ? nil : $0 }
    }

    /// Asks KWallet itself, since the service reports a wallet as locked unless it was opened over the service.
    func isWalletOpen(_ name: String) throws(KeyringError) -> Bool {
        // The paths of Plasma 5 and 6; one process owns all of their bus names.
        for path in ["/modules/kwalletd5", "/modules/kwalletd6", "/ksecretd"] {
            do throws(KeyringError) {
                let reply = try call("isOpen", of: "org.kde.KWallet", at: path, Variant(.tuple([.string(name)])))
                return reply?.onlyMember(ofTuple: "(b)")?.boolean ?? false
            } catch .noSuchObject {
                continue
            }
        }
        return false
    }

    private static let door = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"

    func unlockUnprompted(_ collection: String, with password: Secret) throws(KeyringError) {
        _ = try callInternalInterface("UnlockWithMasterPassword", .objectPath(collection), password)
    }

    func createUnprompted(label: String, with password: Secret) throws(KeyringError) -> String {
        let reply = try callInternalInterface(
            "CreateWithMasterPassword", .properties([(Name.collection + ".Label", .string(label))]), password)
        guard let path = reply.onlyMember(ofTuple: "(o)")?.objectPath else { throw .other("no path") }
        return path
    }

    func setAlias(_ alias: String, to path: String) throws(KeyringError) {
        _ = try call(
            { secret_service_set_alias_to_dbus_path(service, alias, path, $0, $1, $2) },
            finish: { secret_service_set_alias_to_dbus_path_finish(service, $0, $1) })
    }

    /// The password is sent in the service's format, encrypted for libsecret's session.
    private func callInternalInterface(
        _ method: String, _ argument: VariantValue, _ password: Secret
    ) throws(KeyringError) -> Variant {
        let encoded: OpaquePointer?
        // The copy of the password ends before the call.
        do {
            guard let value = SecretValueReference(password) else { throw .other("no memory for a secret") }
            try openSession()
            encoded = secret_service_encode_dbus_secret(service, value.pointer)
        }
        guard let encoded else { throw .other("no session for a secret") }
        let first = Variant(argument)
        let secret = Variant(taking: g_variant_ref_sink(encoded))
        var members: [OpaquePointer?] = [first.pointer, secret.pointer]
        let arguments = Variant(taking: g_variant_ref_sink(g_variant_new_tuple(&members, 2)))
        guard let reply = try call(method, of: Self.door, at: Name.servicePath, arguments) else {
            throw .other("no answer")
        }
        return reply
    }
}

/// A service that records when a prompt is open, by overriding libsecret's method that shows prompts.
///
/// Only a prompt extends the deadline. libsecret's own method never completes if a prompt is dismissed without a proper
/// result (`g_task_return_error: assertion 'error != NULL' failed`).
enum PromptingService {
    static let type: GType = g_type_register_static_simple(
        secret_service_get_type(), "GitspaceSecretService", guint(MemoryLayout<SecretServiceClass>.stride),
        initializeClass, guint(MemoryLayout<GitspaceSecretService>.stride), nil, gitspace_type_none)

    /// The domain of the error with which a dismissed prompt completes.
    static let dismissedDomain: GQuark = g_quark_from_static_string("gitspace-prompt-dismissed")

    private static let initializeClass: GClassInitFunc = { classPointer, _ in
        guard let overridden = classPointer?.assumingMemoryBound(to: SecretServiceClass.self) else { return }
        overridden.pointee.prompt_async = perform
        overridden.pointee.prompt_finish = finish
    }

    private typealias Perform =
        @convention(c) (
            UnsafeMutablePointer<SecretService>?, UnsafeMutablePointer<SecretPrompt>?, OpaquePointer?,
            UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, gpointer?
        ) -> Void

    private static let perform: Perform = { service, prompt, resultType, cancellable, callback, data in
        setPromptBegan(g_get_monotonic_time(), of: service)
        let task = g_task_new(service, cancellable, callback, data)
        secret_prompt_perform(prompt, nil, resultType, cancellable, complete, UnsafeMutableRawPointer(task))
    }

    /// Ends the task that `perform` began, and releases its reference.
    private static let complete: GAsyncReadyCallback = { prompt, performed, data in
        let task = OpaquePointer(data)
        let service = g_task_get_source_object(task)?.assumingMemoryBound(to: SecretService.self)
        setPromptBegan(0, of: service)
        var error: UnsafeMutablePointer<GError>?
        let result = secret_prompt_perform_finish(
            UnsafeMutableRawPointer(prompt)?.assumingMemoryBound(to: SecretPrompt.self), performed, &error)
        if let result {
            g_task_return_pointer(task, UnsafeMutableRawPointer(result)) { g_variant_unref(OpaquePointer($0)) }
        } else {
            g_task_return_error(task, error ?? g_error_new_literal(dismissedDomain, 0, "the prompt was dismissed"))
        }
        g_object_unref(data)
    }

    private typealias Finish =
        @convention(c) (
            UnsafeMutablePointer<SecretService>?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
        ) -> OpaquePointer?

    private static let finish: Finish = { _, task, error in OpaquePointer(g_task_propagate_pointer(task, error)) }

    private static func setPromptBegan(_ microseconds: gint64, of service: UnsafeMutablePointer<SecretService>?) {
        instance(service)?.pointee.prompt_began = microseconds
    }

    /// Milliseconds of the monotonic clock at which the current prompt opened, or `nil` if none is open.
    static func promptBegan(of service: UnsafeMutablePointer<SecretService>) -> Int64? {
        instance(service).flatMap { $0.pointee.prompt_began == 0 ? nil : Int64($0.pointee.prompt_began) / 1000 }
    }

    private static func instance(
        _ service: UnsafeMutablePointer<SecretService>?
    ) -> UnsafeMutablePointer<GitspaceSecretService>? {
        UnsafeMutableRawPointer(service)?.assumingMemoryBound(to: GitspaceSecretService.self)
    }
}
