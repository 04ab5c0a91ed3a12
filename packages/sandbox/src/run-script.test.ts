import { describe, expect, it } from "vitest";
import { runScript } from "./run-script.js";

describe("a script", () => {
  it("returns actions and performs none of them", async () => {
    const code = `
      const domain = user.email.split("@")[1];
      traits({ domain });
      track("Computed", { domain }, { source: "test" });
      asUser({ external_id: "7" }).account({ domain }).traits({ owner: true }).alias({ anonymous_id: "v" });
      asAccount(domain).traits({ users: { operation: "inc", value: 1 } });
      console.log("done", { domain });`;
    expect(await runScript(code, { user: { email: "ada@example.com" } })).toEqual({
      actions: [
        { kind: "traits", subject: {}, attributes: { domain: "example.com" } },
        {
          kind: "track",
          subject: {},
          event: "Computed",
          properties: { domain: "example.com" },
          context: { source: "test" },
        },
        {
          kind: "traits",
          subject: { user: { external_id: "7" }, account: { domain: "example.com" } },
          attributes: { owner: true },
        },
        {
          kind: "alias",
          subject: { user: { external_id: "7" }, account: { domain: "example.com" } },
          body: { anonymous_id: "v" },
        },
        {
          kind: "traits",
          subject: { account: { id: "example.com" } },
          attributes: { users: { operation: "inc", value: 1 } },
        },
      ],
      logs: ['done {"domain":"example.com"}'],
      error: undefined,
      line: undefined,
      timeMs: expect.any(Number),
    });
  });

  it("may return early", async () => {
    const { actions, error } = await runScript("traits({ a: 1 }); return; traits({ b: 2 });", {});
    expect([actions.length, error]).toEqual([1, undefined]);
  });

  it("that fails returns the error and the actions before it", async () => {
    expect(await runScript("traits({ a: 1 }); nothing.here;", {})).toMatchObject({
      actions: [{ kind: "traits" }],
      error: "ReferenceError: 'nothing' is not defined",
    });
    expect((await runScript("if (", {})).error).toMatch(/^SyntaxError/);
    expect((await runScript("throw 'no'", {})).error).toBe("no");
    expect((await runScript("traits(1)", {})).error).toBe("TypeError: traits() needs an object of attributes.");
    expect((await runScript("track('')", {})).error).toBe("TypeError: track() needs the name of an event.");
  });
});

describe("the line of an error", () => {
  it.each([
    ["a name that is not there", "traits({ a: 1 });\n\nnothing.here;", 3],
    ["a call that the sandbox refuses", "const a = 1;\ntraits(a);", 2],
    ["a function of the script", "const f = () => {\n  null.x;\n};\nf();", 2],
    ["a word that is no code", "traits({ a: 1 });\nthis is not code", 2],
    ["a bracket that is never closed", "if (user) {\n  traits({ a: 1 });", 2],
  ])("is known for %s", async (_name, code, line) => {
    expect((await runScript(code, { user: {} })).line).toBe(line);
  });

  it("is not known for something thrown that is no error", async () => {
    expect((await runScript("throw 'no'", {})).line).toBeUndefined();
  });
});

describe("the limits", () => {
  it("end a script that takes too long, in code or in a pattern", async () => {
    expect((await runScript("while (true) {}", {}, { timeMs: 50 })).error).toBe("The script took too long.");
    const pattern = "/^(a+)+$/.test('a'.repeat(40) + 'b')";
    expect((await runScript(pattern, {}, { timeMs: 50 })).error).toBe("The script took too long.");
  });

  it.each([
    "const all = []; const f = () => { all.push({}); f(); }; for (;;) try { f(); } catch {}",
    "const f = () => [f()]; f();",
    "const f = (...all) => f(...all, {}); f();",
  ])("end a script that overflows the stack, and the next script runs: %s", async (code) => {
    for (const timeMs of [5, 20, 300]) {
      expect((await runScript(code, {}, { timeMs })).error).toMatch(/stack|too long|too much memory/i);
      expect((await runScript("traits({ a: 1 })", {})).actions).toHaveLength(1);
    }
  });

  it("end a script that needs too much memory or stack", async () => {
    const hoard = "const all = []; while (true) all.push(new Uint8Array(100_000));";
    const { error } = await runScript(hoard, {}, { timeMs: 60_000, memoryBytes: 4_000_000 });
    expect(error).toBe("The script needed too much memory.");
    expect((await runScript("(function f() { f(); })()", {})).error).toMatch(/stack/i);
    expect((await runScript("while (true) traits({})", {}, { timeMs: 60_000 })).error).toMatch(/at most 1000 actions/);
  });

  it("keep the error of a script short, because it goes to logs and answers", async () => {
    for (const thrown of ["new Error('x'.repeat(5_000_000))", "{ message: 'x'.repeat(5_000_000) }"]) {
      const { error = "" } = await runScript(`throw ${thrown}`, {});
      expect([error.length, error.at(-1)]).toEqual([1_001, "…"]);
    }
  });

  it.each(["process", "require", "fetch", "setTimeout", "globalThis.process", "Deno", "WebAssembly", "performance"])(
    "keep %s out of reach",
    async (name) => {
      expect((await runScript(`if (typeof ${name} !== "undefined") throw "in reach"`, {})).error).toBeUndefined();
    },
  );

  it("keep scripts apart, also when one changes built-in prototypes", async () => {
    const spoil = `Object.prototype.plan = "spoilt"; Array.prototype.map = null; JSON.stringify = null; globalThis.left = 1;
      traits({ a: 1 });`;
    expect((await runScript(spoil, {})).actions).toHaveLength(1);
    expect(await runScript("traits({ left: typeof left, plan: ({}).plan })", {})).toMatchObject({
      actions: [{ attributes: { left: "undefined" } }],
    });
    expect(({} as Record<string, unknown>).plan).toBeUndefined();
  });

  it("do not let a script replace its results", async () => {
    for (const code of [
      "console.log = null",
      "traits = null",
      "asUser('a').traits = null",
      "delete globalThis.track",
    ]) {
      expect((await runScript(code, {})).error).toMatch(/^TypeError/);
    }
  });

  it("refuse an input that is nested too deep, and the next script runs", async () => {
    for (const levels of [50_000, 400_000]) {
      const body: unknown = JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
      expect((await runScript("traits({ a: 1 })", { body })).error).toMatch(/nested too deeply|stack/);
      expect((await runScript("traits({ a: 1 })", {})).actions).toHaveLength(1);
    }
  });

  it("let a script read any input as plain data", async () => {
    const nasty = { text: '"); process.exit(); ("', __proto__: { a: 1 }, line: "\u2028" };
    const { actions } = await runScript("traits({ text: input.text, line: input.line })", { input: nasty });
    expect(actions[0]).toMatchObject({ attributes: { text: nasty.text, line: nasty.line } });
  });
});
