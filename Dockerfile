# The image of a server for the folder that is mounted at /workspace:
#
#	docker build -t quarry .
#	docker run --network host -v "$PWD:/workspace:ro" -v quarry-cache:/cache quarry
#
# The server listens on loopback, which is why the example shares the host's
# network. compose.yaml shows how to publish a port instead, with a token.

# The ONNX Runtime library. It is optional: where npm has none for the
# platform, the built-in model runs in plain Go.
FROM node:22-bookworm-slim AS onnxruntime
WORKDIR /src
COPY scripts/onnxruntime scripts/onnxruntime
RUN mkdir -p /out/lib && sh scripts/onnxruntime/install.sh /out/lib

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build && mkdir -p /out/cache && sh scripts/licences/collect.sh /out/licences

# git says what is ignored in the workspace, and fetches for a worker, which also needs the
# certificates and ssh; libstdc++ is needed by the grammars and by ONNX Runtime.
FROM debian:bookworm-slim
RUN apt-get update && \
	apt-get install -y --no-install-recommends ca-certificates git libstdc++6 openssh-client && \
	rm -rf /var/lib/apt/lists/*
COPY --from=build /src/bin/quarry /opt/quarry/bin/quarry
COPY --from=onnxruntime /out/lib /opt/quarry/lib
COPY LICENSE NOTICE /opt/quarry/
COPY --from=build /out/licences /opt/quarry/licences
COPY --from=build --chown=10001:10001 /out/cache /cache
RUN ln -s /opt/quarry/bin/quarry /usr/local/bin/quarry && mkdir /workspace

ENV QUARRY_ROOT=/workspace QUARRY_DATA_DIR=/cache QUARRY_LOG_FORMAT=json
USER 10001:10001
WORKDIR /workspace
VOLUME /cache
EXPOSE 3456
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["quarry", "ping"]
ENTRYPOINT ["quarry"]
CMD ["serve"]
