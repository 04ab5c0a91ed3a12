import type { SubjectType } from "@muster/protocol";

type Json = Record<string, unknown>;

/** The fields in which the search box looks for words. */
const WORD_FIELDS: Record<SubjectType, readonly string[]> = {
  user: ["name", "first_name", "last_name", "email", "domain", "username"],
  account: ["name", "domain"],
};

/** Fields that are compared from their beginning and as they are, which costs much less than looking for words. */
const WHOLE_FIELDS: Record<SubjectType, readonly string[]> = {
  user: ["external_id", "phone"],
  account: ["external_id"],
};

const MAX_WORDS = 8;

/**
 * The query for what somebody types into the search box. Every word must be the beginning of a word in one of the
 * fields, so the answer gets narrower with every key. An address with `@` is compared from its beginning.
 */
export function wordsToQuery(subjectType: SubjectType, text: string): Json {
  const words = text.trim().split(/\s+/).slice(0, MAX_WORDS);
  const clauses = words.flatMap((word) => (word === "" ? [] : [wordClause(subjectType, word)]));
  if (clauses.length === 0) return { match_all: {} };
  return clauses.length === 1 ? clauses[0]! : { bool: { must: clauses } };
}

function wordClause(subjectType: SubjectType, word: string): Json {
  if (word.includes("@") && subjectType === "user") return { prefix: { email: word } };
  return {
    bool: {
      should: [
        { multi_match: { query: word, type: "phrase_prefix", fields: WORD_FIELDS[subjectType] } },
        ...WHOLE_FIELDS[subjectType].map((field) => ({ prefix: { [`${field}.raw`]: word } })),
      ],
      minimum_should_match: 1,
    },
  };
}
