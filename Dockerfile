# Images of Pegboard. The default one has Node.js only; `tools` adds npx and uvx, by which most stdio servers are started.
#
#   docker build -t pegboard:0.1.0 .
#   docker build -t pegboard:0.1.0-tools --target tools .
#   docker run -p 127.0.0.1:8090:8090 -v "$PWD/gateway:/etc/pegboard" -v pegboard:/var/lib/pegboard pegboard:0.1.0
#
# Tags are named here; a release builds of the digests that they have then: .ci/baseImages.mjs prints them for `--build-context`.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# What npm would publish, and nothing else: its dependencies are bundled in it.
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && npm run -s build \
  && npm pack --silent --ignore-scripts --pack-destination /tmp \
  && mkdir /app \
  && tar -xzf /tmp/pegboard-*.tgz -C /app --strip-components=1

FROM debian:bookworm-slim AS base
# tini ends zombies that servers leave behind.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates libstdc++6 tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home pegboard \
  && ln -s /app/dist/kernel/program/pegboard.js /usr/local/bin/pegboard \
  && install -d -o pegboard -g pegboard /etc/pegboard /var/lib/pegboard
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
ENV NODE_ENV=production
LABEL org.opencontainers.image.title="Pegboard" \
  org.opencontainers.image.description="One MCP endpoint for all your MCP servers" \
  org.opencontainers.image.licenses="Apache-2.0" \
  pegboard.sbom="/app/dist/sbom.cdx.json"
EXPOSE 8090
VOLUME /var/lib/pegboard
HEALTHCHECK --interval=10s --timeout=5s --start-period=40s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8090/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "/app/dist/kernel/program/pegboard.js"]
CMD ["serve", "--config-path", "/etc/pegboard", "--state-path", "/var/lib/pegboard", "--host", "0.0.0.0", "--set", "plugins.http.config.unguarded=refuse"]

FROM base AS tools
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends git python3 \
  && rm -rf /var/lib/apt/lists/* \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
COPY --from=build /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
COPY --from=ghcr.io/astral-sh/uv:0.13.9 /uv /uvx /usr/local/bin/
USER 1000:1000

FROM base AS gateway
USER 1000:1000
