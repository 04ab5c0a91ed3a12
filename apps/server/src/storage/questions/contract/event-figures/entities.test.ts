import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { eventOf } from "../steps.test.kit.js";

let questions: Questions;
let organization: Organization;

const [ann, bob, cat] = [idOf("ann"), idOf("bob"), idOf("cat")];
const [song, film, book] = [idOf("song"), idOf("film"), idOf("book")];

/** The user, the event, the entity and the minute. */
const ACTIONS: [user: string, event: string, entity: string, minute: number][] = [
  [ann, "Like", song, 1],
  [ann, "Unlike", song, 2],
  [ann, "Like", song, 3],
  [bob, "like", song, 1],
  [bob, "UNLIKE", song, 2],
  [cat, "LIKE", song, 1],
  [cat, "Played", song, 2],
  [bob, "Played", song, 3],
  [ann, "Like", film, 1],
  [bob, "Unlike", film, 1],
];

beforeAll(async () => {
  questions = await openEngine();
  organization = await openOrganization(questions);
  const events = ACTIONS.map(([user, event, entity_id, minute], index) =>
    eventOf(idOf(`e${index}`), user, { event, entity_id, created_at: new Date(minute * 60_000).toISOString() }),
  );
  await organization.write({ events: [...events, eventOf(idOf("none"), ann, { event: "Like" })] });
});

afterAll(() => questions.close());

describe("the actions of users on an entity", () => {
  test("are counted by name, with the users who like it now", async () => {
    expect(await questions.countEntityActions(organization.id, [song, film, book])).toEqual(
      new Map([
        [song, { actions: { Like: 2, Unlike: 1, like: 1, UNLIKE: 1, LIKE: 1, Played: 2 }, likes: 2 }],
        [film, { actions: { Like: 1, Unlike: 1 }, likes: 1 }],
        [book, { actions: {}, likes: 0 }],
      ]),
    );
  });

  test("are counted for the given entities only", async () => {
    expect([...(await questions.countEntityActions(organization.id, [film])).keys()]).toEqual([film]);
    expect(await questions.countEntityActions(organization.id, [])).toEqual(new Map());
  });
});

describe("the number of entities a user likes", () => {
  test("depends on the last like or unlike of each", async () => {
    expect((await questions.actionsOf(organization.id, ann)).liked).toBe(2);
    expect((await questions.actionsOf(organization.id, bob)).liked).toBe(0);
    expect((await questions.actionsOf(organization.id, cat)).liked).toBe(1);
    expect((await questions.actionsOf(organization.id, idOf("nobody"))).liked).toBe(0);
  });

  test("changes with the next like or unlike, and with a merge", async () => {
    await organization.write({
      events: [
        eventOf(idOf("later"), cat, { event: "Unlike", entity_id: song, created_at: "2024-01-01T00:00:00.000Z" }),
      ],
    });
    expect((await questions.actionsOf(organization.id, cat)).liked).toBe(0);
    await organization.write({ merges: [{ kind: "user", survivor: cat, loser: ann, hasEvents: true }] });
    expect((await questions.actionsOf(organization.id, cat)).liked).toBe(1);
    expect((await questions.countEntityActions(organization.id, [song])).get(song)?.likes).toBe(0);
  });

  test("depends on the higher id when two have the same time", async () => {
    const one = await openOrganization(questions);
    await one.write({
      events: [
        eventOf(idOf("e2"), ann, { event: "Like", entity_id: song }),
        eventOf(idOf("e1"), ann, { event: "Unlike", entity_id: song }),
      ],
    });
    expect((await questions.actionsOf(one.id, ann)).liked).toBe(1);
  });
});
