/**
 * @typedef {{ kind: "manifest", name: string, problems: number }
 *   | { kind: "form", name: string, actions: number }
 *   | { kind: "preset", name: string, preset: string, result: string, reason: string }} Result
 *   a line of what the tests have found out (`connector-apps/testing/note-result.ts`)
 */

/** What a preset that was not accepted lacks, in words. */
const MEANINGS = {
  incomplete: "a field has no value in the sample, such as an id at the service",
  untriggered: "Muster sends no such event",
  wrong: "its own schema refuses what its own mapping makes",
};

/**
 * The table of `npm run test:destinations`: how many destinations there are, and what became of their manifests, forms and presets.
 * A part of the tests has found out a part of it.
 *
 * @param {readonly string[]} names of all destinations
 * @param {readonly Result[]} results
 * @returns {{ summary: string, rows: string }}
 */
export function tableOf(names, results) {
  const manifests = results.flatMap((result) => (result.kind === "manifest" ? [result] : []));
  const forms = results.flatMap((result) => (result.kind === "form" ? [result] : []));
  const presets = results.flatMap((result) => (result.kind === "preset" ? [result] : []));
  const accepted = presets.filter(({ result }) => result === "accepted");
  const others = presets.filter(({ result }) => result !== "accepted");
  const actions = forms.reduce((sum, form) => sum + form.actions, 0);
  const summary = [
    line("definitions", names.length),
    line("manifests valid", manifests.filter(({ problems }) => problems === 0).length, tested(manifests)),
    line("installed, forms opened", forms.length, forms.length === 0 ? "" : `with ${actions} actions`),
    line("presets run", presets.length, tested(presets)),
    line("  accepted", accepted.length),
    ...Object.entries(MEANINGS).map(([result, meaning]) =>
      line(`  ${result}`, others.filter((preset) => preset.result === result).length, meaning),
    ),
    ...others.map(({ name, preset, result, reason }) => `${name} | ${preset} | ${result} | ${reason}`),
  ];
  const rows = names.map((name) => {
    const manifest = manifests.find((result) => result.name === name);
    const form = forms.find((result) => result.name === name);
    const run = presets.filter((result) => result.name === name);
    return [
      name,
      manifest ? (manifest.problems === 0 ? "valid" : `${manifest.problems} problems`) : "",
      form ? `${form.actions} actions` : "",
      run.length === 0 ? "" : `${run.filter(({ result }) => result === "accepted").length} of ${run.length}`,
    ].join(" | ");
  });
  return {
    summary: `${summary.join("\n")}\n`,
    rows: `${["destination | manifest | forms | presets accepted", ...rows].join("\n")}\n`,
  };
}

/**
 * @param {string} what
 * @param {number} count
 * @param {string} [note]
 */
function line(what, count, note = "") {
  return `${what.padEnd(24)}${String(count).padStart(5)}  ${note}`.trimEnd();
}

/** @param {readonly Result[]} results */
function tested(results) {
  return results.length === 0 ? "not in this part of the tests" : "";
}
