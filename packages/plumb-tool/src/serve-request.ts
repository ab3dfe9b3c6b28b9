// A line of the dispatch protocol: a request, or what is wrong with it, and the answer as a line.

import { parseTree, stringOf, type Tree } from '@plumb/lang'
import { type Fault, fault, type LineReader, parseJson, preview } from '@plumb/wire'
import type { ToolAnswer, ToolRequest } from './serve.js'

export type Arrival =
  | { readonly kind: 'request'; readonly request: ToolRequest }
  /** No request. Where the id can be read somebody waits for an answer to it. */
  | { readonly kind: 'stray'; readonly fault: Fault; readonly id: string | undefined }

/** After `reader.next()` returned true. The input stays as it is written, so that numbers keep their digits. */
export const readRequest = (reader: LineReader): Arrival => {
  if (reader.fault) return { kind: 'stray', fault: reader.fault, id: undefined }
  const { buf, start, end, line, isLast } = reader
  const tree = parseTree(buf, start, end)
  if (tree.kind === 'fault') {
    const parsed = parseJson(buf, start, end, isLast)
    return { kind: 'stray', fault: { ...(parsed.ok ? fault(tree.error, tree.detail) : parsed.error), line }, id: undefined }
  }
  const { id, name, input } = fieldsOf(tree, buf)
  if (id !== undefined && name !== undefined && input !== undefined) return { kind: 'request', request: { id, name, input } }
  const missing = id === undefined ? "a string 'id'" : name === undefined ? "a string 'name'" : "'input'"
  const detail = `a request is {"id","name","input"}, and this line has not ${missing}: ${preview(buf.toString('utf8', start, end))}`
  return { kind: 'stray', fault: fault('input_type_mismatch', detail, { line }), id }
}

const fieldsOf = (tree: Tree, buf: Buffer): Partial<ToolRequest> => {
  if (tree.kind !== 'object') return {}
  const fields: { id?: string; name?: string; input?: string } = {}
  for (const { key, node } of tree.entries) {
    if (key === 'input') fields.input = buf.toString('utf8', node.start, node.end)
    else if ((key === 'id' || key === 'name') && node.kind === 'string') fields[key] = stringOf(node, buf)
  }
  return fields
}

export const writeAnswer = ({ id, content, is_error }: ToolAnswer): string =>
  `{"id":${JSON.stringify(id)},"content":${JSON.stringify(content)},"is_error":${is_error}}`
