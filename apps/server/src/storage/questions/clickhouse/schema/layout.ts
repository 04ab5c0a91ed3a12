/** How a table is kept: on one server, or in parts and copies on the servers of a cluster. */
export interface Layout {
  /** What follows the name of a table in statements that define or alter it. */
  readonly onCluster: string;
  /** The table that rows lie in; where there is a cluster, each of its servers has one. */
  stored(table: string): string;
  /** The statements that create a table, which is then read and written under its own name. */
  create(table: TableDefinition): string[];
}

export interface TableDefinition {
  name: string;
  columns: string;
  /** Arguments of the engine, which keeps the newest version of a row. */
  replacing: string;
  /** `partition by …`, `order by …`, `settings …`. */
  storage: string;
  /** What decides the shard of a row: a row and what replaces it must come to the same one. */
  shardBy: string;
}

const ONE_SERVER: Layout = {
  onCluster: "",
  stored: (table) => table,
  create: ({ name, columns, replacing, storage }) => [
    `create table if not exists ${name} (${columns}) engine = ReplacingMergeTree(${replacing}) ${storage}`,
  ],
};

/** Without a cluster, tables are plain ones on the server of the URL. */
export function layoutOf(cluster: string | undefined): Layout {
  return cluster === undefined ? ONE_SERVER : clusterLayout(cluster);
}

/** A replicated table on every server of the cluster, and a distributed one over them that all others read and write. */
function clusterLayout(cluster: string): Layout {
  // The name comes from the settings and stands in SQL text, where definitions take no parameters.
  if (!/^[\w.-]+$/.test(cluster)) throw new Error(`"${cluster}" is no name of a cluster.`);
  const onCluster = ` on cluster '${cluster}'`;
  const stored = (table: string) => `${table}_local`;
  return {
    onCluster,
    stored,
    create: ({ name, columns, replacing, storage, shardBy }) => [
      `create table if not exists ${stored(name)}${onCluster} (${columns}) engine = ReplicatedReplacingMergeTree(${replacing}) ${storage}`,
      `create table if not exists ${name}${onCluster} as ${stored(name)} engine = Distributed('${cluster}', currentDatabase(), '${stored(name)}', ${shardBy})`,
    ],
  };
}
