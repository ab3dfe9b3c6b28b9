// Lists of messages of all requests of a server, near the limit of a list.

import t from 'tap'
import { InputContext } from '../../runtime/src/graph/input-context.js'
import { SharedBatch, type SharedList } from '../../runtime/src/graph/morphism/shared-gathering.js'

const MB = 1024 * 1024

/** A request: what becomes of its message. */
const ask = (list: SharedList, size: number, json: string): string => {
  const outcome: string[] = []
  const current = new InputContext()
  const report = ({ error }: { error: string }) => void outcome.push(error)
  const batch = new SharedBatch(
    [1],
    { current, report, maxLine: 16 * MB },
    { name: 'all', list, size, lost: () => void outcome.push('none') },
  )
  const send = (buf: Buffer, start: number, end: number) => {
    const items = JSON.parse(buf.toString('utf8', start, end)) as string[]
    outcome.push(items.map((text) => text[0]).join(''))
  }
  batch.outlets[0]?.channels.push({ send, close: () => {} })
  const bytes = Buffer.from(json)
  current.begin('', 0, 1)
  batch.receive(0, bytes, 0, bytes.length)
  current.end()
  return outcome.join(' ')
}

const text = (letter: string, megabytes: number): string => JSON.stringify(letter.repeat(megabytes * MB))

t.test('a list without room for another message leaves, and what comes next is in the next', async (t) => {
  const list: SharedList = { items: [], bytes: 0 }
  const came = [...'abcdef'].map((letter) => ask(list, 4, text(letter, 6)))
  t.strictSame(came, ['none', 'none', 'ab', 'none', 'cd', 'none'])
  t.strictSame(
    [...'ghi'].map((letter) => ask(list, 4, text(letter, 0.001))),
    ['none', 'efgh', 'none'],
  )
  t.equal(ask(list, 4, text('x', 16)), 'too_large none', 'one that has no room in a list of its own')
  t.strictSame(
    [...'jkl'].map((letter) => ask(list, 4, text(letter, 0.001))),
    ['none', 'none', 'ijkl'],
    'which leaves the others as they were',
  )
})
