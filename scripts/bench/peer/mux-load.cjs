// The two ends of a loaded stream of envelopes: mux-load.cjs feed SECONDS | ... | mux-load.cjs receive
//
// `feed` writes data without pause, and now and then a control message that says when it was written; `receive` prints the median of how long
// those took, in microseconds.
'use strict'

const CONTROL_MS = 20
const DATA = Array.from(
  { length: 800 },
  (_, n) => `{"__port":"input","msg":{"seq":${n},"user":"u${n}","note":"quiet näher river"}}\n`,
).join('')

const feed = (seconds) => {
  const until = performance.now() + seconds * 1000
  let next = 0
  const pump = () => {
    for (let isOpen = true; isOpen; ) {
      const now = performance.now()
      if (now > until) return
      if (now > next) {
        next = now + CONTROL_MS
        process.stdout.write(`{"__port":"ctrl_in","msg":${process.hrtime.bigint()}}\n`)
      }
      isOpen = process.stdout.write(DATA)
    }
  }
  process.stdout.on('drain', pump)
  pump()
}

const receive = () => {
  const delays = []
  let rest = ''
  process.stdin.setEncoding('latin1').on('data', (chunk) => {
    const text = rest + chunk
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    for (const [, sent] of text.slice(0, end).matchAll(/"ctrl_(?:in|out)","msg":(\d+)/g))
      delays.push(Number(process.hrtime.bigint() - BigInt(sent)) / 1000)
  })
  process.stdin.on('end', () => console.log(delays.sort((a, b) => a - b)[delays.length >> 1]))
}

const [what, seconds] = process.argv.slice(2)
if (what === 'feed') feed(Number(seconds))
else receive()
