"""Knows nothing of coop but its address: asks the server what it offers, and calls that.

usage: reflection.py HOST:PORT TEXT [CERTIFICATE]
"""

import json
import sys

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase


def connect(address, certificate):
    """With TLS where a certificate is to be trusted."""
    if certificate is None:
        return grpc.insecure_channel(address)
    with open(certificate, "rb") as file:
        return grpc.secure_channel(address, grpc.ssl_channel_credentials(file.read()))


def main(address, text, certificate=None):
    channel = connect(address, certificate)
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = DescriptorPool(database)
    service = pool.FindServiceByName("coop.v1.Coop")

    def call(name, **fields):
        """Calls a method by what the server said about it."""
        method = service.methods_by_name[name]
        kind = channel.unary_stream if method.server_streaming else channel.unary_unary
        request = json_format.ParseDict(fields, GetMessageClass(method.input_type)())
        return kind(
            f"/{service.full_name}/{name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )(request, timeout=20)

    written = call("SendInput", text=text, enter=True).bytes_written
    for screen in call("StreamScreen"):
        if any(text in line for line in screen.lines):
            break
    health_check = pool.FindServiceByName("grpc.health.v1.Health").methods_by_name["Check"]
    report = {
        "services": sorted(database.get_services()),
        "methods": sorted(service.methods_by_name),
        "health_takes": health_check.input_type.full_name,
        "written": written,
        "screen": list(call("GetScreen", format="TEXT").lines),
    }
    json.dump(report, sys.stdout)


main(*sys.argv[1:])
