// What a manual page in mdoc says: its sections, its options, its examples.
//
// A literal block of an EXAMPLES section has a comment directly before its .Bd, which says what it is:
//
//   .\" run             lines after `$ ` are commands (`> ` goes on with one); the lines below each are what it prints
//   .\" file NAME       the block is laid as a file of that name
//   .\" no-run REASON   it is not run

import type { Example } from './example.js'

const SECTIONS = [
  ...['NAME', 'SYNOPSIS', 'DESCRIPTION', 'FILE DESCRIPTORS', 'ENVIRONMENT', 'FILES', 'EXIT STATUS', 'EXAMPLES'],
  ...['DIAGNOSTICS', 'SEE ALSO', 'STANDARDS', 'CAVEATS'],
]

/** What is wrong with the order of the well-known sections, or lacks at the top. */
export const misplaced = (page: string): string[] => {
  const macros = ['Dd', 'Dt', 'Os', 'Nm', 'Nd']
    .filter((macro) => !new RegExp(`^\\.${macro}\\b`, 'm').test(page))
    .map((macro) => `.${macro} is missing`)
  const found = sections(page).map(({ name }) => name)
  const missing = SECTIONS.slice(0, 3)
    .filter((name) => !found.includes(name))
    .map((name) => `section ${name} is missing`)
  const known = found.filter((name) => SECTIONS.includes(name))
  const wrong = known.filter((name, i) => i > 0 && SECTIONS.indexOf(name) < SECTIONS.indexOf(known[i - 1] ?? ''))
  return [...macros, ...missing, ...wrong.map((name) => `section ${name} comes too late`)]
}

/** The exit statuses that it lists. */
export const exitStatuses = (page: string): string[] =>
  [...(section(page, 'EXIT STATUS') ?? '').matchAll(/^\.It (?:[A-Z][a-z] )?(\d+)/gm)].map(([, status = '']) => status)

/** Every option that has an item of its own, with its dashes. */
export const documentedOptions = (page: string): Set<string> => {
  const options = new Set<string>()
  for (const [, line = ''] of page.matchAll(/^\.It (.*\bFl\b.*)$/gm)) for (const flag of flags(line)) options.add(flag)
  return options
}

// `Fl R , Fl -raw-input`, `Fl R , -raw-input` and `Fl R , Fl Fl raw-input` all say -R and --raw-input.
const flags = (line: string): string[] => {
  const found: string[] = []
  let dashes = ''
  let previous = ''
  for (const word of line.split(/\s+/)) {
    if (word === 'Fl') dashes = previous === 'Fl' ? `${dashes}-` : '-'
    else if (/^[A-Z][a-z]$/.test(word)) dashes = ''
    else if (/^[\w-]/.test(word) && dashes !== '') {
      found.push(dashes + word.replace(/\\-/g, '-').replace(/=.*$/, ''))
      dashes = '-'
    }
    previous = word
  }
  return found
}

/** Every name that stands in a .Cm. */
export const documentedCommands = (page: string): Set<string> => new Set([...page.matchAll(/\bCm (\S+)/g)].map(([, name = '']) => name))

export const manExamples = (page: string): Example[] => {
  const first = page.split(/^\.Sh EXAMPLES$/m)[0]?.split('\n').length ?? 0
  const last = first + (section(page, 'EXAMPLES') ?? '').split('\n').length
  const blocks = page.matchAll(/(?:^\.\\"[ \t]*(run|file|no-run)\b[ \t]*(.*)\n)?^\.Bd .*-literal.*\n([\s\S]*?)^\.Ed/gm)
  return [...blocks].flatMap(({ 1: marker, 2: rest = '', 3: text = '', index }): Example[] => {
    const line = page.slice(0, index).split('\n').length
    const plain = unescape(text)
    if (marker === 'run') return readSession(plain, line)
    if (marker === 'file') return [{ kind: 'file', line, name: rest.trim(), text: plain }]
    if (marker === 'no-run' && rest.trim() !== '') return []
    const isExample = line >= first && line <= last
    return isExample
      ? [{ kind: 'wrong', line, reason: 'a literal block of EXAMPLES needs a comment before it: run, file NAME or no-run REASON' }]
      : []
  })
}

/** What the literal blocks of a subsection show, in order; without a name, those before the first subsection. */
export const literalBlocks = (page: string, subsection?: string): string[] => {
  const [before = '', ...parts] = page.split(/^\.Ss /m)
  const part = subsection === undefined ? before : parts.find((text) => text.startsWith(`${subsection}\n`))
  return [...(part ?? '').matchAll(/^\.Bd .*-literal.*\n([\s\S]*?)^\.Ed/gm)].map(([, text = '']) => unescape(text))
}

/** Commands after `$ ` (`> ` goes on with one), each with what it prints below it. */
export const readSession = (text: string, line: number): Example[] => {
  const parts = text.split(/^\$ /m)
  const before = parts.shift() ?? ''
  if (before.trim() !== '') return [{ kind: 'wrong', line, reason: "the first line of a block that is run begins with '$ '" }]
  return parts.map((part) => {
    const [, command = '', rest = ''] = /^(.*\n(?:> .*\n)*)([\s\S]*)$/.exec(part) ?? []
    const output = rest.trim() === '' ? {} : { output: rest }
    return { kind: 'run', line, script: command.replace(/^> /gm, ''), ...output }
  })
}

const unescape = (text: string): string =>
  text
    .replace(/\\&/g, '')
    .replace(/\\\(aq/g, "'")
    .replace(/\\\(dq/g, '"')
    .replace(/\\\(ti/g, '~')
    .replace(/\\\(ha/g, '^')
    .replace(/\\\(ga/g, '`')
    .replace(/\\\[u([0-9A-F]{4,6})\]/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/\\-/g, '-')
    .replace(/\\e|\\\(rs|\\\\/g, '\\')

const section = (page: string, name: string): string | undefined => sections(page).find((one) => one.name === name)?.text

const sections = (page: string): { name: string; text: string }[] =>
  page
    .split(/^\.Sh /m)
    .slice(1)
    .map((part) => ({ name: part.split('\n', 1)[0]?.trim() ?? '', text: part.slice(part.indexOf('\n') + 1) }))
