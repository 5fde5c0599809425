# One image for all roles; the role is the argument: operator/main.ts (default), operator/migrate.ts, operator/receive.ts,
# operator/verify.ts, operator/evidence.ts, api-shim/main.ts.
# The base is an argument so that it can come from any registry, or be made on a machine without one.
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# No install scripts: production packages need none, and what is not run can do no harm.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force

FROM ${BASE}
# A small young generation: a sync makes much garbage, and V8 would keep what it once took for it (docs/performance.md).
ENV NODE_ENV=production NODE_COMPILE_CACHE=/tmp/compile NODE_OPTIONS=--max-semi-space-size=2
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY crds/*.yaml crds/
COPY operator operator
COPY api-shim api-shim
# Nobody; owns no file of the image.
USER 65532:65532
EXPOSE 8080
# Node itself is the first process: SIGTERM reaches it, and no shell is needed.
ENTRYPOINT ["node"]
CMD ["operator/main.ts"]
