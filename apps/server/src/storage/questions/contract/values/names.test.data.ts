/** Names of attributes and properties that an engine could trip over. */
export const AWKWARD_NAMES: readonly string[] = [
  // Punctuation that means something in SQL, in JSON, in paths.
  ...["a.b", "a..b", ".", "a.", ".a", "a%2Eb", "a%b", "%", "$", "$.a", "a[0]", "[*]", "a->b", "@>", "::text", "?", "#"],
  ...["back`tick", "back\\slash", "trailing\\", "quote'", 'quote"', "''", '""', '","', "new\nline", "tab\t", "\r"],
  ...["{p0:String}", "$1", ":name", "space here", " leading", "trailing ", " ", "--", "/*", ";", "crm/stage", "a,b"],
  // Names that differ in case alone, and ones that an engine may take for the same.
  ...["Plan", "plan", "PLAN", "é", "É", "e\u0301", "ß", "ss", "SS", "ı", "i", "I", "İ", "ﬁ", "fi", "Σ", "σ", "ς"],
  // Words of SQL and of engines.
  ...["select", "from", "order", "group", "table", "null", "true", "user", "rowid", "count", "value", "values", "end"],
  ...[
    "org",
    "key",
    "doc",
    "report",
    "attrs",
    "version",
    "sequence",
    "is_deleted",
    "deleted",
    "user_key",
    "account_key",
  ],
  ...[
    "account",
    "account_id_",
    "segments",
    "segment_list",
    "target",
    "entity",
    "properties",
    "context",
    "found",
    "cursor",
  ],
  // Names of JavaScript.
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length", "then"],
  // Numbers, other scripts, long ones.
  ...["1", "0", "-1", "1e3", "日本", "🎉", "العربية", "\u200b", "\u202e", "a".repeat(256), "日".repeat(256)],
];
