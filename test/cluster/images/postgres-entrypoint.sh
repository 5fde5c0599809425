#!/bin/sh
# The part of the official image's contract that is used: PGDATA, POSTGRES_DB, POSTGRES_USER, POSTGRES_PASSWORD, and the scripts in
# /docker-entrypoint-initdb.d, which are run once, on the new and yet unreachable database.
set -eu
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
export PATH PGDATA
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  umask 077
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C
  rm /tmp/password
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  pg_ctl --options="-c listen_addresses=''" --wait start
  createdb --username="$POSTGRES_USER" --maintenance-db=postgres "$POSTGRES_DB"
  for script in /docker-entrypoint-initdb.d/*.sh; do
    # shellcheck disable=SC1090 # given by whoever runs it
    [ ! -f "$script" ] || . "$script"
  done
  pg_ctl --mode=fast --wait stop
fi
exec postgres -c listen_addresses='*'
