/** How tables are stored: on one server, or in shards and replicas on the servers of a cluster. */
export interface Layout {
  /** The text after the name of a table in statements that create or alter it. */
  readonly onCluster: string;
  /** The name of the table that has the rows. In a cluster each server has one. */
  stored(table: string): string;
  /** The statements that create a table, which can then be read and written under its own name. */
  create(table: TableDefinition): string[];
}

export interface TableDefinition {
  name: string;
  columns: string;
  /** The arguments of the table engine, which keeps the newest version of a row. */
  replacing: string;
  /** `partition by …`, `order by …`, `settings …`. */
  storage: string;
  /** The expression that decides the shard of a row. All versions of a row must be in the same shard. */
  shardBy: string;
}

const ONE_SERVER: Layout = {
  onCluster: "",
  stored: (table) => table,
  create: ({ name, columns, replacing, storage }) => [
    `create table if not exists ${name} (${columns}) engine = ReplacingMergeTree(${replacing}) ${storage}`,
  ],
};

/** Without a cluster, the tables are ordinary tables on the server of the URL. */
export function layoutOf(cluster: string | undefined): Layout {
  return cluster === undefined ? ONE_SERVER : clusterLayout(cluster);
}

/** A replicated table on every server of the cluster, and a distributed table over them for reading and writing. */
function clusterLayout(cluster: string): Layout {
  // The name comes from the settings and becomes part of SQL text: `create table` accepts no parameters.
  if (!/^[\w.{}-]+$/.test(cluster)) throw new Error(`"${cluster}" is not a valid name of a cluster.`);
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
