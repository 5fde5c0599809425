# One image for all roles; the role is the argument, by its path in the repository: operator/main.ts (without one), operator/migrate.ts,
# operator/receive.ts, operator/evidence.ts, operator/verify.ts, operator/import-usage.ts, api-shim/main.ts.
# `npm run image` makes dist/image, which goes in, and builds this with what builds images here.
# The base gives Node and its libraries, and nothing else of it stays. It is an argument so that it can come from any registry, or be
# made on a machine without one.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS system
COPY image/system.sh image/system.mjs dist/image/sbom.cdx.json /tmp/
RUN sh /tmp/system.sh /system && mkdir /system/app && node /tmp/system.mjs /tmp/sbom.cdx.json /system > /system/app/sbom.cdx.json

FROM scratch
LABEL org.opencontainers.image.title="generation-operator" \
      org.opencontainers.image.description="A Kubernetes operator for paid AI generation: nothing is paid twice, lost or half-visible." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0" \
      dev.genop.sbom="/app/sbom.cdx.json"
COPY --from=system /system /
COPY dist/image /app
# With what the system adds to it.
COPY --from=system /system/app/sbom.cdx.json /app/sbom.cdx.json
# A small young generation: a sync makes much garbage, and V8 would keep what it once took for it (docs/performance.md).
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=2
WORKDIR /app
# Nobody; owns no file of the image.
USER 65532:65532
EXPOSE 8080
# Node itself is the first process: SIGTERM reaches it, and there is no shell.
ENTRYPOINT ["/usr/local/bin/node", "/app/start.mjs"]
