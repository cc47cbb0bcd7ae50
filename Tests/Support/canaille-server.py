"""Canaille, an OpenID provider, by HTTP on loopback: sign-in-host.py starts it, and describes its commands.

Usage: canaille-server.py PORT ADDRESS REDIRECT     by the Python of .build/world/canaille; it keeps everything in memory
"""
import sys

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc import jwk
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.serving import run_simple


def make(address, redirect):
    app = create_app({
        "SECRET_KEY": "x" * 64, "SERVER_NAME": address.removeprefix("https://"), "PREFERRED_URL_SCHEME": "https",
        "CANAILLE": {"DATABASE": "memory"},
        "CANAILLE_OIDC": {"ACTIVE_JWKS": [jwk.RSAKey.generate_key(2048, auto_kid=True).as_dict(private=True)]},
    })
    with app.app_context(), Backend.instance.session():
        Backend.instance.save(models.User(
            user_name="dwho", formatted_name="Doctor Who", family_name="Who", emails=["dwho@example.com"], password="dwho"))
        client = models.Client(
            client_id="gitspace", client_name="gitspace", client_uri="https://client.example",
            token_endpoint_auth_method="none", grant_types=["authorization_code", "refresh_token"],
            response_types=["code"], scope=["openid", "profile"], redirect_uris=[redirect])
        Backend.instance.save(client)
        # As Canaille's own form does: the client is the audience of the ID token.
        client.audience = [client]
        Backend.instance.save(client)
    return ProxyFix(app, x_proto=1)


run_simple("127.0.0.1", int(sys.argv[1]), make(*sys.argv[2:]), threaded=True)
