// The package has no types of its own. These are the ones that are used.
declare module "fs-native-extensions" {
  /** Takes a lock on the whole file that belongs to the open file, not to the process. False when it is taken. */
  export function tryLock(fd: number): boolean;
}
