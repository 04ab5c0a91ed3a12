# docker build -t muster .
# docker run --init -p 127.0.0.1:8080:8080 -v muster:/data -e PUBLIC_URL=http://localhost:8080 muster

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --prefer-offline --no-audit --no-fund
RUN npx tsc -b connector-apps/* packages/browser && node scripts/build-programs.js && node scripts/build-browser.js \
  && node scripts/build-dashboard.js && node scripts/build-packages.js
# From here on this folder holds what runs: the builds and the production dependencies, without sources and tools.
RUN rm -rf node_modules packages/*/node_modules apps/*/node_modules connector-apps/*/node_modules \
  && npm ci --omit=dev --prefer-offline --no-audit --no-fund -w apps/server -w packages/cli -w connector-apps \
  && node apps/server/bundle/prepare-postgres.js \
  && rm -rf packages/*/src apps/*/src apps/*/*.config.ts connector-apps/*/src connector-apps/testing testing scripts bench \
  && find packages apps connector-apps \( -name node_modules -o -name bundle \) -prune -o -name '*.map' -exec rm {} +
# An empty folder to copy, because the next stage runs no command as root.
RUN mkdir -p empty

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/connector-apps ./connector-apps
COPY --from=build /app/docs ./docs
COPY --from=build /app/apps ./apps
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build --chown=node:node /app/empty /data
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
