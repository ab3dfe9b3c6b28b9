// What a module says that it imports, by its text alone: more than it does import is no harm.

/** What stands before the name of a module, behind white space, a comment and an open parenthesis. */
const BEFORE = /(?:\b(?:from|import|require|resolve)|\bWorker|\bfork)$/
// Each quote may begin a string, also one that ends another or stands in a comment.
const QUOTED = /(["'`])(?=([^"'`\n\\]{1,1000})\1)/g
const CODE = /\.(?:[cm]?[jt]s|node|wasm)$/
const MAX_BEFORE = 1000

/** Of JavaScript and TypeScript: names as they are written, relative ones and others. */
export const scanImports = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const { index, 2: name = '' } of text.matchAll(QUOTED)) {
    const isPath = /^\.{1,2}(\/|$)/.test(name)
    if ((isPath && CODE.test(name)) || BEFORE.test(before(text, index))) found.add(name)
  }
  return found
}

const before = (text: string, end: number): string => {
  let rest = text.slice(Math.max(0, end - MAX_BEFORE), end).trimEnd()
  for (;;) {
    if (rest.endsWith('(')) rest = rest.slice(0, -1).trimEnd()
    else if (rest.endsWith('*/') && rest.includes('/*')) rest = rest.slice(0, rest.lastIndexOf('/*')).trimEnd()
    else return rest.slice(-16)
  }
}

/** Of Python: the first name of each, as a file or a folder beside it would have it. */
export const scanPythonImports = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const line of text.split('\n')) {
    const [word = '', rest = ''] = splitWord(line.trim())
    const of = word === 'from' ? firstName(rest) : ''
    found.add(of)
    // `from . import a, b`, or what is imported itself.
    const names = word === 'import' ? rest : word === 'from' && of === '' ? (rest.split(' import ')[1] ?? '') : ''
    for (const name of names.split(',')) found.add(firstName(name))
  }
  found.delete('')
  return found
}

const splitWord = (line: string): readonly [string, string] => {
  const end = line.indexOf(' ')
  return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)]
}

const firstName = (text: string): string => /^\.*(\w*)/.exec(text.trim())?.[1] ?? ''
