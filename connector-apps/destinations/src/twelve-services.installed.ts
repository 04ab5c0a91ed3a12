import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { RecordedAnswer, RecordedRequest } from "./testing/recorder.js";
import { SEGMENT, sampleMessage } from "./testing/sample-events.js";
import { mappingFor, setUpDestination } from "./testing/set-up-destination.js";

const TOKENS = {
  oauth_client_id: "client-1",
  oauth_client_secret: "client-secret-1",
  oauth_tokens: { access_token: "access-token-1", refresh_token: "refresh-token-1" },
};
const USER_ID = "5f0c7a52-6a43-4b6e-9d3c-1f0a5f2f8b11";
const IDENTIFY = 'type = "identify"';
const STS = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
<AccessKeyId>AKIATEMPORARY</AccessKeyId><SecretAccessKey>temporary-secret</SecretAccessKey><SessionToken>session-1</SessionToken>
<Expiration>2036-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
// The client of AWS takes the first credentials from the environment, which threads inherit.
Object.assign(process.env, {
  AWS_ACCESS_KEY_ID: "AKIAFIRST",
  AWS_SECRET_ACCESS_KEY: "first-secret",
  AMAZON_S3_ACTIONS_ROLE_ADDRESS: "arn:aws:iam::123456789012:role/first",
  AMAZON_S3_ACTIONS_EXTERNAL_ID: "first-external-id",
});
const ENTERED = 'event = "Audience Entered"';

interface ServiceCase {
  name: string;
  settings: Record<string, unknown>;
  action: string;
  trigger: string;
  fields?: Record<string, unknown>;
  answer?(request: RecordedRequest): RecordedAnswer | undefined;
  /** The requests as the public API of the service documents them. */
  expected: { method: string; url: string | RegExp; authorization?: unknown; body?: unknown }[];
}

const CASES: ServiceCase[] = [
  {
    name: "hubspot",
    settings: TOKENS,
    action: "upsertContact",
    trigger: IDENTIFY,
    expected: [
      {
        method: "PATCH",
        url: "https://api.hubapi.com/crm/v3/objects/contacts/ada@example.com?idProperty=email",
        authorization: "Bearer access-token-1",
        body: { properties: { email: "ada@example.com", firstname: "Ada", lastname: "Lovelace" } },
      },
    ],
  },
  {
    name: "salesforce",
    settings: { ...TOKENS, instanceUrl: "https://acme.my.salesforce.com" },
    action: "lead",
    trigger: IDENTIFY,
    fields: { operation: "create" },
    expected: [
      {
        method: "POST",
        url: "https://acme.my.salesforce.com/services/data/v53.0/sobjects/Lead",
        authorization: "Bearer access-token-1",
        body: { Email: "ada@example.com", FirstName: "Ada", LastName: "Lovelace" },
      },
    ],
  },
  {
    name: "slack",
    settings: {},
    action: "postToChannel",
    trigger: ENTERED,
    fields: {
      url: "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
      text: { "@template": "{{traits.name}} entered {{properties.audience_name}}" },
    },
    expected: [
      {
        method: "POST",
        url: "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        body: { text: "Ada Lovelace entered VIP customers" },
      },
    ],
  },
  {
    name: "braze",
    settings: { api_key: "braze-key-1", endpoint: "https://rest.iad-01.braze.com" },
    action: "updateUserProfile",
    trigger: IDENTIFY,
    expected: [
      {
        method: "POST",
        url: "https://rest.iad-01.braze.com/users/track",
        authorization: "Bearer braze-key-1",
        body: { attributes: [{ external_id: USER_ID, email: "ada@example.com", first_name: "Ada", plan: "pro" }] },
      },
    ],
  },
  {
    name: "customerio",
    settings: { siteId: "site-1", apiKey: "customerio-key-1" },
    action: "createUpdatePerson",
    trigger: IDENTIFY,
    expected: [
      {
        method: "POST",
        url: "https://track.customer.io/api/v2/entity",
        authorization: basic("site-1:customerio-key-1"),
        body: {
          type: "person",
          action: "identify",
          identifiers: { id: USER_ID },
          attributes: { email: "ada@example.com", plan: "pro", created_at: 1_767_225_600 },
        },
      },
    ],
  },
  {
    name: "klaviyo",
    settings: { api_key: "klaviyo-key-1" },
    action: "addProfileToList",
    trigger: ENTERED,
    answer: ({ url }) =>
      url.includes("/lists")
        ? { body: { data: { id: "list-1", type: "list" } } }
        : { status: 201, body: { data: { id: "profile-1" } } },
    expected: [
      {
        method: "POST",
        url: "https://a.klaviyo.com/api/lists",
        authorization: "Klaviyo-API-Key klaviyo-key-1",
        body: { data: { type: "list", attributes: { name: "VIP customers" } } },
      },
      { method: "GET", url: "https://a.klaviyo.com/api/lists/list-1" },
      {
        method: "POST",
        url: "https://a.klaviyo.com/api/profiles/",
        body: { data: { type: "profile", attributes: { email: "ada@example.com" } } },
      },
      {
        method: "POST",
        url: "https://a.klaviyo.com/api/lists/list-1/relationships/profiles/",
        body: { data: [{ type: "profile", id: "profile-1" }] },
      },
    ],
  },
  {
    name: "intercom",
    settings: TOKENS,
    action: "identifyContact",
    trigger: IDENTIFY,
    fields: { role: "user" },
    expected: [
      {
        method: "POST",
        url: "https://api.intercom.io/contacts/search",
        authorization: "Bearer access-token-1",
        body: { query: { field: "external_id", operator: "=", value: USER_ID } },
      },
      {
        method: "POST",
        url: "https://api.intercom.io/contacts",
        body: { external_id: USER_ID, email: "ada@example.com", name: "Ada Lovelace", role: "user" },
      },
    ],
  },
  {
    name: "mixpanel",
    settings: { projectToken: "project-1", apiSecret: "mixpanel-secret-1", apiRegion: "EU 🇪🇺" },
    action: "trackEvent",
    trigger: 'event = "Signed up"',
    expected: [
      {
        method: "POST",
        url: "https://api-eu.mixpanel.com/import?strict=1",
        authorization: basic("mixpanel-secret-1:"),
        body: [
          {
            event: "Signed up",
            properties: { distinct_id: USER_ID, $insert_id: "event-Signed up", time: 1_767_225_600_000 },
          },
        ],
      },
    ],
  },
  {
    name: "google-sheets",
    settings: TOKENS,
    action: "postSheet2",
    trigger: IDENTIFY,
    fields: {
      spreadsheet_id: "sheet-1",
      spreadsheet_name: "Sheet1",
      record_identifier: { "@path": "$.userId" },
      fields: { email: { "@path": "$.traits.email" } },
    },
    expected: [
      {
        method: "GET",
        url: "https://sheets.googleapis.com/v4/spreadsheets/sheet-1/values/Sheet1!A2:A",
        authorization: "Bearer access-token-1",
      },
      {
        method: "POST",
        url: "https://sheets.googleapis.com/v4/spreadsheets/sheet-1/values:batchUpdate",
        body: { data: [{ range: "Sheet1!A1:B1", values: [["id", "email"]] }] },
      },
      {
        method: "POST",
        url: "https://sheets.googleapis.com/v4/spreadsheets/sheet-1/values/Sheet1!A2:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS",
        body: { values: [[USER_ID, "ada@example.com"]] },
      },
    ],
  },
  {
    name: "facebook-custom-audiences",
    settings: {
      ...TOKENS,
      retlAdAccountId: "1234",
      audience_engageAdAccountId: "1234",
      audience_audienceDescription: "From Muster",
    },
    action: "sync",
    trigger: ENTERED,
    answer: ({ url }) => ({ body: url.includes("/users") ? { num_received: 1 } : { id: "fb-audience-1" } }),
    expected: [
      {
        method: "POST",
        url: "https://graph.facebook.com/v24.0/act_1234/customaudiences",
        authorization: "Bearer access-token-1",
        body: { name: "VIP customers", subtype: "CUSTOM", description: "From Muster" },
      },
      { method: "GET", url: "https://graph.facebook.com/v24.0/fb-audience-1?fields=id,name" },
      {
        method: "POST",
        url: "https://graph.facebook.com/v24.0/fb-audience-1/users",
        // E-mail addresses are sent as their SHA-256.
        body: { payload: { data: [expect.arrayContaining([sha256("ada@example.com")])] } },
      },
    ],
  },
  {
    name: "tiktok-audiences",
    settings: { ...TOKENS, advertiser_ids: "advertiser-1", audience_advertiserId: "advertiser-1" },
    action: "addToAudience",
    trigger: ENTERED,
    answer: ({ method }) => ({
      body: {
        code: 0,
        message: "OK",
        data:
          method === "GET"
            ? { list: [{ audience_details: { audience_id: "tt-audience-1" } }] }
            : { audience_id: "tt-audience-1" },
      },
    }),
    expected: [
      {
        method: "POST",
        url: "https://business-api.tiktok.com/open_api/v1.3/segment/audience/",
        body: { custom_audience_name: "VIP customers", advertiser_id: "advertiser-1", action: "create" },
      },
      { method: "GET", url: /segment|dmp/ },
      {
        method: "POST",
        url: "https://business-api.tiktok.com/open_api/v1.3/segment/mapping/",
        body: { action: "add", advertiser_ids: ["advertiser-1"] },
      },
    ],
  },
  {
    name: "s3",
    settings: {
      iam_role_arn: "arn:aws:iam::123456789012:role/muster",
      s3_aws_bucket_name: "bucket-1",
      s3_aws_region: "eu-west-1",
      iam_external_id: "external-secret-1",
    },
    action: "syncToS3",
    trigger: IDENTIFY,
    answer: ({ url }) => (url.includes("sts.") ? { body: STS, headers: { "content-type": "text/xml" } } : { body: "" }),
    expected: [
      {
        method: "POST",
        url: "https://sts.eu-west-1.amazonaws.com/",
        body: expect.stringContaining("Action=AssumeRole"),
      },
      {
        method: "POST",
        url: "https://sts.eu-west-1.amazonaws.com/",
        body: expect.stringContaining("external-secret-1"),
      },
      {
        method: "PUT",
        url: /^https:\/\/bucket-1\.s3\.eu-west-1\.amazonaws\.com\/.*\.csv/,
        authorization: expect.stringContaining("AWS4-HMAC-SHA256 Credential=AKIATEMPORARY/"),
        body: expect.stringContaining("ada@example.com"),
      },
    ],
  },
];

describe.each(CASES)("$name", ({ name, settings, action, trigger, fields, answer, expected }) => {
  const service = setUpDestination(name, { ...settings, mappings: [mappingFor(name, action, trigger, fields)] });

  test("gets what its public API documents, and what was sent is shown without secrets", async () => {
    if (answer) service.recorder.answer(answer);
    const { body } = await service.notify("user:update", sampleMessage(["Signed up"]));
    expect(body).toMatchObject({ flow_control: { type: "next" }, results: [{ result: "accepted" }] });
    const requests = service.recorder.requests.map(({ method, url, headers, body: sent }) => ({
      method,
      url,
      authorization: headers.authorization,
      body: isJson(sent) ? JSON.parse(sent) : sent,
    }));
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toHaveLength(expected.length);
    for (const [index, { url, ...others }] of expected.entries()) {
      expect(requests[index]).toMatchObject({
        url: typeof url === "string" ? url : expect.stringMatching(url),
        ...others,
      });
    }
    const secrets = Object.values({ ...settings, ...TOKENS.oauth_tokens }).filter((value) =>
      /key|secret|token/.test(String(value)),
    );
    for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
  });

  test("is not asked again for an audience that it has made", async () => {
    if (answer) service.recorder.answer(answer);
    await service.notify("user:update", sampleMessage(["Signed up"]));
    const first = service.recorder.requests.length;
    service.recorder.requests.length = 0;
    await service.notify("user:update", { ...sampleMessage(["Signed up"]), message_id: "message-2" });
    const isMaker = expected.some(({ body }) => JSON.stringify(body)?.includes(SEGMENT.name) && trigger === ENTERED);
    expect(service.recorder.requests.length).toBeLessThanOrEqual(first);
    if (isMaker && name !== "slack") expect(service.recorder.requests.length).toBe(first - 2);
  });
});

function isJson(text: string): boolean {
  return /^[[{]/.test(text);
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
