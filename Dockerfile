# syntax=docker/dockerfile:1
# docker build -t muster .
# docker run --init -p 127.0.0.1:8080:8080 -v muster:/data -e PUBLIC_URL=http://localhost:8080 muster

# The lock file and the manifests of the workspaces. What is copied from here changes only when one of them does, so a change
# of a source, of the dashboard or of a guide installs nothing again.
FROM node:24-bookworm-slim AS manifests
WORKDIR /app
COPY . .
RUN mkdir -p manifests && cp --parents package.json package-lock.json packages/*/package.json apps/*/package.json connector-apps/*/package.json bench/package.json manifests

# All packages, for the builds.
FROM node:24-bookworm-slim AS installed
WORKDIR /app
COPY --from=manifests /app/manifests ./
RUN --mount=type=cache,target=/root/.npm npm ci --prefer-offline --no-audit --no-fund

FROM installed AS dashboard
COPY tsconfig.base.json ./
COPY packages/protocol ./packages/protocol
COPY packages/query ./packages/query
COPY scripts ./scripts
COPY apps/dashboard ./apps/dashboard
RUN node scripts/build.js dashboard

FROM installed AS programs
COPY tsconfig.base.json ./
COPY packages ./packages
COPY connector-apps ./connector-apps
COPY testing ./testing
COPY scripts ./scripts
COPY apps/server ./apps/server
RUN npx tsc -b connector-apps/* packages/browser && node scripts/build.js server command browser packages
# What is left runs: the builds, without sources and tools.
RUN rm -rf packages/*/node_modules packages/*/src apps/*/node_modules apps/*/src connector-apps/*/node_modules connector-apps/*/src connector-apps/testing \
  && find packages apps connector-apps -name bundle -prune -o -name '*.map' -exec rm {} +

# The packages that run, and an empty folder to copy, because the last stage runs no command as root.
FROM node:24-bookworm-slim AS production
WORKDIR /app
COPY --from=manifests /app/manifests ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --prefer-offline --no-audit --no-fund -w apps/server -w packages/cli -w connector-apps
COPY --from=programs /app/apps/server/bundle ./apps/server/bundle
RUN node apps/server/bundle/prepare-postgres.js && rm -rf apps/server/bundle bench && mkdir -p empty

FROM node:24-bookworm-slim
WORKDIR /app
# From what changes rarely to what changes often: layers that stay the same are not stored and sent again.
COPY --from=production /app/node_modules ./node_modules
COPY --from=production /app/packages ./packages
COPY --from=production /app/connector-apps ./connector-apps
COPY --from=production /app/apps ./apps
COPY --from=production --chown=node:node /app/empty /data
COPY --from=programs /app/packages ./packages
COPY --from=programs /app/connector-apps ./connector-apps
COPY --from=programs /app/apps/server ./apps/server
COPY --from=dashboard /app/apps/dashboard/dist ./apps/dashboard/dist
COPY docs ./docs
COPY package.json LICENSE ./
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=8080
ENV DATA_DIR=/data
ENV UV_THREADPOOL_SIZE=16
ENV PATH=/app/node_modules/.bin:$PATH
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "apps/server/bundle/main.js"]
