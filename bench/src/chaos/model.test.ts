import { expect, test } from "vitest";
import { eventId, eventNumber, Model } from "./model.js";

const RIGHT = { least: 0, most: 0 };

function userOf(model: Model) {
  const [user] = model.users;
  if (!user) throw new Error("The model has a user.");
  return user;
}

test("the last write is the newest while the clock of the server is right", () => {
  const model = new Model({ users: 1, segmentUsers: 0 });
  const user = userOf(model);
  model.acknowledgeN(user, 1, 100, 100, RIGHT);
  model.acknowledgeN(user, 2, 200, 250, RIGHT);
  expect(user.newest.map(({ n }) => n)).toEqual([2]);
});

test("a write from when the clock was ahead stays the newest after the clock was set right", () => {
  const model = new Model({ users: 1, segmentUsers: 0 });
  const user = userOf(model);
  model.acknowledgeN(user, 1, 100, 100, { least: 60_000, most: 60_000 });
  model.acknowledgeN(user, 2, 200, 200, RIGHT);
  expect(user.newest.map(({ n }) => n)).toEqual([1]);
});

test("when the clock was set during a write, either write may be the newest", () => {
  const model = new Model({ users: 1, segmentUsers: 0 });
  const user = userOf(model);
  model.acknowledgeN(user, 1, 100, 100, { least: 0, most: 60_000 });
  model.acknowledgeN(user, 2, 200, 200, RIGHT);
  expect(user.newest.map(({ n }) => n)).toEqual([1, 2]);
});

test("a user who crosses the border twice is out again, and entered and left once", () => {
  const model = new Model({ users: 0, segmentUsers: 1 });
  const [user] = model.segmentUsers;
  if (!user) throw new Error("The model has a segment user.");
  for (let crossing = 0; crossing < 2; crossing++) model.cross(user);
  expect(user).toMatchObject({ isMember: false, entered: 1, left: 1 });
});

test("events of the load are known by their ids, and others are not", () => {
  const model = new Model({ users: 0, segmentUsers: 0 });
  expect(eventNumber(eventId(model.newEvent()))).toBe(0);
  expect(eventNumber("of somebody else")).toBeUndefined();
});
