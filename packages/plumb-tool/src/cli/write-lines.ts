// Writes lines to stdout at once, without terminal controls; reports a failure.

import { escapeLines, type Reporter, writeStdout } from '@plumb/wire'

export const writeLines = async (lines: readonly string[], reporter: Reporter): Promise<void> => {
  const failure = await writeStdout(escapeLines(lines.map((line) => `${line}\n`).join('')))
  if (failure) reporter.report(failure)
}
