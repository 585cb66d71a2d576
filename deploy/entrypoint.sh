#!/bin/sh
# Runs arena in a container. PostgreSQL's password goes from the secret DB_PASSWORD_FILE to PGPASSFILE, so that it is in no environment.
#
# "arena run" is looked after, since restart policies know no exit codes: where starting it again would change nothing (0: complete,
# 2: wrong input, 6: paused), the container waits for its host; otherwise it ends with the code of the run and is started again.
set -eu

if [ -n "${DB_PASSWORD_FILE:-}" ]; then
    (umask 077 && printf '*:*:*:*:%s\n' "$(sed 's/[\\:]/\\&/g' "$DB_PASSWORD_FILE")" >"$PGPASSFILE")
fi
[ "${1:-}" != arena ] || shift # "docker compose run driver arena ..." is as good as without that word
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
:2) echo "The run can't go on like this: mend what the line above says, then 'docker compose restart driver'." >&2 ;;
:6) echo "The run has paused: look into what the line above says, then 'docker compose restart driver'." >&2 ;;
*) exit "$code" ;;
esac
echo "$code" >"$held"
sleep infinity &
child=$!
wait "$child" || :
