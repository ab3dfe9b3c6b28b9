// Keeps git in commands from treating a directory that a model wrote as a bare repository, whose configuration can name programs
// to run (git-config(1), safe.bareRepository).

/** Appends to the GIT_CONFIG_… variables that are already set. */
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
