import type { CaseTable } from "./case.test.kit.js";

const EVERYBODY = "ann bob cat dan eve fay gus";
const pro = { term: { plan: "pro" } };
const free = { term: { plan: "free" } };
const vip = { term: { vip: true } };
const paying = { range: { mrr: { gt: 0 } } };
const unknown = { term: { nothing: 1 } };

export const BOOLS: CaseTable = {
  target: "user",
  about: "bool and the older ways to combine",
  cases: [
    ["an empty query", {}, EVERYBODY],
    ["match_all", { match_all: {} }, EVERYBODY],
    ["match_all with a boost", { match_all: { boost: 1.2 } }, EVERYBODY],
    ["match_none", { match_none: {} }, ""],
    ["an empty bool", { bool: {} }, EVERYBODY],
    ["empty lists", { bool: { must: [], should: [], must_not: [], filter: [] } }, EVERYBODY],
    ["must", { bool: { must: [vip, paying] } }, "ann"],
    ["must as one clause", { bool: { must: vip } }, "ann dan"],
    ["filter", { bool: { filter: [vip, paying] } }, "ann"],
    ["filter as one clause", { bool: { filter: paying } }, "ann cat eve"],
    ["must and filter", { bool: { must: vip, filter: paying } }, "ann"],
    ["must_not", { bool: { must_not: vip } }, "bob cat eve fay gus"],
    ["must_not with several", { bool: { must_not: [vip, paying] } }, "bob fay gus"],
    [
      "must_not selects users without a value",
      { bool: { must_not: { term: { plan: "pro" } } } },
      "bob cat dan eve fay gus",
    ],
    ["must_not of an unknown field", { bool: { must_not: unknown } }, EVERYBODY],
    ["must_not of a range selects users without a value", { bool: { must_not: paying } }, "bob dan fay gus"],
    ["must_not of a match", { bool: { must_not: { match: { name: "lee" } } } }, "bob cat dan eve fay gus"],
    ["must_not of an array", { bool: { must_not: { term: { langs: "fr" } } } }, "bob cat dan eve fay gus"],
    ["must_not of match_all", { bool: { must_not: { match_all: {} } } }, ""],
    ["must and must_not", { bool: { must: paying, must_not: vip } }, "cat eve"],
    ["should alone is required", { bool: { should: [pro, free] } }, "ann bob"],
    ["should as one clause", { bool: { should: pro } }, "ann"],
    ["should besides must is optional", { bool: { must: paying, should: pro } }, "ann cat eve"],
    ["should besides filter is optional", { bool: { filter: paying, should: pro } }, "ann cat eve"],
    ["should besides must_not is required", { bool: { must_not: vip, should: [pro, free] } }, "bob"],
    [
      "should besides must, with a minimum",
      { bool: { must: paying, should: [pro, free], minimum_should_match: 1 } },
      "ann",
    ],
    ["two of three", { bool: { should: [vip, paying, pro], minimum_should_match: 2 } }, "ann"],
    ["all of them", { bool: { should: [vip, paying], minimum_should_match: 2 } }, "ann"],
    [
      "two of three where values are missing",
      { bool: { should: [vip, { exists: { field: "note" } }, unknown], minimum_should_match: 2 } },
      "dan",
    ],
    ["none of them required", { bool: { should: [pro], minimum_should_match: 0 } }, EVERYBODY],
    ["more than there are", { bool: { should: [pro], minimum_should_match: 2 } }, ""],
    ["as text", { bool: { should: [vip, paying], minimum_should_match: "2" } }, "ann"],
    ["half of them", { bool: { should: [vip, paying, pro, free], minimum_should_match: "50%" } }, "ann"],
    ["all but one", { bool: { should: [vip, paying, pro], minimum_should_match: -1 } }, "ann"],
    ["all but a share", { bool: { should: [vip, paying, pro, free], minimum_should_match: "-25%" } }, "ann"],
    [
      "bools in bools",
      { bool: { must: [{ bool: { should: [pro, free] } }, { bool: { must_not: { bool: { must: [vip] } } } }] } },
      "bob",
    ],
    ["a negation of a negation", { bool: { must_not: { bool: { must_not: vip } } } }, "ann dan"],
    ["a negated choice", { bool: { must_not: { bool: { should: [pro, unknown] } } } }, "bob cat dan eve fay gus"],
    [
      "a negated conjunction with a missing value",
      { bool: { must_not: { bool: { must: [pro, unknown] } } } },
      EVERYBODY,
    ],

    ["and as a list", { and: [vip, paying] }, "ann"],
    ["and as filters", { and: { filters: [vip, paying] } }, "ann"],
    ["or as a list", { or: [pro, free] }, "ann bob"],
    ["or as filters", { or: { filters: [pro, free] } }, "ann bob"],
    ["or of nothing", { or: [] }, ""],
    ["not", { not: vip }, "bob cat eve fay gus"],
    ["not with a filter", { not: { filter: vip } }, "bob cat eve fay gus"],
    ["not with a query", { not: { query: vip } }, "bob cat eve fay gus"],
    ["not of not", { not: { not: vip } }, "ann dan"],
    ["filtered", { filtered: { query: { match_all: {} }, filter: vip } }, "ann dan"],
    ["filtered means both", { filtered: { query: paying, filter: vip } }, "ann"],
    ["filtered without a query", { filtered: { filter: vip } }, "ann dan"],
    ["constant_score", { constant_score: { filter: vip } }, "ann dan"],
    ["constant_score means both", { constant_score: { query: paying, filter: vip, boost: 2 } }, "ann"],
    [
      "two generations mixed",
      {
        filtered: {
          query: { bool: { should: [pro, free] } },
          filter: { and: [{ not: { missing: { field: "mrr" } } }, { or: [paying, vip] }] },
        },
      },
      "ann",
    ],
  ],
};
