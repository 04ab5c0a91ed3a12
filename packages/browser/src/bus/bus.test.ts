import { beforeEach, describe, expect, test, vi } from "vitest";
import { Bus } from "./bus.js";

let bus: Bus;
beforeEach(() => {
  bus = new Bus();
});

describe("a listener", () => {
  test("gets the arguments of the event, and its name in `this`", () => {
    const seen: unknown[] = [];
    bus.on("svc.track", function (...args) {
      seen.push([this.event, ...args]);
    });
    bus.emit("svc.track", { a: 1 }, 2);
    expect(seen).toEqual([["svc.track", { a: 1 }, 2]]);
  });

  test.each([
    ["svc.*", "svc.track", true],
    ["svc.*", "svc.user.login", false],
    ["svc.*.share", "svc.facebook.share", true],
    ["svc.**", "svc.user.login", true],
    ["svc.**", "svc", true],
    ["**", "anything.at.all", true],
    ["**.login", "svc.user.login", true],
    ["*", "svc.track", false],
    ["svc.track", "svc.tracked", false],
  ])("of %s and the event %s: called is %s", (pattern, name, isCalled) => {
    const listener = vi.fn();
    bus.on(pattern, listener);
    bus.emit(name);
    expect(listener).toHaveBeenCalledTimes(isCalled ? 1 : 0);
  });

  test("is called once with once, and as often as said with many", () => {
    const [once, many] = [vi.fn(), vi.fn()];
    bus.once("a", once);
    bus.many("a", 3, many);
    for (let round = 0; round < 5; round += 1) bus.emit("a");
    expect([once.mock.calls.length, many.mock.calls.length]).toEqual([1, 3]);
  });

  test("of any event gets the name as its first argument", () => {
    const listener = vi.fn();
    bus.onAny(listener);
    bus.emit("a", 1);
    bus.offAny(listener);
    bus.emit("a", 2);
    expect(listener.mock.calls).toEqual([["a", 1]]);
  });

  test("is removed by the same function only", () => {
    const listener = vi.fn();
    bus.on("a", listener);
    bus.off("a", () => {});
    bus.off("b", listener);
    bus.emit("a");
    bus.off("a", listener);
    bus.emit("a");
    expect(listener).toHaveBeenCalledTimes(1);
  });

  test("that throws does not keep others from being called", () => {
    const reported = vi.spyOn(console, "error").mockImplementation(() => {});
    const listener = vi.fn();
    bus.on("a", () => {
      throw new Error("of the page");
    });
    bus.on("a", listener);
    bus.emit("a");
    expect([listener.mock.calls.length, reported.mock.calls.length]).toEqual([1, 1]);
    reported.mockRestore();
  });

  test("that is added while an event is emitted is not called for that event", () => {
    const late = vi.fn();
    bus.on("a", () => bus.on("a", late));
    bus.emit("a");
    expect(late).not.toHaveBeenCalled();
  });
});
