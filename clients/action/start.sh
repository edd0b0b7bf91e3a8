#!/usr/bin/env bash
# Install discord-twin, start it in the background, and wait until it listens. Used by action.yml.
set -euo pipefail

folder=$(mktemp -d)
if ! command -v discord-twin > /dev/null; then
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet "$TWIN_PACKAGE"
  PATH="$folder/venv/bin:$PATH"
fi

options=(--port "$TWIN_PORT" --ready-file "$folder/ready")
[ "$TWIN_LIMITS" = true ] || options+=(--no-limits)
[ -z "$TWIN_AS_OF" ] || options+=(--as-of "$TWIN_AS_OF")
nohup discord-twin "${options[@]}" > "$folder/log" 2>&1 &
pid=$!

for _ in $(seq 100); do
  if [ -s "$folder/ready" ]; then
    cat "$folder/ready" | tee -a "$GITHUB_ENV" >> "$GITHUB_OUTPUT"
    echo "DISCORD_TWIN_PID=$pid" >> "$GITHUB_ENV"
    echo "discord-twin: $(head -1 "$folder/ready"), log in $folder/log"
    exit 0
  fi
  kill -0 "$pid" 2> /dev/null || break
  sleep 0.1
done
echo "discord-twin did not start:"
cat "$folder/log"
exit 1
