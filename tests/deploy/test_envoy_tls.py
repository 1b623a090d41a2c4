"""Envoy's two configurations differ by TLS alone."""

from tests.deploy import envoy_tls


def test_envoy_over_tls_is_envoy_with_tls() -> None:
    run = "python3 dev.py run python -m tests.deploy.envoy_tls"
    assert envoy_tls.TLS.read_text() == envoy_tls.over_tls(envoy_tls.PLAIN.read_text()), run
