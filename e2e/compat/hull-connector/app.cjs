// A connector as an author would have written it years ago, with the published library and no code of Muster. It tells
// its parent process what it received. The folder that it is started in has its manifest.
const express = require("express");
const Hull = require("hull");
const { actionHandler, notifHandler, oAuthHandler, smartNotifierHandler } = require("hull/lib/utils");
const { ThirdPartyStrategy } = require("./third-party-strategy.cjs");

const app = express();
const connector = new Hull.Connector({
  port: Number(process.env.PORT),
  hostSecret: "host-secret",
  segmentFilterSetting: "synchronized_segments",
});
connector.setupApp(app);

const report = (kind, ctx, received) =>
  process.send({ kind, at: Date.now(), ship: ctx.ship, segments: ctx.segments, received });
const failed = new Set();

const handlers = {
  "user:update": async (ctx, messages) => {
    const unlucky = messages.find(({ user }) => user.traits_fails && !failed.has(user.id));
    if (unlucky) {
      failed.add(unlucky.user.id);
      report("failed", ctx, messages);
      if (unlucky.user.traits_fails === "throws") throw new Error("The third party is away");
      ctx.smartNotifierResponse.setFlowControl({ type: "retry", in: 400 });
      return;
    }
    report("user:update", ctx, messages);
    // Plain notifications have no flow control.
    ctx.smartNotifierResponse?.setFlowControl({ type: "next", size: ctx.ship.private_settings.size ?? 100, in: 300 });
  },
  "account:update": async (ctx, messages) => report("account:update", ctx, messages),
  "ship:update": async (ctx, message) => report("ship:update", ctx, message),
  "segment:update": async (ctx, message) => report("segment:update", ctx, message),
  "users_segment:update": async (ctx, messages) => report("users_segment:update", ctx, messages),
};
app.use("/smart-notifier", smartNotifierHandler({ handlers }));
app.use("/notify", notifHandler({ handlers, options: { maxSize: 2, maxTime: 100 } }));

const extracted = (kind, options) =>
  notifHandler({ handlers: { "user:update": async (ctx, messages) => report(kind, ctx, messages) }, options });
app.use("/batch", extracted("batch", { maxSize: 2 }));
app.use("/batch-grouped", extracted("batch-grouped", { groupTraits: true }));
app.use("/batch-accounts", smartNotifierHandler({ handlers }));

app.use(
  "/sync",
  actionHandler(async (ctx, { query }) => report("sync", ctx, query)),
);

app.post("/status", async (req, res) => {
  const { client, ship } = req.hull;
  const messages = ship.private_settings.token ? [] : ["Sign in to the third party"];
  const status = messages.length > 0 ? "setupRequired" : "ok";
  await client.put(`${ship.id}/status`, { status, messages });
  res.json({ status, messages });
});

// The dashboard asked for the options of a setting from the browser, so authors served them to GET.
app.get("/schema/user_fields", (req, res) => {
  res.json({ options: [{ value: "first_name", label: `First name for ${req.hull.ship.name}` }] });
});

app.get("/admin", (req, res) => {
  const { id, organization } = req.hull.client.configuration();
  res.json({ id, organization, ship: req.hull.ship.name, token: req.hull.token });
});

app.use(
  "/auth",
  oAuthHandler({
    name: "Third party",
    Strategy: ThirdPartyStrategy,
    isSetup: async ({ hull }) => {
      if (!hull.ship.private_settings.token) throw { reason: "no token" };
      return { token: hull.ship.private_settings.token };
    },
    onAuthorize: ({ hull, account }) => hull.helpers.updateSettings({ token: account.accessToken }),
    views: { login: "login.html", home: "home.html", failure: "failure.html", success: "success.html" },
  }),
);

const worker = connector.worker({ refresh: async (ctx, payload) => report("job", ctx, payload) });
connector.startWorker();
void worker;

// Runs what a test wants to know of the context that the library made: each step is the name of a member, and the
// arguments if it is called.
app.post("/context", express.json(), async (req, res) => {
  try {
    let value = req.hull;
    for (const [member, ...args] of req.body.steps) {
      const found = value[member];
      value = typeof found === "function" ? await found.apply(value, args) : found;
    }
    res.json({ value });
  } catch (error) {
    res.status(500).json({ message: error.message, status: error.status });
  }
});

connector.startApp(app).on("listening", () => process.send({ kind: "listening" }));
