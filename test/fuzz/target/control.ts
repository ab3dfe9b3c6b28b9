// What comes over the descriptors of an agent, a line each: control messages, requests of tools and their answers. What is none is refused in
// words, and only who asked is answered.

import { PassThrough } from 'node:stream'
import { parseControl } from '../../../packages/plumb-agent/src/control/message.js'
import { DispatchClient } from '../../../packages/plumb-agent/src/tool/client.js'
import { type Fault, isCode, LineReader, parseJson, readRequest, writeAnswer } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const sound = ({ error, detail }: Fault): void => must(isCode(error) && detail.length < 4000, `a refusal says ${detail.slice(0, 100)}`)

export const control: Target = {
  name: 'control',
  seeds: [
    '{"set_temp":0.5,"set_model":"m"}\n{"pause":true}\n{"set_memory":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"y"}]}],"if_memory":[]}\n{"approve":"1"}\n',
    '{"id":"1","name":"f","input":{"a":1}}\n{"id":"2","name":"g","input":12345678901234567890}\n{"name":"f","input":null,"id":"1"}\n',
    '{"id":"1","content":"x","is_error":false}\n{"id":"2","content":[{"type":"text","text":"y"}],"is_error":true}\n{"id":"3","content":"z"}\n',
  ],
  words: [
    ...[
      '"set_temp":',
      '"set_model":',
      '"set_memory":[',
      '"if_memory":[',
      '"role":',
      '"content":',
      '"stop":true',
      '"pause":true',
      '"resume":true',
      '"cancel":true',
      '"cancel":2',
      '"get_memory":true',
      '"approve":',
    ],
    ...[
      '"deny":',
      '"id":"1"',
      '"id":"2"',
      '"id":',
      '"name":',
      '"input":',
      '"is_error":',
      '"constructor":',
      '"__proto__":',
      'null',
      'true',
      '[]',
      '{}',
      '1',
      '\n',
      '{',
      '}',
      ',',
    ],
  ],
  cases: 700,
  maxBytes: 6000,
  judge: async (input) => {
    const stream = new PassThrough()
    const ids: string[] = []
    const client = new DispatchClient({ send: (line) => JSON.parse(line), onFault: sound })
    const asked = ['1', '2', 'constructor'].map((id) => ({
      id,
      answer: client.call({ id, name: 'f', input: '{}' }, 60_000, new AbortController().signal),
    }))
    const done = new Promise<void>((resolve) => {
      const take = (): void => {
        while (reader.next()) {
          const inbound = readRequest(reader)
          if (inbound.kind === 'invalid') sound(inbound.fault)
          else {
            const { id, input: text } = inbound.request
            JSON.parse(text)
            const back = JSON.parse(writeAnswer({ id, content: text, is_error: false }))
            must(back.id === id && back.content === text, 'an answer is not what was said')
          }
          const parsed = reader.fault ? undefined : parseJson(reader.buf, reader.start, reader.end)
          if (!parsed?.ok) continue
          const read = parseControl(parsed.value)
          if (!read.ok) sound(read.error)
          else JSON.stringify(read.value)
          const id = (parsed.value as { id?: unknown } | null)?.id
          if (typeof id === 'string') ids.push(id)
          client.receive(parsed.value)
        }
        if (reader.hasEnded) resolve()
      }
      const reader = new LineReader(stream, { onReadable: take })
    })
    stream.end(input)
    await done
    const closed = { error: 'child_failed', category: 'internal', detail: 'closed' } as const
    client.end(closed)
    for (const { id, answer } of asked) {
      const { content } = await answer
      must(typeof content === 'string', 'an answer has no content')
      must(ids.includes(id) || content === JSON.stringify(closed), `${id} has an answer that is not its own`)
    }
  },
}
