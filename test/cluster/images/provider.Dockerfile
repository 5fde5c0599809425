# The provider simulator, for tests alone: on the product's image, whose packages it needs.
ARG BASE
FROM ${BASE}
COPY . test/provider
EXPOSE 8080
CMD ["test/provider/main.ts"]
