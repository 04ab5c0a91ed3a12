/** The environment of PostgreSQL's programs, which does not depend on the settings of the machine. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
}
