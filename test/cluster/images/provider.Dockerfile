# The provider simulator, for tests alone.
ARG BASE=node:24-bookworm-slim
FROM ${BASE}
COPY provider.mjs /provider.mjs
EXPOSE 8080
ENTRYPOINT ["node", "/provider.mjs"]
