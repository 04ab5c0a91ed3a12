/**
 * The fields of a destination: settings, and those of each action. A required one ends with an exclamation mark.
 *
 * @typedef {{ settings: string, actions: Record<string, string> }} Shape
 */

/**
 * @typedef {{ key: string, required: unknown }} Field
 * @param {{ settings: Field[], actions: { key: string, fields: Field[] }[] }} record what a destination declares
 * @returns {Shape}
 */
export function shapeOf({ settings, actions }) {
  return {
    settings: textOf(settings),
    actions: Object.fromEntries(actions.map(({ key, fields }) => [key, textOf(fields)])),
  };
}

/**
 * What a new version of the package changes for connectors that have settings already.
 *
 * @param {Record<string, Shape>} before
 * @param {Record<string, Shape>} after
 * @returns {string[]}
 */
export function compareShapes(before, after) {
  return Object.entries(before).flatMap(([name, shape]) => {
    const now = after[name];
    if (!now) return [`${name}: the destination is gone`];
    return [
      ...fieldChanges(shape.settings, now.settings).map((change) => `${name}: setting ${change}`),
      ...Object.entries(shape.actions).flatMap(([action, fields]) => {
        const left = now.actions[action];
        if (left === undefined) return [`${name}: action ${action} is gone`];
        return fieldChanges(fields, left).map((change) => `${name}: ${action}: field ${change}`);
      }),
    ];
  });
}

/** @param {readonly Field[]} fields */
function textOf(fields) {
  return fields.map(({ key, required }) => (required === true ? `${key}!` : key)).join(" ");
}

/**
 * @param {string} before
 * @param {string} after
 */
function fieldChanges(before, after) {
  const had = new Set(before.split(" "));
  const has = new Set(after.split(" "));
  const gone = [...had].filter((field) => field !== "" && !has.has(nameOf(field)) && !has.has(`${nameOf(field)}!`));
  const required = [...has].filter((field) => field.endsWith("!") && !had.has(field));
  return [
    ...gone.map((field) => `${nameOf(field)} is gone`),
    ...required.map((field) => `${nameOf(field)} is required now`),
  ];
}

/** @param {string} field */
function nameOf(field) {
  return field.replace(/!$/, "");
}
