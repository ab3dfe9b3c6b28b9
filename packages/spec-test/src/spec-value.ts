// JSON in the syntax of a spec.

import { parseTree, stringOf, type Tree } from '@plumb/wire'

export const fieldName = (name: string): string => (IDENTIFIER.test(name) ? name : JSON.stringify(name))

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The JSON of a spec: names without quotes. */
export const asValue = (json: string): string => {
  const bytes = Buffer.from(json)
  const tree = parseTree(bytes, 0, bytes.length)
  return tree.kind === 'fault' ? 'null' : write(tree, bytes)
}

const write = (node: Tree, bytes: Buffer): string => {
  if (node.kind === 'object') {
    const fields = node.entries.map(({ key, node: value }) => `${fieldName(key)}: ${write(value, bytes)}`)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  if (node.kind === 'array') return `[${node.items.map((item) => write(item, bytes)).join(', ')}]`
  return node.kind === 'string' ? JSON.stringify(stringOf(node, bytes)) : bytes.toString('utf8', node.start, node.end)
}

/** With exactly the keys of a special form. */
export const looksSpecial = (json: string): boolean => {
  const bytes = Buffer.from(json)
  const tree = parseTree(bytes, 0, bytes.length)
  const keys = tree.kind === 'object' ? tree.entries.map(({ key }) => key).sort() : []
  return SPECIAL.has(keys.join(' '))
}

const SPECIAL = new Set(['answer', 'result', 'error', 'call input', 'answer when', 'result when', 'error when'])
