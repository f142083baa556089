# syntax=docker/dockerfile:1

# The build stage: a Swift toolchain and the headers of the three C libraries.
FROM swift:6.3-bookworm AS build
# Versions follow the base image's Debian release, which is fixed by its tag.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libpq-dev libsqlite3-dev libssl-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
COPY Migrations Migrations
# The manifest names every target, so that the folders of the tests have to be there.
COPY Tests Tests
# Swift's own libraries go into the binary; the backtracer that fits it stands beside it.
RUN swift build -c release --static-swift-stdlib --product transferd \
    && install -D -m 0755 .build/release/transferd /out/usr/local/bin/transferd \
    && install -D -m 0755 "$(dirname "$(command -v swift)")/../libexec/swift/linux/swift-backtrace-static" \
        /out/usr/local/libexec/swift-backtrace-static

# The run stage: Debian with the three C libraries, time zones and an unprivileged user.
FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libpq5 libsqlite3-0 libssl3 libstdc++6 tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --system --gid 990 transferd \
    && useradd --system --uid 990 --gid transferd --home-dir /var/lib/transferd \
        --shell /usr/sbin/nologin transferd \
    && install -d -o transferd -g transferd -m 0700 /var/lib/transferd
COPY --from=build /out/ /
COPY config/production.json5 /etc/transferd/transferd.json5
ENV SWIFT_BACKTRACE=enable=yes,swift-backtrace=/usr/local/libexec/swift-backtrace-static
USER 990:990
WORKDIR /var/lib/transferd
# The database and its companions: a bank's books outlive its container.
VOLUME /var/lib/transferd
# Customers' requests, and /healthz, /readyz and /metrics.
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=10s --retries=3 \
    CMD ["/usr/local/bin/transferd", "healthcheck", "--config", "/etc/transferd/transferd.json5"]
ENTRYPOINT ["/usr/local/bin/transferd"]
CMD ["serve", "--config", "/etc/transferd/transferd.json5"]
