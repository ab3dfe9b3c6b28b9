// plumb explain CODE: what an error code means and how to mend it, from the one table.

import { ERRORS, exitStatus, fail, fault, isCode, nearest, openOutput, Reporter } from '@plumb/wire'

export const explain = async (code: string): Promise<number> => {
  if (isCode(code)) {
    const { category, meaning, remedy } = ERRORS[code]
    const retry = category === 'unavailable' ? 'may succeed when tried again' : 'not tried again'
    process.stdout.write(`${code} (${category}, exit status ${exitStatus(fault(code, ''))}, ${retry})\n  ${meaning}\n  what to do: ${remedy}\n`)
    return 0
  }
  const reporter = new Reporter('plumb', openOutput(2))
  const near = nearest(code, Object.keys(ERRORS))
  const { error } = fail('usage', `'${code}' is no error code; ${near ? `did you mean '${near}'?` : `there are ${Object.keys(ERRORS).join(', ')}`}`)
  reporter.report(error)
  await reporter.end()
  return reporter.status
}
