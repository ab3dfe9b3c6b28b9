// plumb explain CODE | WORD: prints the meaning of an error code and its remedy, from the one table, or that of a word of the pages.

import { writeWhole } from '@plumb/runtime/record'
import { type Code, ERRORS, exitStatus, fault, isCode, nearest, preview, Reporter, stdoutColumns, wrapWords } from '@plumb/wire'
import { GLOSSARY, isWord } from './glossary.js'

/** Without a code: all of them, a line each. */
export const explain = async (code: string | undefined): Promise<number> => {
  const reporter = new Reporter('plumb')
  const text = code === undefined ? listing() : isCode(code) ? textOf(code) : isWord(code) ? `${code}: ${GLOSSARY[code]}\n` : undefined
  const failure =
    text !== undefined
      ? await writeWhole(Buffer.from(broken(text)), undefined)
      : fault('usage', `'${preview(code ?? '')}' is not an error code, nor a word of the glossary; ${hint(code ?? '')}`)
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

const textOf = (code: Code): string => {
  const { category, meaning, remedy } = ERRORS[code]
  const retry = category === 'unavailable' ? 'may succeed when tried again' : 'not tried again'
  const follows = meaning.startsWith('warning: ') ? 'changes no exit status' : `exit status ${exitStatus(fault(code, ''))}, ${retry}`
  return `${code} (${category}, ${follows})\n  ${meaning}\n  what to do: ${remedy}\n`
}

// On a terminal, between words.
const broken = (text: string): string => {
  const columns = stdoutColumns()
  if (columns === undefined) return text
  return text.replaceAll(/^( *)(.+)$/gm, (_, indent: string, line: string) =>
    wrapWords(line, columns - indent.length)
      .map((part) => indent + part)
      .join('\n'),
  )
}

const listing = (): string => {
  const codes = Object.keys(ERRORS) as Code[]
  const width = Math.max(...codes.map((code) => code.length))
  return codes.map((code) => `${code.padEnd(width)}  ${ERRORS[code].category.padEnd(11)}  ${ERRORS[code].meaning}\n`).join('')
}

const hint = (code: string): string => {
  const codes = [...Object.keys(ERRORS), ...Object.keys(GLOSSARY)]
  const near = nearest(code, codes)
  return near ? `did you mean '${near}'?` : "'plumb explain' alone lists the codes, and plumb(7) the words"
}
