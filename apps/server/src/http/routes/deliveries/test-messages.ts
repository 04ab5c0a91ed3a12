import { Refusal } from "@muster/protocol";
import { DELIVERIES_API } from "@muster/protocol/api/deliveries";
import type { Connectors } from "../../../connectors/connectors.js";
import type { TestMessages } from "../../../deliveries/sending/test-messages.js";
import type { App } from "../../app-type.js";
import { Throttle } from "../../auth/throttle.js";
import { findOwnConnector, findUsableConnector } from "../connectors/find-connector.js";

export interface TestMessageRoutesOptions {
  testMessages: TestMessages;
  connectors: Connectors;
}

const TESTS_A_MINUTE = 20;

/** What a connector would be sent about somebody, and a message that is sent to try it. */
export function testMessageRoutes(app: App, { testMessages, connectors }: TestMessageRoutesOptions): void {
  const throttle = new Throttle(TESTS_A_MINUTE);

  app.get(
    "/:id/delivery/sample",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "What a connector would be sent about a user or account",
        ...DELIVERIES_API["GET /api/v1/{id}/delivery/sample"],
      },
    },
    async ({ caller, params, query }) => {
      const connector = await findUsableConnector(connectors, params.id, caller);
      return testMessages.sample(connector, query.entity_id);
    },
  );

  app.post(
    "/:id/delivery/test",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Send a connector one message about a user or account now, and see what becomes of it",
        description:
          "The message has everything that is known and no changes, as in an export. It is sent once and not queued. The connector treats it like any other message. At most 20 a minute for each connector.",
        ...DELIVERIES_API["POST /api/v1/{id}/delivery/test"],
      },
    },
    async ({ caller, params, body }) => {
      const connector = await findOwnConnector(connectors, params.id, caller);
      const now = performance.now();
      const retryAfter = throttle.retryAfter(connector.id, now);
      if (retryAfter > 0) {
        throw new Refusal("too_many_requests", "A connector can be tested 20 times a minute.", { retryAfter });
      }
      throttle.count(connector.id, now);
      return testMessages.send(connector, body.entity_id);
    },
  );
}
