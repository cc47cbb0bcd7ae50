# frozen_string_literal: true

# gitlab-device-grant.rb: the device grant (RFC 8628) as a grant type of Doorkeeper, which handles clients, tokens and
# errors.
module Doorkeeper
  module DeviceAuthorizationGrant
    GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"

    def self.configure(&block)
      configuration.instance_eval(&block)
    end

    def self.configuration
      @configuration ||= Configuration.new
    end

    class Configuration
      def device_code_polling_interval(seconds = nil)
        @interval = seconds || @interval
      end

      def device_grant_model
        @device_grant_model ||= Class.new(ActiveRecord::Base) { self.table_name = "oauth_device_grants" }
      end
    end

    # An error of the token request (RFC 8628, 3.5).
    class Unanswered < Errors::DoorkeeperError
      attr_reader :type

      def initialize(type)
        super()
        @type = type
      end
    end

    # The token request (RFC 8628, 3.4).
    class TokenRequest < OAuth::BaseRequest
      attr_reader :client, :access_token

      validate :client, error: :invalid_client
      validate :grant, error: :invalid_grant

      def initialize(server, client, grant)
        super()
        @server = server
        @client = client
        @grant = grant
        @grant_type = GRANT_TYPE
      end

      def before_successful_response
        raise Unanswered, :expired_token if @grant.created_at < @grant.expires_in.seconds.ago
        raise Unanswered, :authorization_pending if @grant.user_code

        find_or_create_access_token(
          @client.application, @grant.resource_owner_id, OAuth::Scopes.from_string(@grant.scopes), server
        )
        @grant.destroy!
        super
      end

      private

      def validate_client
        @client.present?
      end

      def validate_grant
        @grant&.application_id == @client.id
      end
    end

    class Strategy < Request::Strategy
      delegate :client, :parameters, to: :server

      def request
        code = Digest::SHA256.hexdigest(parameters[:device_code].to_s)
        grant = DeviceAuthorizationGrant.configuration.device_grant_model.find_by(device_code: code)
        @request ||= TokenRequest.new(Doorkeeper.config, client, grant)
      end
    end

    GrantFlow.register(:device_code, grant_type_matches: GRANT_TYPE, grant_type_strategy: Strategy)

    # The device authorization request (RFC 8628, 3.1).
    module Endpoint
      def create
        return refuse(:invalid_client) unless server.client
        return refuse(:invalid_scope) unless OAuth::Helpers::ScopeChecker.valid?(
          scope_str: params[:scope].to_s, server_scopes: Doorkeeper.config.scopes, app_scopes: server.client.scopes
        )

        code = SecureRandom.hex(32)
        user_code = SecureRandom.alphanumeric(8).upcase
        DeviceAuthorizationGrant.configuration.device_grant_model.create!(
          application_id: server.client.id, device_code: Digest::SHA256.hexdigest(code), user_code: user_code,
          expires_in: 300, scopes: params[:scope]
        )
        render json: {
          device_code: code, user_code: user_code, verification_uri: "#{request.base_url}/oauth/device", expires_in: 300,
          interval: DeviceAuthorizationGrant.configuration.device_code_polling_interval
        }
      end

      private

      def refuse(name)
        response = OAuth::ErrorResponse.new(name: name)
        headers.merge!(response.headers)
        render json: response.body, status: response.status
      end
    end

    # Included when the routes are drawn, since a Doorkeeper controller needs its settings.
    module Routes
      def use_doorkeeper_device_authorization_grant
        DeviceAuthorizationGrant.const_set(:DeviceCodesController, Class.new(ApplicationMetalController) { include Endpoint })
        post "/oauth/authorize_device", to: DeviceCodesController.action(:create)
      end
    end
    ActionDispatch::Routing::Mapper.include(Routes)
  end
end
