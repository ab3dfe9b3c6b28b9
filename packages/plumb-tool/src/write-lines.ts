// Lines to stdout, all at once; what stops them is reported.

import { type Reporter, writeStdout } from '@plumb/wire'

export const writeLines = async (lines: readonly string[], reporter: Reporter): Promise<void> => {
  const failure = await writeStdout(lines.map((line) => `${line}\n`).join(''))
  if (failure) reporter.report(failure)
}
