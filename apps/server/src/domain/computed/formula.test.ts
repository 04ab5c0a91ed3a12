import { Refusal } from "@muster/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttributeType } from "../attributes/attribute-definitions.js";
import type { AttributeValue } from "../attributes/attribute-values.js";
import { parseFormula } from "./formula.js";
import type { FormulaResult } from "./formula-result.js";

const ADA: Record<string, AttributeValue> = {
  plan: "pro",
  seats: 12,
  trial: false,
  tags: ["vip", "beta"],
  address: { city: "Paris", zip: { code: 75001 } },
  signed_up_at: "2025-01-01T00:00:00.000Z",
  paid_at: "2025-01-03T12:00:00.000Z",
  "crm/stage": "lead",
  "First name": "Ada",
  string: "a text",
};

const evaluate = (text: string, values = ADA): FormulaResult =>
  parseFormula(text).explain(new Map(Object.entries(values)));

const refusalOf = (text: string, typeOf?: (name: string) => AttributeType | undefined): string => {
  try {
    parseFormula(text, typeOf ? { typeOf } : {});
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
  throw new Error(`"${text}" is accepted`);
};

describe("a formula", () => {
  test.each<[string, AttributeValue]>([
    ["plan == 'pro' && seats > 10", true],
    ["seats * 2 + 1", 25],
    ["seats / 5", 2.4],
    ["7 / 2", 3.5],
    ["seats % 5", 2],
    ["-seats", -12],
    ["seats == 12 && seats == 12.0", true],
    ["size(tags) + seats", 14],
    ["seats > 10 ? 'large' : 'small'", "large"],
    ["trial ? 'trial' : dyn(null)", null],
    ["'Hello ' + attribute('First name')", "Hello Ada"],
    ["attribute('crm/stage') == 'lead'", true],
    ["attribute('string').upperAscii()", "A TEXT"],
    ["'vip' in tags", true],
    ["tags.exists(t, t.startsWith('v'))", true],
    ["tags.filter(t, t != 'vip')", ["beta"]],
    ["tags.map(t, t.upperAscii()).join(', ')", "VIP, BETA"],
    ["tags[0]", "vip"],
    ["address.city", "Paris"],
    ["address.zip.code + 1", 75002],
    ["has(address.street) ? address.street : 'none'", "none"],
    ["signed_up_at < paid_at", true],
    ["(timestamp(paid_at) - timestamp(signed_up_at)).getHours() / 24", 2.5],
    ["timestamp(signed_up_at) + duration('48h')", "2025-01-03T00:00:00.000Z"],
    ["timestamp(paid_at).getFullYear()", 2025],
    ["min(seats, 10) + max(1, 2)", 12],
    ["round(seats / 5)", 2],
    ["string(seats) + ' seats'", "12 seats"],
    ["{'plan': plan, 'seats': seats}", { plan: "pro", seats: 12 }],
    ["[plan, attribute('crm/stage')]", ["pro", "lead"]],
  ])("%s is %j", (text, value) => {
    expect(evaluate(text)).toEqual({ value });
  });

  test.each<[string, AttributeValue]>([
    ["score == null", true],
    ["score != 3", true],
    ["coalesce(score, 0) + seats", 12],
    ["coalesce(score, plan)", "pro"],
    ["plan == 'pro' || score > 3", true],
    ["plan == 'free' && score > 3", false],
  ])("knows what follows without an unset attribute: %s is %j", (text, value) => {
    expect(evaluate(text)).toEqual({ value });
  });

  test.each([
    "score > 3",
    "score + 1",
    "!score",
    "plan == 'pro' && score > 3",
    "'a' in score",
    "score.startsWith('a')",
  ])("has no value when it needs an unset attribute: %s", (text) => {
    expect(evaluate(text)).toEqual({
      value: null,
      problem: { reason: "unset_input", sentence: "An attribute that it needs is not set." },
    });
  });

  test.each([
    ["plan > 3", "string > number is not possible."],
    ["tags[7]", "index out of bounds"],
    ["address.street", "No such key: street"],
    ["double(plan)", "cannot convert"],
    ["seats / 0", "no value of an attribute"],
    ["timestamp(plan)", "ISO 8601"],
  ])("has no value where there is none, and says why: %s", (text, words) => {
    const { value, problem } = evaluate(text);
    expect(value).toBe(null);
    expect(problem?.reason).toBe("no_value");
    expect(problem?.sentence).toContain(words);
  });

  test("says which attributes it reads, and not its own variables", () => {
    expect(parseFormula("plan == 'pro' && tags.exists(t, t == attribute('crm/stage')) && plan != 'x'").reads).toEqual([
      "plan",
      "tags",
      "crm/stage",
    ]);
    expect(parseFormula("1 + 2").reads).toEqual([]);
  });

  test("a variable does not hide the attribute that is asked for by its name", () => {
    expect(evaluate("tags.exists(plan, plan == 'vip' && attribute('plan') == 'pro')")).toEqual({ value: true });
  });

  test("knows the type of its values as far as the text says it", () => {
    const types: Record<string, AttributeType> = { plan: "string", seats: "numeric", at: "date", tags: "array" };
    const typeOf = (name: string) => types[name];
    expect(parseFormula("plan == 'pro'").type).toBe("boolean");
    expect(parseFormula("size(tags)").type).toBe("numeric");
    expect(parseFormula("seats").type).toBe(undefined);
    expect(parseFormula("seats * 2").type).toBe("numeric");
    expect(parseFormula("seats + 1").type).toBe("numeric");
    expect(parseFormula("'a' + plan").type).toBe("string");
    expect(parseFormula("plan == 'pro' ? 'large' : dyn(null)").type).toBe("string");
    expect(parseFormula("coalesce(seats, 0)").type).toBe("numeric");
    expect(parseFormula("seats - other").type).toBe(undefined);
    expect(parseFormula("seats", { typeOf }).type).toBe("numeric");
    expect(parseFormula("seats > 10 ? seats : 1", { typeOf }).type).toBe("numeric");
    expect(parseFormula("plan + '!'", { typeOf }).type).toBe("string");
    expect(parseFormula("attribute('tags')", { typeOf }).type).toBe("array");
    expect(parseFormula("timestamp(at)", { typeOf }).type).toBe("date");
    expect(parseFormula("plan == null || seats == null || other > 3", { typeOf }).type).toBe("boolean");
  });

  test.each([
    ["seats >", "it ends too early. (column 8)"],
    ["seats > 1 2", "Unexpected character: '2'. (column 11)"],
    ["plan == 'pro'\n  && seats >", "it ends too early. (line 2, column 13)"],
    ["plan.matches('a+')", "There are no regular expressions: use contains, startsWith or endsWith."],
    ["nothing(plan)", 'There is no function "nothing". (column 1)'],
    ["plan.toString()", 'There is no function "toString".'],
    ["size(plan, tags)", '"size" takes 1 arguments, not 2.'],
    ["'a' + 1", "string + number is not possible. (column 1)"],
    ["google.protobuf", 'The attribute of that name is attribute("google"). (column 1)'],
    ["cel.bind(a, plan, a + a)", 'There is no function "bind".'],
    ["tags.map(t, tags.map(u, u))", '"map" cannot be used inside another loop. (column 13)'],
    ["tags.map(t, t + t).exists(u, u == 'a')", '"exists" cannot be asked of the result of "map".'],
    ["attribute(plan)", "takes the name in quotes"],
    ["tags.map(t, 1[1 + {}[plan]] + 1)", "the types of its parts do not fit together."],
    ["duration(plan)", "takes a text of at most 20 characters in quotes"],
    ["b'abc'", "There are no bytes"],
    ["timestamp(plan) - timestamp(plan)", "ask it for getHours()"],
    ["null", "The formula is always null."],
    ["", "it ends too early"],
    [`${"(".repeat(40)}1${")".repeat(40)}`, "it is too long or too deep"],
    [Array(400).fill("1").join("+"), "it is too long or too deep"],
    ["x".repeat(2_001), "at most 2000 characters"],
    [Array.from({ length: 51 }, (_, index) => `a${index}`).join("+"), "reads at most 50 attributes"],
  ])("is refused with the place of the mistake: %s", (text, words) => {
    expect(refusalOf(text)).toContain(words);
  });

  test("is refused when the types of its attributes do not fit", () => {
    const typeOf = (name: string): AttributeType | undefined => (name === "plan" ? "string" : undefined);
    expect(refusalOf("seats > 3 && plan > 3", typeOf)).toContain("string > number is not possible. (column 14)");
    expect(parseFormula("seats > 3 && other > 3", { typeOf }).reads).toEqual(["seats", "other"]);
  });
});

describe("no formula", () => {
  const names = ["plan", "seats", "trial", "tags", "address", "constructor", "__proto__", "toString", "missing"];
  const leaf = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom("1", "0.5", "-1e308", "'a'", "'aaaaaaaaaaaaaaaaaaaa'", "true", "null", "[]", "{}"),
    fc.constantFrom("attribute('constructor')", "attribute('__proto__')", "t"),
  );
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      leaf,
      fc
        .tuple(
          tie("expression"),
          fc.constantFrom("+", "-", "*", "/", "%", "==", "!=", "<", ">", "&&", "||", "in"),
          tie("expression"),
        )
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc
        .tuple(tie("expression"), fc.constantFrom("map", "filter", "exists", "all"), tie("expression"))
        .map(([list, loop, body]) => `${list}.${loop}(t, ${body})`),
      fc
        .tuple(
          tie("expression"),
          fc.constantFrom("constructor", "__proto__", "length", "upperAscii()", "join()", "size()", "contains('a')"),
        )
        .map(([one, member]) => `${one}.${member}`),
      fc.tuple(tie("expression"), tie("expression")).map(([one, index]) => `${one}[${index}]`),
      fc.tuple(tie("expression"), tie("expression"), tie("expression")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    ),
  }));
  const value: fc.Arbitrary<AttributeValue> = fc.oneof(
    fc.string({ unit: "binary", maxLength: 2_000 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.jsonValue(), { maxLength: 200 }) as fc.Arbitrary<AttributeValue>,
    fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<AttributeValue>,
    fc.constant({ constructor: "x", toString: 1, hasOwnProperty: null } as unknown as AttributeValue),
  );
  const values = fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true });

  test("throws anything but a refusal, reaches anything but its values, or changes them", () => {
    fc.assert(
      fc.property(expression, values, (text, given) => {
        const before = JSON.stringify(given);
        const own = new Map(Object.entries(given));
        let formula: ReturnType<typeof parseFormula>;
        try {
          formula = parseFormula(text);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          return;
        }
        const result = formula.explain(own);
        expect(formula.evaluate(own)).toEqual(result.value);
        expect(JSON.parse(JSON.stringify(result.value))).toEqual(result.value);
        expect(JSON.stringify(given)).toBe(before);
        if (result.problem) expect(result.value).toBe(null);
      }),
      { numRuns: 1_000 },
    );
  });

  test("throws anything but a refusal for any text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: "binary" }),
          fc.string({ unit: fc.constantFrom(..."()[]{}.'\"+-!?:&|=<>,ab1 \n\\") }),
        ),
        (text) => {
          try {
            parseFormula(text).evaluate(new Map());
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  const large = (character: string, length = 65_000) => character.repeat(length);
  const HOSTILE: [string, string, Record<string, AttributeValue>][] = [
    ["a sum of texts", Array(100).fill("a").join("+"), { a: large("a") }],
    ["texts that grow", `${"(".repeat(20)}a${"+a).lowerAscii()".repeat(20)}`, { a: large("a") }],
    ["a list of many", "a.exists(t, t == 'x')", { a: Array.from({ length: 30_000 }, (_, index) => `${index}`) }],
    ["a list by a text", "a.map(t, t + b).join()", { a: Array(2_000).fill("a"), b: large("b") }],
    ["a longer list", `(${Array(50).fill("a").join("+")}).all(t, t == b)`, { a: Array(5_000).fill("a"), b: "a" }],
    ["a search in a text", "a.contains(b)", { a: large("a"), b: `b${large("a", 32_000)}` }],
    ["a search that nearly finds", "a.contains(b)", { a: large("a"), b: `aa${"b"}${large("a", 20_000)}` }],
    ["a search that is written out", `a.contains('aab${"a".repeat(1_900)}')`, { a: large("a") }],
    [
      "searches in a loop",
      "a.exists(t, b.contains(t))",
      { a: Array(200).fill(`aab${large("a", 300)}`), b: large("a") },
    ],
    ["lists that are compared", "a == b && a == b && a == b", { a: Array(9_000).fill("a"), b: Array(9_000).fill("a") }],
    ["a value in a deep one", "a.map(t, {'a': t, 'b': t})", { a: [Array(9_000).fill([[[1]]])] }],
    ["a long date", "timestamp(a)", { a: large("1") }],
    ["a long number", "double(a) + double(a)", { a: large("1") }],
  ];
  test.each([
    ["an error of each element", "a.exists(t, double(t) > 1.0)"],
    ["an error of each element, which the whole forgets", "a.exists(t, t > 1.0) || true"],
    ["several errors of each element", "a.filter(t, t > 1.0 || t.b || true).join()"],
  ])("takes long: %s", (_, text) => {
    const explain = (length: number) => parseFormula(text).explain(new Map([["a", Array<string>(length).fill("x")]]));
    expect(explain(5_000).problem?.reason).toBe("too_large");
    expect(explain(20).problem?.reason).not.toBe("too_large");
  });

  test.each([
    ["a.exists(t, t == 1.0 || t == 'y')", false],
    ["a.exists(t, t.lowerAscii().startsWith('x'))", true],
    ["a.all(t, !(t in ['y', 'z']) && t != null)", true],
  ])("counts errors where there can be none: %s", (text, value) => {
    expect(parseFormula(text).evaluate(new Map([["a", Array<string>(800).fill("x")]]))).toBe(value);
  });

  test.each(HOSTILE)("takes long: %s", (_, text, given) => {
    const formula = parseFormula(text);
    const start = performance.now();
    for (let round = 0; round < 5; round++) formula.evaluate(new Map(Object.entries(given)));
    expect(performance.now() - start).toBeLessThan(5 * 100);
  });
});
