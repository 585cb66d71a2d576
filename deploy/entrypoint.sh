#!/bin/sh
# Runs arena in a container. PostgreSQL's password is copied from the secret DB_PASSWORD_FILE to PGPASSFILE, so it is never in the environment.
#
# Restart policies ignore exit codes. If starting "arena run" again would change nothing (0: complete, 2: wrong input, 6: paused), the
# container therefore waits for its host; otherwise it ends with the code of the run and is started again.
set -eu

if [ -n "${DB_PASSWORD_FILE:-}" ]; then
    (umask 077 && printf '*:*:*:*:%s\n' "$(sed 's/[\\:]/\\&/g' "$DB_PASSWORD_FILE")" >"$PGPASSFILE")
fi
[ "${1:-}" != arena ] || shift # in "docker compose run driver arena ...", the word "arena" may be left out
[ "${1:-}" = run ] || exec arena "$@"

held="${TMPDIR:-/tmp}/arena-held"
rm -f "$held"
stopped=
child=
trap 'stopped=1; kill -TERM "$child" 2>/dev/null || :' TERM INT
arena "$@" &
child=$!
[ -z "$stopped" ] || kill -TERM "$child"
code=0
wait "$child" || code=$?
while kill -0 "$child" 2>/dev/null; do # a signal ended the wait, not the run
    code=0
    wait "$child" || code=$?
done

case "$stopped:$code" in
:0) echo "The run is complete. The container waits; 'docker compose stop' ends it." >&2 ;;
:2) echo "The run can't continue: fix the mistake in the line above, then 'docker compose restart driver'." >&2 ;;
:6) echo "The run has paused: see the reason in the line above, then 'docker compose restart driver'." >&2 ;;
*) exit "$code" ;;
esac
echo "$code" >"$held"
sleep infinity &
child=$!
wait "$child" || :
