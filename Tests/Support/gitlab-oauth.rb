#!/usr/bin/ruby
# frozen_string_literal: true

# gitlab-oauth.rb: OAuth by the gems that GitLab uses, configured as GitLab does, and git over HTTPS.
#
# Usage: gitlab-oauth.rb
# Prints `ready` and a JSON object with its address, its authority and the versions of the gems. Then reads one command
# per line from standard input, and answers each with one line: `done …`, or `failed …` with the reason.
#   approve CODE             octocat types the code, and approves
#   confidential yes|no      sets "Confidential" of the application, which is on by default at GitLab
# The device grant of GitLab is a third gem, doorkeeper-device_authorization_grant, which Debian does not package:
# without it, the end of this file implements RFC 8628. The server ends with its input.
ENV["RAILS_ENV"] = "production"
require "action_controller/railtie"
require "active_record"
require "open3"
require "puma"
require "puma/server"
require "puma/minissl"
require "tmpdir"
require "doorkeeper"
require "doorkeeper/openid_connect"
begin
  require "doorkeeper/device_authorization_grant"
rescue LoadError
  require_relative "gitlab-device-grant"
end

FOLDER = Dir.mktmpdir("gitlab-oauth")
at_exit { FileUtils.remove_entry(FOLDER) }
USERS = { 1 => "octocat" }.freeze

system("#{__dir__}/certificate.sh", FOLDER, exception: true)
tls = Puma::MiniSSL::Context.new
tls.key = "#{FOLDER}/tls.key"
tls.cert = "#{FOLDER}/tls.pem"
server = Puma::Server.new(->(env) { App.call(env.merge("HTTPS" => "on")) }, Puma::Events.null, min_threads: 1, max_threads: 1)
ADDRESS = "https://localhost:#{server.add_ssl_listener("127.0.0.1", 0, tls).addr[1]}"

class App < Rails::Application
  config.root = FOLDER
  config.eager_load = false
  config.secret_key_base = "x" * 64
  config.logger = Logger.new("#{FOLDER}/log")
end

# The settings of GitLab's config/initializers/doorkeeper.rb that affect responses.
Doorkeeper.configure do
  orm :active_record
  default_generator_method :hex
  resource_owner_authenticator { nil }
  use_refresh_token
  enforce_configured_scopes
  default_scopes :api
  optional_scopes :read_api, :read_user, :read_repository, :write_repository, :openid, :profile, :email
  access_token_methods :from_access_token_param, :from_bearer_authorization, :from_bearer_param
  hash_token_secrets
  hash_application_secrets
  grant_flows %w[authorization_code password client_credentials device_code]
  access_token_expires_in 7200
  base_controller "ActionController::Base"
end

# The settings of GitLab's config/initializers/doorkeeper_openid_connect.rb.
Doorkeeper::OpenidConnect.configure do
  issuer ADDRESS
  signing_key OpenSSL::PKey::RSA.new(2048).to_pem
  resource_owner_from_access_token { |token| USERS[token.resource_owner_id] }
  subject { |user| USERS.key(user) }
  auth_time_from_resource_owner { Time.now }
  claims { claim(:nickname, scope: :openid) { |user| user } }
end

# Polls may come every second instead of every five.
Doorkeeper::DeviceAuthorizationGrant.configure { device_code_polling_interval 1 }

# The used part of the REST API: "Retrieve the current user", "Retrieve a project".
class APIController < ActionController::Base
  def user
    answer(:read_user) { { id: doorkeeper_token.resource_owner_id, username: USERS[doorkeeper_token.resource_owner_id] } }
  end

  def project
    answer(:read_api) { { id: 1, permissions: { project_access: { access_level: 30 } } } }
  end

  private

  def answer(scope)
    return render(json: { error: "invalid_token" }, status: 401) unless doorkeeper_token&.accessible?
    return render(json: { error: "insufficient_scope" }, status: 403) unless doorkeeper_token.acceptable?([:api, scope])

    render json: yield
  end
end

# git over HTTPS: any user name, with the token as password ("Access Git over HTTPS with access token").
GIT = lambda do |env|
  request = ActionDispatch::Request.new(env)
  _, password = ActionController::HttpAuthentication::Basic.user_name_and_password(request) if request.authorization
  token = Doorkeeper::AccessToken.by_token(password.to_s)
  scope = env["REQUEST_URI"].include?("git-receive-pack") ? :write_repository : :read_repository
  unless token&.accessible?
    return [401, { "WWW-Authenticate" => 'Basic realm="GitLab"' }, ["HTTP Basic: Access denied."]]
  end
  return [403, {}, ["You are not allowed to download code."]] unless token.acceptable?([scope])

  variables = {
    "GIT_PROJECT_ROOT" => "#{FOLDER}/repositories", "GIT_HTTP_EXPORT_ALL" => "1", "REMOTE_USER" => "octocat",
    "PATH_INFO" => env["PATH_INFO"], "QUERY_STRING" => env["QUERY_STRING"], "CONTENT_TYPE" => env["CONTENT_TYPE"],
    "REQUEST_METHOD" => env["REQUEST_METHOD"], "HTTP_CONTENT_ENCODING" => env["HTTP_CONTENT_ENCODING"],
    "GIT_PROTOCOL" => env["HTTP_GIT_PROTOCOL"]
  }
  output, = Open3.capture2(variables, "git", "http-backend", stdin_data: env["rack.input"].read, binmode: true)
  head, body = output.split("\r\n\r\n", 2)
  headers = head.split("\r\n").to_h { |line| line.split(": ", 2) }
  [headers.delete("Status").to_i.nonzero? || 200, headers, [body]]
end

def make_tables
  ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: "#{FOLDER}/database")
  # Doorkeeper's own migration, without the column of the previous refresh token, which GitLab lacks too.
  ActiveRecord::Schema.verbose = false
  ActiveRecord::Schema.define do
    create_table(:oauth_applications) do |table|
      %i[name uid secret].each { |name| table.string name, null: false }
      table.text :redirect_uri
      table.string :scopes, null: false, default: ""
      table.boolean :confidential, null: false, default: true
      table.timestamps
    end
    create_table(:oauth_access_tokens) do |table|
      %i[resource_owner_id application_id expires_in].each { |name| table.integer name }
      %i[token refresh_token scopes].each { |name| table.string name }
      %i[revoked_at created_at].each { |name| table.datetime name }
    end
    create_table(:oauth_device_grants) do |table|
      %i[resource_owner_id application_id expires_in].each { |name| table.integer name }
      %i[device_code user_code scopes].each { |name| table.string name }
      %i[created_at last_polling_at].each { |name| table.datetime name }
    end
  end
end

def approve(code)
  grant = Doorkeeper::DeviceAuthorizationGrant.configuration.device_grant_model.find_by!(user_code: code)
  grant.update!(user_code: nil, resource_owner_id: USERS.keys.first)
end

system("git", "init", "--quiet", "--bare", "#{FOLDER}/repositories/acme/private.git", exception: true)
App.initialize!
make_tables
App.routes.draw do
  use_doorkeeper
  use_doorkeeper_openid_connect
  use_doorkeeper_device_authorization_grant
  get "/api/v4/user", to: APIController.action(:user)
  get "/api/v4/projects/*path", to: APIController.action(:project)
  mount GIT => "/", as: :git
end
application = Doorkeeper::Application.create!(
  name: "gitspace", redirect_uri: "urn:ietf:wg:oauth:2.0:oob", scopes: "read_repository write_repository read_user openid"
)
server.run
versions = %w[doorkeeper doorkeeper-openid_connect].to_h { |name| [name, Gem.loaded_specs[name]&.version.to_s] }
announcement = {
  address: ADDRESS, authority: "#{FOLDER}/ca.pem", client: application.uid, secret: application.plaintext_secret,
  versions: versions
}
puts "ready #{announcement.to_json}"
$stdout.flush
$stdin.each_line do |line|
  command, argument = line.split
  case command
  when "approve" then approve(argument)
  when "confidential" then application.update!(confidential: argument == "yes")
  else raise "unknown: #{line}"
  end
  puts "done "
rescue StandardError => e
  puts "failed #{e.inspect}"
ensure
  $stdout.flush
end
