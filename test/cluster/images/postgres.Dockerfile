# Stands in for the official Postgres image where there is no registry: Debian's Postgres, started as that image starts it.
ARG BASE
FROM ${BASE}
RUN apt-get update -q && apt-get install -y -q --no-install-recommends postgresql && rm -rf /var/lib/apt/lists/* /var/lib/postgresql
# initdb wants its user to have a name; the chart's pods are this one.
RUN useradd --uid 65532 --user-group --no-create-home postgres-of-pods
COPY --chmod=0755 postgres-entrypoint.sh /usr/local/bin/entrypoint
# As the official image has it: sessions are ended, and not waited for.
STOPSIGNAL SIGINT
ENTRYPOINT ["entrypoint"]
