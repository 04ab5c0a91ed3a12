/** One line of the server's metrics. */
export interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The present metrics of a server on this machine. */
export async function readMetrics({ url }: { url: string }): Promise<MetricSample[]> {
  const answer = await fetch(`${url}/metrics`);
  if (!answer.ok) throw new Error(`GET /metrics answered ${answer.status}.`);
  return parseMetrics(await answer.text());
}

/** Reads the text format of Prometheus. */
export function parseMetrics(text: string): MetricSample[] {
  return text.split("\n").flatMap((line) => {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!found) return [];
    const [, name = "", labels = "", value] = found;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", text = ""]) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** The sum of a metric over all labels that are accepted; undefined when the server does not have the metric. */
export function sumOf(
  samples: readonly MetricSample[],
  name: string,
  accepts: (labels: Record<string, string>) => boolean = () => true,
): number | undefined {
  const found = samples.filter((sample) => sample.name === name && accepts(sample.labels));
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}
