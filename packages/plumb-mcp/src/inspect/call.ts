// plumb-mcp call: one call of a tool, or with '-' one for each line of standard input, in order.

import { setImmediate } from 'node:timers/promises'
import type { McpAnswer } from '@plumb/tool/internal'
import { AsyncLineReader, type Fault, fault, openInput, parseJson, preview } from '@plumb/wire'
import type { Inspection, InspectVerb } from './inspection.js'

export const call: InspectVerb = async (inspection) => {
  const [name = '', given = '{}'] = inspection.asked.words
  // The answer is checked against it, and a misspelt name is compared with it.
  const listed = await inspection.connection.listedTools()
  if (!listed.ok) return inspection.report(listed.error)
  if (!listed.value.some((tool) => tool.name === name)) {
    const names = listed.value.map((tool) => tool.name)
    return inspection.report(
      fault(
        'unknown_tool',
        `the server has no tool '${preview(name)}', but ${names.length === 0 ? 'none at all' : preview(names.join(', '), 300)}`,
      ),
    )
  }
  if (given !== '-') return callOnce(inspection, name, Buffer.from(given), {})
  await callEach(inspection, name)
}

const callEach = async (inspection: Inspection, name: string): Promise<void> => {
  const lines = new AsyncLineReader(openInput(0))
  const reader = lines.current
  const stop = () => lines.stop()
  inspection.signal.addEventListener('abort', stop, { once: true })
  if (inspection.signal.aborted) stop()
  for (let seq = 1; await lines.next(); seq++) {
    const place = { line: reader.line, seq }
    if (reader.fault) inspection.report({ ...reader.fault, ...place })
    else await callOnce(inspection, name, Buffer.from(reader.buf.subarray(reader.start, reader.end)), place)
  }
}

const callOnce = async (
  { connection, isVerbose, signal, write, report }: Inspection,
  name: string,
  bytes: Buffer,
  place: Readonly<Record<string, number>>,
) => {
  const input = parseJson(bytes, 0, bytes.length)
  if (!input.ok) return report({ ...input.error, ...place, detail: `the input is ${input.error.detail}` })
  const { stderr } = connection
  const before = stderr?.count ?? 0
  const answer = await connection.call(name, bytes.toString('utf8'), { signal })
  const failure = !answer.ok ? answer.error : answer.value.isError ? failed(name, answer.value) : undefined
  if (answer.ok && !failure) return write(line(answer.value))
  // Its output so far is read in the same turn.
  await setImmediate()
  const words = isVerbose ? '' : (stderr?.since(before) ?? '')
  const isSaid = words === '' || failure?.error === 'mcp_dead'
  if (failure) report({ ...failure, ...place, detail: isSaid ? failure.detail : `${failure.detail}; its stderr ends with: ${words}` })
}

const line = ({ content, structured }: McpAnswer): string =>
  `{"content":${JSON.stringify(content)}${structured === undefined ? '' : `,"structured":${structured}`}}`

const failed = (name: string, { content, error }: McpAnswer): Fault => {
  if (error) return error
  const words = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ')
  return fault('tool_crashed', `'${name}' failed: ${preview(words === '' ? 'it did not say why' : words, 1000)}`, { content })
}
