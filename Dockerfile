# The bot in a container:  docker build -t streamcord .  &&  docker run --env-file secrets.env -v ./data:/data streamcord
# /data holds streamcord.toml (write it with `streamcord init`) and the database; secrets come from the environment.
FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir -c constraints.txt ".[bot]"

FROM python:3.13-slim
COPY --from=build /venv /venv
RUN useradd --create-home --uid 10001 bot && mkdir /data && chown bot /data
USER bot
WORKDIR /data
VOLUME /data
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1
STOPSIGNAL SIGTERM
ENTRYPOINT ["streamcord"]
CMD ["bot", "--config", "/data/streamcord.toml"]
