"""django-allauth, an OpenID provider, by HTTP on loopback: sign-in-host.py starts it, and describes its commands.

Usage: allauth-server.py PORT REDIRECT FOLDER     by the Python of .build/world/python; FOLDER is for its database
"""
import subprocess
import sys

import django
from django.conf import settings
from django.core.management import call_command
from django.core.servers.basehttp import run
from django.urls import include, path

PORT, REDIRECT, FOLDER = sys.argv[1:]
KEY = subprocess.run(
    ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], check=True, capture_output=True, text=True)

settings.configure(
    SECRET_KEY="x" * 64, ALLOWED_HOSTS=["localhost"], ROOT_URLCONF=__name__, USE_TZ=True,
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.messages", "django.contrib.sessions",
        "django.contrib.sites", "allauth", "allauth.account", "allauth.idp.oidc"],
    SITE_ID=1,
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
        "allauth.account.middleware.AccountMiddleware"],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages"]}}],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER}/db.sqlite3"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    ACCOUNT_EMAIL_VERIFICATION="none", ACCOUNT_RATE_LIMITS=False,
    IDP_OIDC_PRIVATE_KEY=KEY.stdout, IDP_OIDC_RATE_LIMITS=False, IDP_OIDC_DEVICE_CODE_INTERVAL=1)
django.setup()
urlpatterns = [path("accounts/", include("allauth.account.urls")), path("", include("allauth.idp.urls"))]

call_command("migrate", verbosity=0)
from allauth.idp.oidc.models import Client  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402

User.objects.create_user("dwho", "dwho@example.com", "dwho")
client = Client(id="gitspace", name="gitspace", type=Client.Type.PUBLIC, redirect_uris=REDIRECT, skip_consent=True)
client.set_scopes(["openid", "profile"])
client.set_grant_types(["authorization_code", "urn:ietf:params:oauth:grant-type:device_code", "refresh_token"])
client.save()
run("127.0.0.1", int(PORT), get_wsgi_application(), threading=True)
