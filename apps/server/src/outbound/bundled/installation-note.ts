/** What the program that installs the package of destinations tells the server that has started it. */
export type InstallationNote = { step: string } | { problem: string };
