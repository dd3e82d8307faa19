# Two stages: one builds with ./dev on Debian 12, the other has only what runs. docker build -t verify-layout .
#   docker run --rm -v "$PWD:/work" verify-layout check layouts.toml
# It runs as a user without rights; to write files into the mounted folder, add --user "$(id -u):$(id -g)".
FROM debian:12-slim AS build
WORKDIR /src
COPY . .
RUN apt-get update && ./dev build && cmake --install build/release --prefix /opt/verify-layout --strip --component runtime

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/verify-layout /opt/verify-layout
ENV PATH=/opt/verify-layout/bin:$PATH
RUN useradd --system --uid 10001 --no-create-home verify-layout
USER verify-layout
WORKDIR /work
ENTRYPOINT ["verify-layout"]
