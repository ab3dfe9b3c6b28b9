// plumb explain CODE: what an error code means and how to mend it, from the one table.

import { type Code, ERRORS, exitStatus, fault, isCode, nearest, preview, Reporter } from '@plumb/wire'
import { writeWhole } from './write-whole.js'

export const explain = async (code: string): Promise<number> => {
  const reporter = new Reporter('plumb')
  const failure = isCode(code)
    ? await writeWhole(Buffer.from(textOf(code)), undefined)
    : fault('usage', `'${preview(code)}' is no error code; ${hint(code)}`)
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

const textOf = (code: Code): string => {
  const { category, meaning, remedy } = ERRORS[code]
  const retry = category === 'unavailable' ? 'may succeed when tried again' : 'not tried again'
  return `${code} (${category}, exit status ${exitStatus(fault(code, ''))}, ${retry})\n  ${meaning}\n  what to do: ${remedy}\n`
}

const hint = (code: string): string => {
  const codes = Object.keys(ERRORS)
  const near = nearest(code, codes)
  return near ? `did you mean '${near}'?` : `there are ${codes.join(', ')}`
}
