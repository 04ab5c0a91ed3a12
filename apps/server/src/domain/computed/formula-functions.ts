type Arities = Readonly<Record<string, readonly number[]>>;

/** What may be called in a formula, with how many arguments. */
export const FUNCTIONS: Arities = {
  attribute: [1],
  bool: [1],
  coalesce: [2],
  double: [1],
  duration: [1],
  dyn: [1],
  has: [1],
  int: [1],
  max: [2],
  min: [2],
  round: [1],
  size: [1],
  string: [1],
  timestamp: [1],
};

// Without `matches`, because a regular expression can take minutes, and `lastIndexOf`, because V8 takes seconds for it. Without
// time zones: the tables of a machine would decide.
export const METHODS: Arities = {
  contains: [1],
  endsWith: [1],
  getDate: [0],
  getDayOfMonth: [0],
  getDayOfWeek: [0],
  getFullYear: [0],
  getHours: [0],
  getMilliseconds: [0],
  getMinutes: [0],
  getMonth: [0],
  getSeconds: [0],
  indexOf: [1],
  join: [0, 1],
  lowerAscii: [0],
  size: [0],
  startsWith: [1],
  substring: [1, 2],
  trim: [0],
  upperAscii: [0],
};

/** What is evaluated for each element of a list. */
export const LOOPS: Arities = {
  all: [2],
  exists: [2],
  exists_one: [2],
  filter: [2],
  map: [2, 3],
};
