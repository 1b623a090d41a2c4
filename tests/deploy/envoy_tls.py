"""Writes deploy/envoy/envoy-tls.yaml: envoy.yaml with mutual TLS on both sides.

`python3 dev.py run python -m tests.deploy.envoy_tls`, after each change of envoy.yaml.
"""

from tests.deploy.tls import DEPLOY

PLAIN, TLS = (DEPLOY / "envoy" / name for name in ("envoy.yaml", "envoy-tls.yaml"))
TYPES = "type.googleapis.com/envoy.extensions"

HEAD = """\
# envoy.yaml with mutual TLS on both sides and a listener for probes; written by
# `python3 dev.py run python -m tests.deploy.envoy_tls`, so change that or envoy.yaml.
#
# Clients show a certificate of clients-ca.crt: for players without one take
# `require_client_certificate` away. /run/tls holds the files; replaced by renaming, they count for
# new connections at once.
"""
CLIENTS = """\
        - transport_socket:
            name: envoy.transport_sockets.tls
            typed_config:
              "@type": TYPES.transport_sockets.tls.v3.DownstreamTlsContext
              require_client_certificate: true
              common_tls_context:
                alpn_protocols: [h2, http/1.1]
                tls_certificate_sds_secret_configs:
                  - name: own
                    sds_config: {path_config_source: {path: /etc/dragonhall/tls-own.yaml}}
                validation_context_sds_secret_config:
                  name: clients
                  sds_config: {path_config_source: {path: /etc/dragonhall/tls-clients.yaml}}
          filters:
"""
PROBES = """\
    - name: probes  # without TLS: GET /ready, 200 until it drains, whatever servers do
      address:
        socket_address: {address: 0.0.0.0, port_value: 8081}
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": TYPES.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: probes
                route_config:
                  name: nothing
                  virtual_hosts:
                    - name: nothing
                      domains: ["*"]
                      routes:
                        - match: {prefix: /}
                          direct_response: {status: 404}
                http_filters:
                  - name: envoy.filters.http.health_check
                    typed_config:
                      "@type": TYPES.filters.http.health_check.v3.HealthCheck
                      pass_through_mode: false
                      headers:
                        - name: ":path"
                          string_match: {exact: /ready}
                  - name: envoy.filters.http.router
                    typed_config:
                      "@type": TYPES.filters.http.router.v3.Router

"""
SERVERS = """\
      transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": TYPES.transport_sockets.tls.v3.UpstreamTlsContext
          sni: server
          common_tls_context:
            alpn_protocols: [h2]
            tls_certificate_sds_secret_configs:
              - name: own
                sds_config: {path_config_source: {path: /etc/dragonhall/tls-own.yaml}}
            combined_validation_context:
              default_validation_context:
                match_typed_subject_alt_names:
                  - san_type: DNS
                    matcher: {exact: server}
              validation_context_sds_secret_config:
                name: servers
                sds_config: {path_config_source: {path: /etc/dragonhall/tls-servers.yaml}}
"""


def over_tls(plain: str) -> str:
    """Return what envoy-tls.yaml must hold."""
    _, node, body = plain.partition("node:")
    options = "      typed_extension_protocol_options:\n"
    for before, becomes in {
        "        - filters:\n": CLIENTS,
        "\n  clusters:\n": f"{PROBES}  clusters:\n",
        options: SERVERS + options,
    }.items():
        assert body.count(before) == 1, before
        body = body.replace(before, becomes.replace("TYPES", TYPES))
    return HEAD + node + body


if __name__ == "__main__":
    TLS.write_text(over_tls(PLAIN.read_text()))
