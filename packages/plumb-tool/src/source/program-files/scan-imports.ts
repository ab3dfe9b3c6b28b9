// Finds the imports of a module by its text alone. Extra matches do no harm.

/** Words before the name of a module, skipping white space, comments and open parentheses. */
const BEFORE = /(?:\b(?:from|import|require|resolve)|\bWorker|\bfork)$/
// Any quote may begin a string, even one that ends another or is in a comment.
const QUOTED = /(["'`])(?=([^"'`\n\\]{1,1000})\1)/g
const CODE = /\.(?:[cm]?[jt]s|node|wasm)$/
const MAX_BEFORE = 1000

/** Module specifiers in JavaScript and TypeScript, as written. */
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

/** Imports of Python: the first component of each dotted name. */
export const scanPythonImports = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const line of text.split('\n')) {
    const [word = '', rest = ''] = splitWord(line.trim())
    const of = word === 'from' ? firstName(rest) : ''
    found.add(of)
    // `from . import a, b`, or `import a, b`.
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
