import { type Brand, Refusal } from "@muster/protocol";
import { DEAD_LETTERS_API, type DeadLetterSelection } from "@muster/protocol/api/dead-letters";
import type { DeadLetters } from "../../../deliveries/shown/dead-letters.js";
import type { DeadLetterFilter } from "../../../domain/delivery/dead-letter.js";
import type { App } from "../../app-type.js";
import { type Caller, nameOf } from "../../auth/caller.js";
import { describePage, limitsOf } from "../pagination.js";

export interface DeadLetterRoutesOptions {
  deadLetters: DeadLetters;
  brand: Brand;
}

/** Messages that could not be delivered: to look at, to send again, to discard. */
export function deadLetterRoutes(app: App, { deadLetters, brand }: DeadLetterRoutesOptions): void {
  app.get(
    "/dead_letters",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Messages that could not be delivered, the latest first",
        description: "With other filters than `connector_id` and `cause`, 100,000 letters at most are counted.",
        ...DEAD_LETTERS_API["GET /api/v1/dead_letters"],
      },
    },
    async (request, reply) => {
      const filter = filterOf(request.query, request.caller);
      const page = limitsOf(request.query);
      const { total, letters } = await deadLetters.list(request.caller.organization.id, filter, page);
      describePage(request, reply, brand, request.query, total);
      return letters;
    },
  );

  app.get(
    "/dead_letters/groups",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Dead letters by their causes, the largest groups first",
        ...DEAD_LETTERS_API["GET /api/v1/dead_letters/groups"],
      },
    },
    async (request, reply) => {
      const filter = filterOf(request.query, request.caller);
      const found = await deadLetters.groups(request.caller.organization.id, filter, limitsOf(request.query));
      describePage(request, reply, brand, request.query, found.total);
      return found.groups;
    },
  );

  app.get(
    "/dead_letters/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "A dead letter with its message, the last request and its answer",
        ...DEAD_LETTERS_API["GET /api/v1/dead_letters/{id}"],
      },
    },
    async ({ caller, params }) => {
      const letter = await deadLetters.find(caller.organization.id, params.id, filterOf({}, caller));
      if (!letter) throw new Refusal("not_found", `There is no dead letter ${params.id}.`);
      return letter;
    },
  );

  app.put(
    "/dead_letters/:id",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["deliveries"],
        summary: "Edit the message of a dead letter before it is sent again",
        description:
          "The message keeps its ids. It is then sent as it is: it does not get the present state of its user or account.",
        ...DEAD_LETTERS_API["PUT /api/v1/dead_letters/{id}"],
      },
    },
    async ({ caller, params, body }) => {
      const edit = { message: body.message, by: nameOf(caller) };
      const letter = await deadLetters.edit(caller.organization.id, params.id, filterOf({}, caller), edit);
      if (!letter) throw new Refusal("not_found", `There is no dead letter ${params.id}.`);
      return letter;
    },
  );

  app.post(
    "/dead_letters/retry",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Send dead letters again: those of `ids`, or all that match",
        description:
          "Each contains the same changes and events as before, and the user or account as it is now. One that was edited is sent as it is.",
        ...DEAD_LETTERS_API["POST /api/v1/dead_letters/retry"],
      },
    },
    ({ caller, body }) => deadLetters.retry(caller.organization.id, filterOf(body, caller), body.limit),
  );

  app.post(
    "/dead_letters/discard",
    {
      config: { access: "connector" },
      schema: {
        tags: ["deliveries"],
        summary: "Discard dead letters for good: those of `ids`, or all that match",
        ...DEAD_LETTERS_API["POST /api/v1/dead_letters/discard"],
      },
    },
    ({ caller, body }) => deadLetters.discard(caller.organization.id, filterOf(body, caller), body.limit),
  );
}

/** A connector sees its own dead letters; the operator sees all of them. */
function filterOf(given: DeadLetterSelection, caller: Caller): DeadLetterFilter {
  const { ids, channel, entity_id: objectId, reason, cause, up_to: upTo } = given;
  const connectorId = caller.kind === "connector" ? caller.connector.id : given.connector_id;
  return {
    ...(ids ? { ids } : {}),
    ...(connectorId === undefined ? {} : { connectorId }),
    ...(channel === undefined ? {} : { channel }),
    ...(objectId === undefined ? {} : { objectId }),
    ...(reason === undefined ? {} : { reason }),
    ...(cause === undefined ? {} : { cause }),
    ...(upTo === undefined ? {} : { upTo }),
  };
}
