// Errors as data: ports `error`, and p + q on streams (plumbing(5), Errors as data). One message fails in the middle, one is slow, one is late.

import { makeShell } from './shell.js'

const PROGRAM = `#!/bin/bash
seq=0
answer() { echo '{"seq":'$seq',"value":'"\${line%\\"} ok\\""',"done":true}'; }
while read -r line; do
  ((++seq))
  case $line in
    *bad*) echo '{"seq":'$seq',"error":{"error":"overloaded","category":"unavailable","detail":"busy"}}' ;;
    *die*) exit 3 ;;
    *slow*) sleep 0.2; answer ;;
    *) answer ;;
  esac
done
`
const numbers = (impl: string) => `let share : !int -> !number = map(12 / value)\n${impl}`
const program = 'let p : !string -> !string = agent { command: ["./answer"], answers: "numbered", amnesiac: true }\n'
const ports = 'let main : !string -> (!string, !Failure) = plumb(input, output, failed) {\n input ; p ; output\n p@error ; failed\n}\n'

const { table } = makeShell({
  answer: PROGRAM,
  'port.plumb': program + ports,
  'nested.plumb': `let step : !string -> !int = map(length(value) / (length(value) - 3)) ; map(floor(value))
let p : !string -> !int = plumb(from, to) { from ; step ; to }
let main : !string -> (!int, !json) = plumb(input, output, failed) {
  input ; p ; output
  p@error ; map({ error, seq: seq ?? 0, input: input ?? 0 }) ; failed
}
`,
  'chain.plumb': `let p : !string -> !number = map(length(value)) ; map(6 / value) ; map(1 / (value - 3))
let main : !string -> (!number, !string) = plumb(input, output, failed) {
  input ; p ; output
  p@error ; map(text(input ?? 0) + " " + (process ?? "")) ; failed
}
`,
  'repaired.plumb': numbers(`let main : !int -> !(int, number) = plumb(input, output) {
  let repaired : !number = channel
  input ; share ; repaired
  share@error ; map(0 - 1) ; repaired
  (input * repaired) ; barrier ; output
}
`),
  'each.plumb': numbers(`let all : ![int] -> ![number] = each(share)
let main : ![int] -> (![number], !json) = plumb(input, output, failed) {
  input ; all ; output
  all@error ; map({ index: index ?? -1, seq: seq ?? -1, input: input ?? 0 }) ; failed
}
`),
  'boundary.plumb': `let main : !int -> (!int, !json) = plumb(input, output, failed) {
  input ; output
  input@error ; map({ error, seq: seq ?? 0, input: input ?? "none" }) ; failed
}
`,
  'parameter.plumb': numbers(`let q : !int -> (!number, !int) = plumb(from, to, error) { from ; share ; to\n from ; error }
let main : !int -> !int = plumb(input, output) { input ; q@from\n q@error ; output }
`),
  'own.plumb': `type Failure = { code: int }
let main : !int -> !Failure = map({ code: value })
`,
  'fails.plumb': numbers(
    'let main : !int -> (!number, !Failure) = plumb(input, output, failed) { input ; share ; output\n share@error ; failed }',
  ),
  'sink.plumb': numbers('let main : !int -> !number = plumb(input, output) { input ; share ; output\n input ; share@error }'),
  'wrong.plumb': numbers('let main : !int -> !number = plumb(input, output) { input ; share ; output\n share@errors ; discard }'),

  'fall.plumb': `${program}let q : !string -> !string = map("q " + value)\nlet main : !string -> !string = p + q\n`,
  'both.plumb': `${program}let q : !string -> !string = agent { command: ["./answer"], answers: "numbered", amnesiac: true }\nlet main : !string -> !string = p + q + map(if value = "bad" then "last" else text(1 / (length(value) - 3)))\n`,
  'flat.plumb': numbers(`let half : !int -> !number = map(6 / (value - 1))
let main : !int -> !number = (share ; map(1 / (value - 12))) + (half + map(1 / (value * 0)))
`),
  'many.plumb': `let two : !int -> !int = plumb(from, to) { from ; map(12 / value) ; map(floor(value)) ; to\n from ; map(value + 100) ; to }
let main : !int -> !int = two + map(0 - value)
`,
  'eaches.plumb': numbers('let main : ![int] -> ![number] = each(share + map(0 - 1)) ; (each(map(1 / value)) + map([0]))\n'),
  'loop.plumb': numbers(`type Job = { n: int, tries: int }
let work : !Job -> !string = map(text(100 / n))
let sure : !Job -> !string = map(text(100 / (n - tries)))
let main : !Job -> !string = plumb(input, output) {
  input ; work + sure ; output
  input@error ; discard
}
`),
  'config.plumb': 'let p : !string -> !string = agent { provider: "eliza" }\nlet main : ![string] -> ![string] = each(p)\n',
  'body.plumb': numbers(
    'let main : !int -> !number = plumb(input, output) {\n let c : !int = channel\n input ; c\n c ; share + c ; output\n}',
  ),
})

const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const SAID = lines('a', 'slow bad', 'b', 'slow', 'bad', 'c')
const port = (name: string, msg: unknown) => ({ __port: name, msg })
const busy = { error: 'overloaded', category: 'unavailable', detail: 'busy' }

table('what a process fails on leaves at its port error, with the message that entered it', {
  'of a program': {
    run: 'plumb port.plumb | sort',
    in: SAID,
    out: lines(
      port('failed', { ...busy, seq: 2, input: 'slow bad' }),
      port('failed', { ...busy, seq: 5, input: 'bad' }),
      port('output', 'a ok'),
      port('output', 'b ok'),
      port('output', 'c ok'),
      port('output', 'slow ok'),
    ),
  },
  'of a program that dies, for each message in hand': {
    run: `plumb port.plumb | pick '[_.__port, _.msg.error, _.msg.input]' | tail -n 2`,
    in: lines('a', 'die', 'c'),
    out: lines(['failed', 'child_failed', 'die'], ['failed', 'child_failed', 'c']),
  },
  'of a nested plumb, whose own failure it is': {
    run: 'plumb nested.plumb | sort',
    in: lines('four', 'six', 'twelve'),
    out: lines(port('failed', { error: 'evaluation_failed', seq: 2, input: 'six' }), port('output', 2), port('output', 4)),
  },
  'of a bound chain, whichever part has failed': {
    run: 'chain',
    in: lines('', 'ab', 'abc'),
    out: lines(port('failed', ' map'), port('failed', 'ab map'), port('output', -1)),
  },
  'it stems from the message, and what is made of it joins its partner': {
    run: 'repaired',
    in: lines(1, 0, 2),
    out: lines([1, 12], [0, -1], [2, 6]),
  },
  'of an each, with the place in the list': {
    run: 'each',
    in: lines([1, 0, 2], [], [3]),
    out: lines(port('failed', { index: 1, seq: 1, input: [1, 0, 2] }), port('output', []), port('output', [4])),
  },
  'of the input itself': {
    run: 'boundary',
    in: '1\n"two"\nnope\n4\n',
    out: lines(
      port('output', 1),
      port('failed', { error: 'input_type_mismatch', seq: 2, input: 'two' }),
      port('failed', { error: 'invalid_json', seq: 3, input: 'none' }),
      port('output', 4),
    ),
  },
  'nothing of it is rejected, and a record changes nothing': {
    run: 'cat > in; plumb --rejects rejected fails.plumb < in > plain; wc -c < rejected; plumb --record kept fails.plumb < in | cmp - plain; plumb --resume kept fails.plumb < in | cmp - plain',
    in: lines(1, 0, 2),
    out: '0\n',
  },
  'a parameter of that name is that port': {
    run: 'parameter',
    in: lines(1, 0),
    out: lines(1, 0),
    errors: [{ error: 'evaluation_failed' }],
  },
  'a type of the program comes before Failure': { run: 'own', in: '1\n', out: lines({ code: 1 }) },
  'it is a source only': { run: 'plumb check sink.plumb', errors: [/nothing can be wired into 'share@error'/, /./, /./], status: 2 },
  'a port that is not there': { run: 'plumb check wrong.plumb', errors: [/no port 'errors'/, /./, /./, /did you mean 'error'/], status: 2 },
})

table('p + q on streams: what fails in p goes to q', {
  'in the order of the inputs, through another process': {
    run: 'fall',
    in: SAID,
    out: lines('a ok', 'q slow bad', 'b ok', 'slow ok', 'q bad', 'c ok'),
  },
  'also what a program had in hand when it died, and what comes later': {
    run: 'fall',
    in: lines('a', 'die', 'c', 'd'),
    out: lines('a ok', 'q die', 'q c', 'q d'),
  },
  'to more than one, and the error of the last carries the others, flat': {
    run: 'both',
    in: lines('a', 'bad', 'b', 'bad bad'),
    out: lines('a ok', 'last', 'b ok', '0.25'),
  },
  nested: {
    run: 'flat',
    in: lines(0, 1, 2, 3),
    out: lines(-6, -1 / 6, -0.125),
    errors: [{ error: 'evaluation_failed', seq: 2, earlier: [{ process: 'map' }, { process: 'half' }] }],
  },
  'what p had sent for it is dropped': { run: 'many', in: lines(3, 0, 4), out: lines(4, 103, 0, 3, 104) },
  'within an each, and around one': { run: 'eaches', in: lines([1, 0, 2], [], [12]), out: lines([1 / 12, -1, 1 / 6], [], [1]) },
  'recorded as it is': {
    run: 'cat > in; plumb fall.plumb < in > plain; plumb --record kept fall.plumb < in | cmp - plain; plumb --resume kept fall.plumb < in | cmp - plain',
    in: SAID,
  },
  'an agent that never started fails the run, and gives no empty list': {
    run: 'config',
    in: lines(['a'], ['b']),
    errors: [{ error: 'missing_option' }],
    status: 2,
  },
  'what stands in it is a process of its own': {
    run: 'plumb check body.plumb',
    errors: [/'c' is a channel, and what is in '\+' is a process of its own/, /./, /./, /./],
    status: 2,
  },
})
