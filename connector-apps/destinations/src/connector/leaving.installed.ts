import { userMessage } from "@muster/connector/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { SYNC_MODE } from "../mapping/sync-mode.js";
import type { RecordedAnswer, RecordedRequest } from "../testing/recorder.js";
import { OTHER_SEGMENT, SEGMENT } from "../testing/sample-events.js";
import { mappingFor, setUpDestination } from "../testing/set-up-destination.js";

const TOKENS = {
  oauth_client_id: "client-1",
  oauth_client_secret: "client-secret-1",
  oauth_tokens: { access_token: "access-token-1", refresh_token: "refresh-token-1" },
};
const MEMBERSHIP = 'event = "Audience Entered" or event = "Audience Exited"';
const ADA = { id: "u1", external_id: "u1", email: "ada@example.com" };
// Google's code reads the operator's token from a variable, which threads inherit.
process.env.ADWORDS_DEVELOPER_TOKEN = "developer-token-1";

const entered = userMessage({
  message_id: "in",
  user: ADA,
  segments: [SEGMENT, OTHER_SEGMENT],
  changes: { segments: { entered: [SEGMENT], left: [] } },
});
/** The other segment is not chosen: nobody is told of it. */
const left = userMessage({
  message_id: "out",
  user: ADA,
  segments: [OTHER_SEGMENT],
  changes: { segments: { entered: [], left: [SEGMENT] } },
});

describe("Google's list of users, with the mode that a new mapping has", () => {
  const consent = { ad_user_data_consent_state: "GRANTED", ad_personalization_consent_state: "GRANTED" };
  const mapping = mappingFor("google-enhanced-conversions", "userList", MEMBERSHIP, consent);
  const google = setUpDestination("google-enhanced-conversions", {
    ...TOKENS,
    customerId: "123-456-7890",
    audience_external_id_type: "CONTACT_INFO",
    audience_ids: { [SEGMENT.id]: "list-1" },
    mappings: [mapping],
  });
  beforeEach(() => google.recorder.answer(answerOfGoogle));

  test("gets who enters added, and who leaves removed", async () => {
    expect(mapping.fields[SYNC_MODE]).toBe("mirror");
    const operations = async (message: typeof entered) => {
      google.recorder.requests.length = 0;
      const { body } = await google.notify("user:update", message);
      expect(body).toMatchObject({ results: [{ result: "accepted" }] });
      const sent = google.recorder.requests.find(({ url }) => url.endsWith(":addOperations"));
      return Object.keys((JSON.parse(sent?.body ?? "{}") as { operations: object[] }).operations[0] ?? {});
    };
    expect(await operations(entered)).toEqual(["create"]);
    expect(await operations(left)).toEqual(["remove"]);
  });
});

describe("Facebook's custom audience", () => {
  const facebook = setUpDestination("facebook-custom-audiences", {
    ...TOKENS,
    retlAdAccountId: "1234",
    audience_engageAdAccountId: "1234",
    audience_ids: { [SEGMENT.id]: "audience-1" },
    mappings: [mappingFor("facebook-custom-audiences", "sync", MEMBERSHIP)],
  });
  beforeEach(() => facebook.recorder.answer(() => ({ body: { num_received: 1 } })));

  test("loses who leaves the segment", async () => {
    for (const [message, method] of [
      [entered, "POST"],
      [left, "DELETE"],
    ] as const) {
      facebook.recorder.requests.length = 0;
      const { body } = await facebook.notify("user:update", message);
      expect(body).toMatchObject({ results: [{ result: "accepted" }] });
      expect(facebook.recorder.requests.map(({ method: used, url }) => [used, url.split("?")[0]])).toEqual([
        [method, "https://graph.facebook.com/v24.0/audience-1/users"],
      ]);
    }
  });
});

function answerOfGoogle({ url }: RecordedRequest): RecordedAnswer {
  return {
    body: url.endsWith("offlineUserDataJobs:create") ? { resourceName: "customers/1/offlineUserDataJobs/2" } : {},
  };
}
