import fc from "fast-check";
import { expect, test } from "vitest";
import type { Report } from "../../../domain/profiles/report.js";
import type { ProjectedEvent, ProjectionStep, SubjectDocument } from "../projection.js";
import { serialiseEvent } from "../serialise.js";
import { decodeWriting, encodeWriting } from "./encoded-writing.js";

const ORGANIZATION = "000000010000000000000001";

// Any text, also broken one, and any JSON value, as records bring them. JSON has no negative zero.
const text = fc.string({ unit: "binary" });
const value = fc
  .jsonValue({ noUnicodeString: false })
  .map((each) => JSON.parse(JSON.stringify(each)) as Report[string]);
const bag = fc.dictionary(text, value, { noNullPrototype: true });

const document: fc.Arbitrary<SubjectDocument> = fc
  .tuple(bag, fc.option(text, { nil: undefined }), fc.nat(), fc.option(fc.nat(), { nil: undefined }))
  .map(([report, accountId, version, addedBy]) => ({
    report,
    accountId,
    version,
    ...(addedBy === undefined ? {} : { addedBy }),
  }));

const event: fc.Arbitrary<ProjectedEvent> = fc
  .tuple(
    fc.record({
      id: text,
      event: text,
      event_id: text,
      event_source: text,
      event_type: text,
      created_at: text,
      user_id: text,
      origin_id: text,
      account_id: fc.option(text),
      anonymous_id: fc.option(text),
      session_id: fc.option(text),
      properties: bag,
      context: bag,
    }),
    fc.constantFrom({}, { entity_id: "product" }),
  )
  .map(([fields, more]) => ({ ...fields, ...more }));

const withText = (each: SubjectDocument): SubjectDocument => ({ ...each, json: JSON.stringify(each.report) });

test("a step arrives as it was sent, with the texts that the engine stores", async () => {
  const subjects = fc.record({ written: fc.array(document, { maxLength: 5 }), gone: fc.array(text, { maxLength: 3 }) });
  const change = fc.record({ events: fc.array(event, { maxLength: 5 }) });
  await fc.assert(
    fc.asyncProperty(subjects, subjects, fc.array(change, { maxLength: 3 }), async (user, account, several) => {
      const changes = several.map(({ events }, index) => ({
        sequence: index + 1,
        change: {
          events,
          replaced: [{ id: "1", event: "e", createdAt: index }],
          merges: [{ kind: "user" as const, survivor: "1", loser: "2", hasEvents: true }],
          removed: [{ kind: "account" as const, id: "3", formerIds: ["4"] }],
          ...(index === 1 ? { evaluation: { at: "now", moves: [] } } : {}),
        },
      }));
      const typeOf: ProjectionStep["typeOf"] = (subjectType, key) =>
        subjectType === "user" ? "string" : key.length % 2 === 0 ? "numeric" : undefined;
      const sent = { documents: { user, account }, changes, typeOf };
      const encoded = structuredClone(await encodeWriting("writeChanges", [ORGANIZATION, sent]));
      const [organizationId, { typeOf: arrivedTypeOf, ...arrived }] = await decodeWriting("writeChanges", encoded);
      expect(organizationId).toBe(ORGANIZATION);
      expect(arrived).toEqual({
        documents: {
          user: { ...user, written: user.written.map(withText) },
          account: { ...account, written: account.written.map(withText) },
        },
        changes: changes.map(({ sequence, change }) => ({
          sequence,
          change: { ...change, events: change.events.map((each) => ({ ...each, json: serialiseEvent(each) })) },
        })),
      });
      for (const subjectType of ["user", "account"] as const) {
        const keys = sent.documents[subjectType].written.flatMap(({ report }) => Object.keys(report));
        expect(keys.map((key) => arrivedTypeOf(subjectType, key))).toEqual(keys.map((key) => typeOf(subjectType, key)));
      }
    }),
  );
});

test("a page of documents arrives as it was sent", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(document, { maxLength: 5 }), async (documents) => {
      const progress = { kind: "user", afterId: "9" } as const;
      const sent = encodeWriting("writeDocuments", [ORGANIZATION, documents, progress, () => "date"]);
      const arrived = await decodeWriting("writeDocuments", structuredClone(await sent));
      expect(arrived.slice(0, 3)).toEqual([ORGANIZATION, documents.map(withText), progress]);
      for (const key of documents.flatMap(({ report }) => Object.keys(report)))
        expect(arrived[3]("user", key)).toBe("date");
    }),
  );
});
