"""How the gateway is reached."""

from __future__ import annotations

import grpc

TLS = bool | bytes | grpc.ChannelCredentials
"""False: not encrypted. True: the system's authorities. Bytes: PEM certificates to trust.
Or gRPC's credentials, for example with a certificate of the client's own."""

OPTIONS: list[tuple[str, int]] = [
    # One layer retries, and that is the gateway: no retries of gRPC's own, and no service
    # config out of DNS that would switch them on.
    ("grpc.enable_retries", 0),
    ("grpc.service_config_disable_resolution", 1),
    # A connection that is gone without a word is noticed, however long a call is silent.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
]


def address(target: str) -> str:
    """Return the target, which is host:port or one of gRPC's own kinds, and no URL."""
    if target.startswith(("http://", "https://")):
        raise ValueError(f"{target} is not host:port; tls=True encrypts")
    return target


def credentials(tls: TLS) -> grpc.ChannelCredentials | None:
    """Make gRPC's credentials; None: not encrypted."""
    if tls is False:
        return None
    if tls is True:
        return grpc.ssl_channel_credentials()
    if isinstance(tls, bytes):
        return grpc.ssl_channel_credentials(root_certificates=tls)
    return tls


def metadata(token: str | None) -> tuple[tuple[str, str], ...]:
    """Make the headers of every rpc."""
    if not token:
        return ()
    if not (token.isascii() and token.isprintable()):
        raise ValueError("no header holds the token: is there an end of line in it?")
    return (("authorization", f"Bearer {token}"),)
