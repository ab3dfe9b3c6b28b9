// A careful program by hand for one job and one type: chunks, one write for each, and the checks that plumb makes of
// every line. lines.cjs JOB [MAX-LINE]
'use strict'
const { isUtf8 } = require('node:buffer')

const KINDS = ['view', 'click', 'order']
const isRecord = (value, size) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === size
const isEvent = (value) =>
  isRecord(value, 5) &&
  Number.isInteger(value.seq) &&
  typeof value.user === 'string' &&
  KINDS.includes(value.kind) &&
  typeof value.amount === 'number' &&
  typeof value.note === 'string'
const isCount = (value) => isRecord(value, 2) && Number.isInteger(value.n) && Number.isInteger(value.steps)
const isItem = (value) => isRecord(value, 3) && typeof value.id === 'string' && typeof value.v === 'number' && typeof value.ok === 'boolean'
const isOrder = (value) =>
  isRecord(value, 3) &&
  Number.isInteger(value.id) &&
  typeof value.name === 'string' &&
  Array.isArray(value.items) &&
  value.items.every(isItem)
const isBig = (value) => isRecord(value, 2) && Number.isInteger(value.seq) && typeof value.text === 'string'

const whole = (value) => `${JSON.stringify(value)}\n`
const total = ({ amount }) => amount * 1.25
const half = ({ seq, user, kind, amount }) =>
  kind === 'order' && amount * 1.25 > 500 ? whole({ seq, user, half: (amount * 1.25) / 2 }) : ''
const count = (value) => {
  while (value.n < 8) value = { n: value.n + 1, steps: value.steps + 1 }
  return whole(value)
}

const sum = ({ items }) => {
  let n = 0
  for (const { v } of items) if (v > 0) n += v
  return whole({ n })
}
const sift = ({ id, items }) => whole({ id, items: items.filter(({ ok }) => ok).map(({ id, v }) => ({ id, v })) })
const top = ({ items }) => whole({ best: items.sort((a, b) => b.v - a.v).slice(0, 3) })
const letter = ({ id, name, items }) => whole(`Order ${id} of ${name}: ${items.length} items`)
const call = ({ id, items }) => {
  let total = 0
  for (const { v } of items) total += v * 1.2
  return whole({ id, total })
}
const each = ({ items }) => whole(items.map(({ id, v }) => ({ id, v: v * 2 })))

const JOBS = {
  id: [isEvent, (_, line) => `${line}\n`],
  map: [isEvent, (value) => whole({ seq: value.seq, user: value.user, total: total(value) })],
  quarters: [isEvent, (_, line) => `${line}\n`],
  ids: [isEvent, (_, line) => `${line}\n`],
  filter: [isEvent, (value, line) => (value.kind === 'order' && value.amount > 500 ? `${line}\n` : '')],
  stages: [isEvent, half],
  copies: [isEvent, (_, line) => `${line}\n`.repeat(4)],
  barrier: [isEvent, (value, line) => `[${line},${JSON.stringify(total(value))}]\n`],
  cycle: [isCount, count],
  sum: [isOrder, sum],
  sift: [isOrder, sift],
  top: [isOrder, top],
  letter: [isOrder, letter],
  call: [isOrder, call],
  each: [isOrder, each],
  big: [isBig, (_, line) => `${line}\n`],
}

const [isFine, work] = JOBS[process.argv[2]]
const maxLine = Number(process.argv[3] ?? 16 * 1024 * 1024)

let seen = 0
const complain = (what) => {
  process.stderr.write(`line ${seen}: ${what}\n`)
  process.exitCode = 1
}

const take = (line) => {
  seen++
  if (line.length > maxLine) return complain(`longer than ${maxLine}`) ?? ''
  let value
  try {
    value = JSON.parse(line)
  } catch {
    return complain('no JSON') ?? ''
  }
  return isFine(value) ? work(value, line) : (complain('does not fit') ?? '')
}

let carry = []
let carried = 0
const flow = (bytes) => {
  if (!isUtf8(bytes)) return complain('no UTF-8')
  let text = ''
  for (const line of bytes.toString().split('\n')) text += take(line)
  if (text === '' || process.stdout.write(text)) return
  process.stdin.pause()
  process.stdout.once('drain', () => process.stdin.resume())
}

process.stdin.on('data', (chunk) => {
  const end = chunk.lastIndexOf(10)
  if (end < 0) {
    carry.push(chunk)
    carried += chunk.length
    if (carried > maxLine) throw new Error(`a line is longer than ${maxLine}`)
    return
  }
  const head = chunk.subarray(0, end)
  flow(carry.length > 0 ? Buffer.concat([...carry, head]) : head)
  carry = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : []
  carried = chunk.length - end - 1
})
process.stdin.on('end', () => {
  if (carry.length > 0) flow(Buffer.concat(carry))
})
