// The line at the bottom of a terminal, written to something that counts how it is written.

import { PassThrough, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import t, { type Test } from 'tap'
import { EditLine } from '../src/terminal/line.js'

/** A line of 20 columns, and every write of it since the last time `writes` was called. */
const openLine = (t: Test): { readonly line: EditLine; readonly entered: string[]; writes(): string[] } => {
  let written: string[] = []
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => done(void written.push(String(chunk))),
    writev: (chunks, done) => done(void written.push(chunks.map(({ chunk }) => String(chunk)).join(''))),
  })
  const entered: string[] = []
  const line = new EditLine({
    input: Object.assign(new PassThrough(), { setRawMode: () => {} }) as unknown as ReadStream,
    output: Object.assign(output, { columns: 20 }) as unknown as WriteStream,
    complete: () => [],
    onEntered: () => entered.push(written.join('')),
    onSettled: () => {},
  })
  t.teardown(() => line.close())
  const writes = (): string[] => {
    const all = written
    written = []
    return all
  }
  return { line, entered, writes }
}

t.test('each drawing is one write', async (t) => {
  const { line, writes } = openLine(t)
  line.set({ prompt: '> ' })
  writes()
  line.show()
  t.equal(writes().length, 1, 'when it is shown')
  line.replace('0123456789 '.repeat(4))
  t.equal(writes().length, 1, 'with another text')
  line.show({ cursor: 3 })
  writes()
  line.feed('!')
  const [drawn = '', ...more] = writes()
  t.match(drawn, /012!3456789/, 'with a character in its middle')
  t.strictSame(more, [])
  line.resize()
  writes()
  line.handleCursorColumn(6)
  t.equal(writes().length, 1, 'at another width')
  line.hide()
  t.equal(writes().length, 1, 'when it is removed')
})

t.test('what Enter leads to comes when the line is written', async (t) => {
  const { line, entered, writes } = openLine(t)
  line.set({ prompt: '> ' })
  line.show({ text: 'hello', cursor: 2 })
  writes()
  line.feed('\r')
  t.equal(entered.length, 1)
  t.match(entered[0], /\n$/)
})
