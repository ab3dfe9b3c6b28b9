// git run by a command takes no folder for a repository that does not look like a work tree: a folder of files that a model has laid out as one
// would name programs for it to run (git-config(1), safe.bareRepository).

/** Behind what the environment says already. */
export const withGitGuard = (env: Readonly<Record<string, string>>): Record<string, string> => {
  const before = Number(env.GIT_CONFIG_COUNT ?? '0')
  const count = Number.isSafeInteger(before) && before > 0 ? before : 0
  return {
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'safe.bareRepository',
    [`GIT_CONFIG_VALUE_${count}`]: 'explicit',
  }
}
