import { DAY_MS } from "@muster/protocol";
import { expect, vi } from "vitest";
import type { EXAMPLE } from "../http/reference/examples/example-values.js";
import { CarriedIds } from "../platforms/carried-ids.js";
import { PATIENCE, runJob } from "./bulk.js";
import { ConnectorApp, NEXT, smartManifest } from "./connector-app.js";
import { openOrganization, Sender } from "./sender.js";
import { invite, signInAs, signInByLink, tokenOf } from "./signed-in.js";
import { openTestServer, type TestServer } from "./test-server.js";
import { noteTraces } from "./traces.js";

/** A server whose organization has two objects in every list of the API, and one for every id of the examples. */
export interface SeededServer {
  server: TestServer;
  /** What stands for each value of the examples. */
  values: Record<keyof typeof EXAMPLE, string>;
  /** The connector of the examples, which has a manifest and runs. */
  connector: Sender;
  close(): Promise<void>;
}

const MANIFEST = smartManifest({
  name: "Shop",
  tags: ["smart-notifier", "kraken-exports", "incoming"],
  settings: [{ name: "color", type: "string", format: "color", default: "#ff6600" }],
  private_settings: [
    { name: "api_key", title: "API key", type: "string" },
    { name: "list", title: "List", type: "string", format: "select", options: { loadOptions: "/lists" } },
  ],
  deployment_settings: [{ name: "title", type: "string" }],
  tabs: [
    { title: "Overview", url: "/overview" },
    { title: "Log", url: "/log" },
  ],
  json: [{ url: "/fields" }],
  schedules: [
    { url: "/sync", type: "interval", value: "600" },
    { url: "/report", type: "interval", value: "1440" },
  ],
});

const SECRET_KEY = "the-secret-key-of-the-seeded-server-of-tests";
const SITES = ["shop.example.org", "blog.example.org"];
const CARRIED = {
  browserId: "0f8fad5b-d9cb-469f-a165-70867728950e",
  from: "shop.example.org",
  to: "blog.example.org",
};

/** Opens a server that listens, and fills its first organization. Call `close()` at the end. */
export async function openSeededServer(): Promise<SeededServer> {
  const server = await openTestServer({
    ALLOW_PRIVATE_NETWORK: "true",
    DELIVERY_RETRY_MS: "20",
    DELIVERY_ATTEMPTS: "2",
    SECRET_KEY,
  });
  const carriedIds = new CarriedIds({ database: server.database, secretKey: SECRET_KEY });
  await server.listen();
  const app = await ConnectorApp.open(MANIFEST, ({ text, path }, response) => {
    if (path === "/lists") return { options: [{ value: "l1", label: "Newsletter" }] };
    if (path === "/fields") return { options: [{ value: "email", label: "Email" }] };
    if (!text.includes('"refused-')) return NEXT;
    const problem = text.includes('"refused-1') ? "The phone number is missing." : "There is no such list.";
    response.writeHead(422).end(JSON.stringify({ message: problem }));
    return undefined;
  });
  const other = await ConnectorApp.open(smartManifest({ name: "Other", subscriptions: [] }));
  const own = await app.install(server);
  const connector = new Sender(server, { id: own.id, secret: own.secret });
  const create = async (path: string, payload: object, headers = server.operatorHeaders) => {
    const answer = await server.app.inject({ method: "POST", url: `/api/v1${path}`, headers, payload });
    expect([path, answer.statusCode, answer.body]).toEqual([path, 201, expect.any(String)]);
    return String(answer.json<{ id?: string }>().id);
  };
  const twice = async (make: (number: number) => Promise<string>) => [await make(1), await make(2)] as const;

  await openOrganization(server, "acme");
  await create("/catalogue", { url: other.url });
  const otherConnector = await create("/connectors", { name: "Spare" });

  const ann = { user: { email: "ann@example.com", external_id: "42" }, account: { domain: "acme.example" } };
  await connector.settle([
    connector.traits(ann, { plan: "pro", age: 31, name: "Ann", "crm/stage": "lead" }),
    connector.traits({ account: { domain: "acme.example" } }, { industry: "Toys", "crm/size": 12 }),
    connector.entry("alias", ann, { anonymous_id: "browser-7" }),
    connector.track(ann, "Viewed page", { properties: { path: "/pricing" } }),
    connector.track(ann, "Ordered", { properties: { total: 20 } }),
    connector.traits({ user: { external_id: "refused-1" } }, { plan: "free" }),
    connector.traits({ user: { external_id: "refused-2" } }, { plan: "free" }),
    connector.traits({ user: { email: "leaving-1@example.com" } }, { plan: "free" }),
    connector.traits({ user: { email: "leaving-2@example.com" } }, { plan: "free" }),
    connector.traits({ user: { email: "leaving-3@example.com" } }, { plan: "free" }),
  ]);
  await connector.settle([
    connector.track({ user: { external_id: "unknown" }, create: false }, "Ordered"),
    connector.traits(ann, { age: "old" }),
    connector.traits(ann, { age: "older" }),
  ]);
  const user = await connector.user(ann.user);
  const [event] = await connector.events({ event: "Ordered" });

  const erase = async (email: string) => {
    const { id } = await connector.user({ email });
    const { position } = (await connector.call("DELETE", `/${id}`)).json<{ position: string }>();
    await connector.waitFor(position);
    return id;
  };
  const segment = (of: string, number: number) => ({
    name: `All ${of} ${number}`,
    query: { match_all: {} },
    predicate: {},
  });
  const [erasedUser] = await twice((number) => erase(`leaving-${number}@example.com`));
  const [usersSegment, otherSegment] = await twice((number) =>
    create("/users_segments", segment("users", number), connector.headers),
  );
  // Two versions of it.
  await connector.call("PUT", `/${usersSegment}`, { payload: { query: { bool: { must: [{ match_all: {} }] } } } });
  const [accountsSegment] = await twice((number) =>
    create("/accounts_segments", segment("accounts", number), connector.headers),
  );
  const [comment, oldComment] = await twice((number) =>
    create(`/${user.id}/comments`, { text: `Comment ${number}` }, connector.headers),
  );
  const [view, oldView] = await twice((number) =>
    create("/views", { name: `View ${number}`, target: "user" }, connector.headers),
  );
  await create("/views", { name: "View 3", target: "user" }, connector.headers);
  for (const name of ["marketing", "surveys"]) {
    const url = `/api/v1/purposes/${name}`;
    await server.app.inject({ method: "PUT", url, headers: server.operatorHeaders, payload: {} });
  }
  const [computedAttribute, oldComputedAttribute] = await twice((number) =>
    create(
      "/computed_attributes",
      { target: "user", name: `orders_${number}`, compute: { count: { event: "Ordered" } } },
      connector.headers,
    ),
  );
  const { mergedInto, mergedUser, mergedAccount, keptUser, decision } = await mergeSome(connector);
  const [insight, oldInsight] = await twice((number) =>
    create("/insights", { name: `Insight ${number}`, question: { retention: {} } }, connector.headers),
  );
  await server.database.query(
    "insert into event_plans (organization_id, name, merged_into, keeps_sent_names) values ($1, 'Order made', 'Ordered', true)",
    [server.first.organization.id],
  );
  const [writeKey, oldWriteKey] = await twice((number) =>
    create(`/${own.id}/write_keys`, { kind: "page", name: `Key ${number}`, domains: SITES }),
  );
  const [entity] = await twice((number) => create("/app/entities", { uid: `article-${number}` }, connector.headers));
  const [platform] = await twice((number) => create("/platforms", { name: `Site ${number}`, domains: SITES }));
  const [deployment] = await twice(() => create(`/${platform}/deployments`, { connector_id: own.id }));
  const logs = [1, 2].map((number) => ({ level: "info", message: `Line ${number}` }));
  await connector.call("POST", "/app/logs", { payload: logs });
  for (const status of ["ok", "warning"]) {
    await connector.call("PUT", "/app/status", { payload: { status, messages: [] } });
  }
  await noteTraces(server, [user.id, user.id]);
  const extract = { url: null, format: "json", query: { match_all: {} } };
  const [job] = await twice(async () => (await runJob(server, "/extract/users", extract)).id);
  const tomorrow = {
    url: `${app.url}/users.json`,
    format: "json",
    schedule_at: new Date(Date.now() + DAY_MS).toISOString(),
  };
  const scheduledJob = await create("/import/users", tomorrow, connector.headers);
  const empty = await create("/uploads", {}, connector.headers);
  await server.app.inject({
    method: "PUT",
    url: `/api/v1/uploads/${empty}?offset=0`,
    headers: { ...connector.headers, "content-type": "application/octet-stream" },
    payload: Buffer.from('{"plan":"of nobody"}\n'),
  });
  const { id: importJob } = await runJob(server, "/import/users", { url: `upload:${empty}`, format: "json" });
  const download = await server.app.inject({ url: `/api/v1/${job}`, headers: server.operatorHeaders });
  const file = new URL(download.json<{ download_url: string }>().download_url);
  const upload = await create("/uploads", {}, connector.headers);
  const csvUpload = await create("/uploads", {}, connector.headers);
  await server.app.inject({
    method: "PUT",
    url: `/api/v1/uploads/${csvUpload}?offset=0`,
    headers: { ...connector.headers, "content-type": "application/octet-stream" },
    payload: Buffer.from("E-mail,Seats\nann@example.com,12\n"),
  });
  const key = await create("/keys", {});
  const frame = await server.app.inject({
    method: "POST",
    url: `/api/v1/${own.id}/frames`,
    headers: server.operatorHeaders,
    payload: { path: "/overview" },
  });

  const [member, otherMember] = [
    await signInAs(server, "editor", { email: "grace@example.com" }),
    await signInAs(server, "viewer", { email: "heidi@example.com" }),
  ];
  const session = (await signInByLink(server, "grace@example.com")).sessionId;
  const invitationToken = tokenOf(await invite(server, "viewer", { email: "ivan@example.com" }));
  const invitation = await create("/invitations", { email: "judy@example.com", role: "viewer" });
  const signInLink = await server.app.inject({
    method: "POST",
    url: "/api/v1/sign_in_links",
    headers: server.operatorHeaders,
    payload: {},
  });

  const latest = async (path: string) => {
    const answer = await vi.waitUntil(async () => {
      const rows = (await connector.call("GET", path)).json<{ id: number }[]>();
      return rows.length >= 2 && rows;
    }, PATIENCE);
    return String(answer[0]?.id);
  };
  await latest("/app/logs");
  const read = async <Answer>(path: string) => {
    const answer = await vi.waitUntil(async () => {
      const response = await connector.call("GET", path);
      const body = response.json<Answer>();
      return response.statusCode === 200 && (!Array.isArray(body) || body.length > 0) && { body };
    }, PATIENCE);
    return answer.body;
  };
  type Trace = Record<"notification_id" | "message_id", string>;
  const traces = await read<Trace[]>(`/app/delivery/traces?entity_id=${user.id}&result=delivered&per_page=100`);
  // The first messages of a minute are kept.
  const { notification_id = "", message_id = "" } = traces.at(-1) ?? {};
  await read(`/app/delivery/messages/${notification_id}/${message_id}`);
  // A message that is given up later would change the lists while a test reads them.
  await vi.waitUntil(async () => {
    const segments = (await connector.call("GET", "/segments")).json<{ evaluated: boolean }[]>();
    const delivery = (await connector.call("GET", "/app/delivery")).json<{ queued_messages: number }>();
    return segments.every(({ evaluated }) => evaluated) && delivery.queued_messages === 0;
  }, PATIENCE);
  const writeKeys = await read<{ kind: string; key: string }[]>("/app/write_keys");
  const keyTextOf = (wanted: string) => writeKeys.find(({ kind }) => kind === wanted)?.key ?? "";
  const deadLetter = await latest("/dead_letters");
  const letter = await read<{ entity_id: string; message: { message_id: string } }>(`/dead_letters/${deadLetter}`);

  return {
    server,
    connector,
    values: {
      organization: server.first.organization.id,
      connector: own.id,
      otherConnector,
      user: user.id,
      erasedUser,
      mergedInto,
      mergedUser,
      mergedAccount,
      keptUser,
      decision,
      leavingUser: (await connector.user({ email: "leaving-3@example.com" })).id,
      account: (user.account as { id: string }).id,
      event: event?.id ?? "",
      usersSegment,
      otherSegment,
      accountsSegment,
      entity,
      comment,
      oldComment,
      view,
      oldView,
      insight,
      oldInsight,
      computedAttribute,
      oldComputedAttribute,
      writeKey,
      serverKey: keyTextOf("server"),
      pageKey: keyTextOf("page"),
      oldWriteKey,
      job,
      scheduledJob,
      importJob,
      platform,
      deployment,
      upload,
      csvUpload,
      key,
      deadLetter,
      deadMessage: letter.message.message_id,
      refusedUser: letter.entity_id,
      message: message_id,
      notification: notification_id,
      rejectedEntry: await latest("/ingestion/rejected"),
      expires: file.searchParams.get("expires") ?? "",
      signature: file.searchParams.get("signature") ?? "",
      file: file.pathname.split("/").at(-1) ?? "",
      member: member.id,
      otherMember: otherMember.id,
      session,
      invitation,
      invitationToken,
      signInToken: tokenOf(signInLink.json<{ url: string }>().url),
      ticket: frame.json<{ url: string }>().url.split("/").at(-1) ?? "",
      token: connector.token({ user: ann.user }),
      // Made anew each time, because it ends after two minutes and works once.
      get carried() {
        return carriedIds.carry(server.first.organization.id, [{ domains: SITES }], CARRIED);
      },
      position: "l1",
      connectorUrl: app.url,
      otherManifestUrl: `${other.url}/manifest.json`,
    },
    async close() {
      await server.close();
      await app.close();
      await other.close();
    },
  };
}

/** Merges a user into another one, and two others that are split again. */
async function mergeSome(connector: Sender) {
  const email = "mia@example.com";
  const browsers = ["kiosk", "kiosk-2", "kiosk-3"];
  await connector.settle([
    connector.traits({ user: { email } }, {}),
    ...browsers.map((anonymous_id) => connector.traits({ user: { anonymous_id } }, {})),
  ]);
  const { id: mergedInto } = await connector.user({ email });
  const ids = await Promise.all(browsers.map(async (anonymous_id) => (await connector.user({ anonymous_id })).id));
  const [mergedUser = "", ...split] = ids;
  for (const [index, anonymous_id] of browsers.entries()) {
    const alias = await connector.call("POST", `/${mergedInto}/alias`, { payload: { anonymous_id } });
    expect([alias.statusCode, alias.body]).toEqual([200, expect.any(String)]);
    if (index === 0) continue;
    const undone = await connector.call("POST", `/${mergedInto}/unmerge`, { payload: { merged_id: ids[index] } });
    expect([undone.statusCode, undone.body]).toEqual([200, expect.any(String)]);
  }
  const [keptUser = ""] = split;
  const account = { domain: "example.com" };
  const named = { user: { external_id: "of-a-branch" }, account: { anonymous_id: "branch" } };
  await connector.settle([connector.traits({ account }, {}), connector.traits(named, {})]);
  const { account_id: mergedAccount } = await connector.user(named.user);
  await connector.settle([connector.entry("alias", { account }, named.account)]);
  return {
    mergedInto,
    mergedUser,
    mergedAccount: String(mergedAccount),
    keptUser,
    decision: `${mergedInto}-${keptUser}`,
  };
}
