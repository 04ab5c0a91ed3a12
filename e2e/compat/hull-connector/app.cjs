// A connector as an author would have written it years ago, with the published library and no code of Muster. It reports
// to its parent process what it received, and the result of its own call to the platform.
const express = require("express");
const Hull = require("hull");
const { smartNotifierHandler } = require("hull/lib/utils");

const app = express();
const connector = new Hull.Connector({ port: Number(process.env.PORT), hostSecret: "host-secret" });
connector.setupApp(app);
app.use(
  "/smart-notifier",
  smartNotifierHandler({
    handlers: {
      "user:update": async (ctx, messages) => {
        const ship = await ctx.client.get("app");
        process.send({
          at: Date.now(),
          users: messages.map(({ user, changes, matchesFilter }) => ({ user, changes, matchesFilter })),
          settings: ctx.ship.private_settings,
          segments: ctx.segments,
          ship: ship.id,
        });
        ctx.smartNotifierResponse.setFlowControl({ type: "next", size: 2, in: 500 });
      },
    },
  }),
);
connector.startApp(app).on("listening", () => process.send({ listening: true }));
