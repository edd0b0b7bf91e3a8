# The bot in a container; compose.yaml says how it is run.
#   docker build -t streamcord .
#   docker run --rm -it -v streamcord:/data streamcord init      a few questions, then /data/streamcord.toml
#   docker run --env-file .env -v streamcord:/data streamcord
# /data holds streamcord.toml and the database; secrets come from the environment. A folder of the host in the
# place of the volume must belong to user 10001, or the container is run as its owner (--user "$(id -u)").
FROM python:3.13-slim AS build
WORKDIR /source
COPY requirements/image.txt ./
COPY packages/streamcord ./packages/streamcord
COPY packages/streamcord-bot ./packages/streamcord-bot
# Others' packages by their hashes; image.txt has those of these extras.
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes -r image.txt \
    && /venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation \
        packages/streamcord "packages/streamcord-bot[diagrams,documents,formulas,mcp,postgres]"

FROM python:3.13-slim
COPY --from=build /venv /venv
RUN useradd --create-home --uid 10001 bot && mkdir /data && chown bot /data
USER bot
WORKDIR /data
VOLUME /data
# Metrics and health on this port, inside of the container only; STREAMCORD_METRICS_HOST=0.0.0.0 opens it.
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 STREAMCORD_METRICS_PORT=9100
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["streamcord-bot", "health", "--config", "/data/streamcord.toml"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["streamcord-bot"]
CMD ["run", "--config", "/data/streamcord.toml"]
