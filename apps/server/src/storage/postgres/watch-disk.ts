import { DiskSpace } from "../../runtime/disk/disk-space.js";
import { Loop } from "../../runtime/loops/loop.js";
import type { Database } from "./database.js";

// PostgreSQL needs this much for itself: sorting, vacuum and the next segments of its log.
const WRITABLE_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 1_000;

/**
 * Makes the database read-only while its disk is nearly full. A PostgreSQL that cannot write its log stops, and does not
 * start until there is space again. So it must not come to that, and reads go on.
 */
export function watchDisk(
  folder: string,
  database: Pick<Database, "setReadOnly">,
  onProblem: (error: Error) => void,
): Loop {
  const disk = new DiskSpace(folder, WRITABLE_BYTES);
  let wasLow = false;
  const watching = new Loop({
    async step() {
      const isLow = await disk.isLow();
      if (isLow && !wasLow)
        onProblem(new Error(`The disk of ${folder} is nearly full: the database is read-only now.`));
      database.setReadOnly(isLow);
      wasLow = isLow;
      return LOOK_EVERY_MS;
    },
    onError: (error) => onProblem(error as Error),
  });
  watching.start();
  return watching;
}
